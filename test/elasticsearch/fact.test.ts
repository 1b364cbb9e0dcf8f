import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { describeIf } from '../support/conditional.js';
import { useService } from '../support/service.js';
import { createTenant } from '../support/tenant.js';
import { documents, type Fact, types } from './fact/fact.js';
import { facts } from './fact/facts.js';

const json = { 'content-type': 'application/json' };

/** Sends the request of a fact to an index. */
const send = async (index: string, headers: Record<string, string>, fact: Fact) => {
  const { method = 'POST', path = '_search', body } = fact;
  const text = Array.isArray(body)
    ? body.map((line) => `${JSON.stringify(line)}\n`).join('')
    : body === undefined
      ? null
      : JSON.stringify(body);
  const answer = await request(`${index}/${path}`, { method, headers: { ...json, ...headers }, body: text });
  return { status: answer.statusCode, body: JSON.parse(await answer.body.text(), byName) as Answer };
};

/** The engine names matching clauses in an arbitrary order. */
const byName = (key: string, value: unknown): unknown =>
  key === 'matched_queries' ? (value as string[]).toSorted() : value;

interface Fault {
  readonly type: string;
  readonly reason: string;
  readonly caused_by?: Fault;
  readonly failed_shards?: readonly { readonly reason: Fault }[];
}
interface Answer {
  readonly error?: Fault;
}

/** Returns the cause that describes the error. */
const innermost = (fault: Fault): Fault => {
  const [shard] = fault.failed_shards ?? [];
  const { type = '' } = fault.caused_by ?? {};
  if (shard !== undefined && fault.type !== shard.reason.type) return outermost(shard.reason);
  return fault.caused_by !== undefined && type !== '' ? innermost(fault.caused_by) : fault;
};
const outermost = (fault: Fault): Fault =>
  fault.type === 'aggregation_execution_exception' || fault.caused_by === undefined ? fault : innermost(fault);

const at = (answer: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], answer);

const expectFact = (fact: Fact, { status, body }: { status: number; body: Answer }, own: number | undefined) => {
  const { error, answer, absent = [] } = fact;
  expect({ status, body }).toMatchObject({ status: own ?? (error === undefined ? 200 : 400), body: answer ?? {} });
  for (const path of absent) expect([path, at(body, path)]).toEqual([path, undefined]);
  if (error === undefined) return;
  const { type, reason } = innermost(body.error!);
  expect({ type, reason }).toEqual({ type: error[0], reason: expect.stringContaining(error[1]) });
};

describe("OpenSearch's own REST tests on our endpoint", () => {
  const service = useService();
  let index = '';
  let headers = {};
  beforeAll(async () => {
    const { owner, id } = await createTenant(service);
    const product = await owner.post<{ id: string }>(`/organizations/${id}/products`, {
      name: 'Probe',
      version: '1',
      variables: [
        { name: 'id', type: 'INT64' },
        { name: 'n', type: 'INT64' },
        { name: 'v', type: 'FLOAT32' },
        { name: 'k', type: 'TXT' },
        { name: 'd', type: 'TXT' },
        { name: 'on', type: 'BOOL' },
      ],
    });
    const device = await owner.post<{ id: string }>(`/organizations/${id}/devices/ab-01`, {
      product: { id: product.body.id, organizationId: id },
    });
    const application = await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'Field' });
    await owner.put(`/applications/${id}/${application.body.id}/devices/${device.body.id}`);
    const records = documents.map(({ ts, data }) => ({ serial: 'ab-01', ts: ts / 1000, data }));
    const stored = await owner.post<{ accepted: number }>(`/organizations/${id}/records`, records);
    expect(stored.body.accepted).toBe(documents.length);
    index = `${service.url}/ddp/v1/applications/${id}/${application.body.id}/elasticsearch/records`;
    headers = { authorization: `Bearer ${owner.token}` };
  });

  it.each(facts)('conforms to $of $title', async (fact) =>
    expectFact(fact, await send(index, headers, fact), fact.status),
  );
});

const url = process.env['OPENSEARCH_URL'];
describeIf(url !== undefined, 'OPENSEARCH_URL is not set')("OpenSearch's own REST tests on OpenSearch", () => {
  const index = `${url}/facts-${process.pid}`;
  const properties = (some: object): object =>
    Object.fromEntries(
      Object.entries(some).map(([name, type]) => [
        name,
        typeof type === 'string' ? { type } : { properties: properties(type as object) },
      ]),
    );
  beforeAll(async () => {
    const mappings = { properties: { ts: { type: 'date' }, data: { properties: properties(types) } } };
    const settings = { number_of_shards: 1, number_of_replicas: 0 };
    await request(index, { method: 'PUT', headers: json, body: JSON.stringify({ settings, mappings }) });
    const lines = documents.flatMap((document) => [{ index: {} }, document]);
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await request(`${index}/_bulk?refresh=true`, { method: 'POST', headers: json, body });
  });
  afterAll(() => request(index, { method: 'DELETE' }));

  it.each(facts.filter(({ notOnNode }) => notOnNode === undefined))(
    'answers $of $title as our facts say',
    async (fact) => expectFact(fact, await send(index, {}, fact), fact.engineStatus ?? fact.status),
  );
});
