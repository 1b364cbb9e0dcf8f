import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountActor } from '../support/world.js';
import { useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let other: AccountActor;
let deviceId: string;

beforeAll(async () => {
  [owner, other] = [await world.organization(), await world.organization()];
  deviceId = await owner.make(`/organizations/${owner.id}/devices/ab-01`);
  await owner.post(`/organizations/${owner.id}/records`, { ...good, key: 'k' });
});

/** The answer to an ingestion call, in one shape for REST and GraphQL. */
interface Told {
  accepted?: number;
  duplicates?: number;
  rejected?: number;
  results?: { index: number; status: string; recordId?: string | null; error?: object | null }[];
  code?: string;
  faults?: string[];
}

interface CallOfBoth {
  records: unknown;
  verbose?: boolean;
  idempotencyKey?: string;
  organizationId?: string;
  /** Sends the records to the endpoint of a single device. */
  one?: boolean;
}

const byRest = async ({
  records,
  verbose,
  idempotencyKey,
  organizationId = owner.id,
  one,
}: CallOfBoth): Promise<Told> => {
  const path = one ? `devices/${organizationId}/${deviceId}/records` : `organizations/${organizationId}/records`;
  const response = await fetch(`${owner.base}/${path}${verbose === undefined ? '' : `?verbose=${verbose}`}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(records),
  });
  const body = (await response.json()) as Told & { errors?: { path: string; message: string }[] };
  return response.ok ? alike(body) : { code: body.code!, faults: faultsOf(body.errors) };
};

const byGraph = async ({ one, ...values }: CallOfBoth): Promise<Told> => {
  const [name, declared, given] = one
    ? ['ingestDeviceRecords', ', $deviceId: ID!', ', deviceId: $deviceId']
    : ['ingestRecords', '', ''];
  const { body } = await owner.graph(
    `mutation ($organizationId: ID!, $records: ExactJSON!, $verbose: Boolean, $idempotencyKey: String${declared}) {
      answer: ${name}(organizationId: $organizationId, records: $records, verbose: $verbose, idempotencyKey: $idempotencyKey${given}) {
        accepted duplicates rejected results { index status recordId error { code message } } } }`,
    { organizationId: owner.id, ...(one && { deviceId }), ...values },
  );
  const [error] = body.errors ?? [];
  return error === undefined
    ? alike((body.data as { answer: Told }).answer)
    : { code: error.extensions.code, faults: faultsOf(error.extensions.errors as never) };
};

/** Replaces the values that differ in every call, so that two answers can be compared. */
const alike = (told: Told): Told =>
  JSON.parse(
    JSON.stringify(told, (key, value: unknown) => (key === 'recordId' && value !== null ? 'id' : (value ?? undefined))),
  ) as Told;

const faultsOf = (faults: readonly { path: string; message: string }[] = []): string[] =>
  faults.map(({ path, message }) => `${path.replace('Idempotency-Key', 'idempotencyKey')} ${message}`);

const good = { serial: 'AB01', ts: 1_774_700_000, data: { t: 1.5, deep: { a: [1, null, 'x'] } } };

const calls: Readonly<Record<string, CallOfBoth>> = {
  'one record': { records: good },
  'verbose results': { records: [good, { serial: 'none', data: {} }, 7], verbose: true },
  'results of rejected items only': { records: [good, { serial: 'none', data: {} }, { serial: 'ab-01' }, []] },
  'a repeated record key': { records: [{ ...good, key: 'k' }], verbose: true },
  'an empty list': { records: [] },
  'a text that cannot be stored': { records: { serial: 'ab-01', data: { t: 'a\0b' } }, verbose: true },
  'an idempotency key over 200 characters': { records: good, idempotencyKey: 'k'.repeat(201) },
  'an empty idempotency key': { records: good, idempotencyKey: '' },
  'another organization': { records: good, organizationId: '01900000-0000-7000-8000-000000000000' },
  'the records of one device': {
    records: [{ data: { t: 1 } }, { serial: 'other', data: { t: 1 } }],
    one: true,
    verbose: true,
  },
};

describe('ingestion over REST and GraphQL', () => {
  it.each(Object.entries(calls))('returns the same result on both surfaces: %s', async (_title, call) => {
    const [rest, graph] = [await byRest(call), await byGraph(call)];
    expect(rest).toEqual(graph);
    expect(Object.keys(rest).length).toBeGreaterThan(0);
  });

  it('returns the first answer again for a repeated idempotency key, whichever surface is called first', async () => {
    const first = await byRest({ records: good, verbose: true, idempotencyKey: 'once' });
    expect(await byRest({ records: good, verbose: true, idempotencyKey: 'once' })).toEqual(first);
    expect(await byGraph({ records: good, verbose: true, idempotencyKey: 'once' })).toEqual(first);
  });

  it('returns the same NOT_FOUND on both surfaces for an organization of another account', async () => {
    const call = { records: good, organizationId: other.id };
    expect(await byRest(call)).toEqual(await byGraph(call));
    expect(await byRest(call)).toMatchObject({ code: 'NOT_FOUND' });
  });
});
