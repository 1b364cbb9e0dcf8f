import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { useService } from '../support/service.js';
import { createTenant } from '../support/tenant.js';
import { type Child, startChild } from './child.js';
import { families } from './family.js';
import type { FuzzTarget } from './target.js';

/** Number of cases for all families together; `npm run test:all` sends 2,000. */
const cases = Number(process.env['FUZZ_CASES'] ?? 100);
/** A failure prints its seed; this setting repeats it. */
const seed = process.env['FUZZ_SEED'];

/** Milliseconds of CPU time for which the event loop may block: a time slice and a garbage collection. */
const frozen = 250;
/** MiB: a heap of 512 and the memory beside it. */
const most = 900;

const shares = families.reduce((sum, { share = 10 }) => sum + share, 0);

describe('service with a heap of 512 MB and random input', () => {
  const service = useService();
  let child: Child;
  let target: FuzzTarget;
  /** Answers every request with the bytes of the case. */
  const receiver = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(target.answer));
  });
  beforeAll(async () => {
    child = await startChild(service.databaseUrl);
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    target = await furnish(service, child, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    await child.figures();
  });
  afterAll(async () => {
    receiver.close();
    await child?.end();
  });

  it.each(families)(
    'returns no 500 or 503 and stays within its limits of time and memory for $name',
    async ({ cases: some, share = 10 }) => {
      // The first case of a family loads modules and compiles, which the service does once.
      await fc.sample(some, 1)[0]!(target);
      await child.figures();
      await fc.assert(
        fc.asyncProperty(some, async (send) => {
          const status = await send(target);
          expect([500, 503]).not.toContain(status);
          const { longest, resident } = await child.figures();
          expect(longest).toBeLessThan(frozen);
          expect(resident).toBeLessThan(most);
        }),
        {
          numRuns: Math.max(3, Math.round((cases * share) / shares)),
          ...(seed !== undefined && { seed: Number(seed) }),
        },
      );
    },
  );
});

describe('the table of parsed input in test/fuzz/README.md', () => {
  it('names the cases of each row, and every family', () => {
    const rows = readFileSync('test/fuzz/README.md', 'utf8')
      .split('\n## ')[0]!
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| Input'));
    const cases = rows.map((row) => row.split(' | ').at(-1)!.replace(/ \|$/, ''));
    expect(new Set(cases.filter((name) => name !== "the operator's"))).toEqual(
      new Set(families.map(({ name }) => name)),
    );
  });
});

/** Creates the objects to which the cases are sent. */
const furnish = async (
  service: Parameters<typeof createTenant>[0],
  child: Child,
  receiver: string,
): Promise<FuzzTarget> => {
  const { id, owner } = await createTenant(service);
  const variables = [
    { name: 'n', type: 'INT64', mappings: [{ streamId: 1, streamType: 'BIN', varNumber: 1 }] },
    { name: 'txt', type: 'TXT', mappings: [{ streamId: 1, streamType: 'TXT', varNumber: 1 }] },
  ];
  const make = async (path: string, body: object) => (await owner.post<{ id: string }>(path, body)).body.id;
  const productId = await make(`/organizations/${id}/products`, { name: 'Probe', version: '1', variables });
  const serial = 'f0-01';
  const product = { id: productId, organizationId: id };
  const deviceId = await make(`/organizations/${id}/devices/${serial}`, { product });
  const applicationId = await make(`/organizations/${id}/applications`, { name: 'Field' });
  await owner.put(`/applications/${id}/${applicationId}/devices/${deviceId}`);
  const hookId = await make(`/applications/${id}/${applicationId}/hooks`, { url: receiver, disabled: true });
  const deviceToken = (await owner.post<{ token: string }>(`/devices/${id}/${deviceId}/tokens`, {})).body.token;
  await owner.post(`/organizations/${id}/records`, [
    { serial, data: { n: 1, txt: 'a' } },
    { serial, data: { n: 2, txt: 'b', a: { b: { c: 1 } } } },
  ]);
  const engine = `${child.url}/ddp/v1/applications/${id}/${applicationId}/elasticsearch/records`;
  const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
  const post = async (url: string, body: object) =>
    (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as any;
  const { _scroll_id: scrollId } = await post(`${engine}/_search?scroll=5m&size=1`, {});
  const { id: pitId } = await post(`${engine}/_pit?keep_alive=5m`, {});
  const query = `{ application(organizationId: "${id}", applicationId: "${applicationId}") { records(limit: 1) { endCursor } } }`;
  const { data } = await post(`${child.url}/graphql`, { query });
  const { endCursor } = data.application.records;
  const { url, mqttUrl } = child;
  return {
    url,
    mqttUrl,
    organizationId: id,
    applicationId,
    serial,
    token: owner.token!,
    deviceToken,
    scrollId,
    pitId,
    endCursor,
    hookId,
    answer: Buffer.alloc(0),
  };
};
