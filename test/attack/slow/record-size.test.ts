import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../../support/world.js';

const world = useWorld({});
let owner: AccountActor;
let serial: string;

interface Ingested {
  accepted: number;
  rejected: number;
  results: { error?: { code: string; message: string } }[];
}

const objectOf = (keys: number, prefix = 'k'): Record<string, number> =>
  Object.fromEntries(Array.from({ length: keys }, (_, index) => [`${prefix}${index.toString(36)}`, 1]));

beforeAll(async () => {
  owner = await world.organization();
  serial = '00-de-70-00-00-00-00-77';
  await owner.make(`/organizations/${owner.id}/devices/${serial}`);
});

const ingest = async (records: object) =>
  (await owner.post<Ingested>(`/organizations/${owner.id}/records`, records)).body;

describe('size of a record', () => {
  it('rejects a record of 883,000 keys and stores its neighbours in the call', async () => {
    const body = await ingest([
      { serial, data: objectOf(883_000, '') },
      { serial, data: { temperature: 1 } },
    ]);
    expect(body).toMatchObject({ accepted: 1, rejected: 1 });
    expect(body.results[0]!.error).toEqual({
      code: 'MALFORMED_REQUEST',
      message: 'Line 1: A record may have at most 10000 keys.',
    });
  });

  it('rejects a record of over 1,000 keys in data and metadata together', async () => {
    const inside = { list: [objectOf(499), objectOf(499)], last: 1 };
    expect(await ingest({ serial, data: inside })).toMatchObject({ accepted: 1 });
    expect(await ingest({ serial, data: inside, metadata: { one: 1 } })).toMatchObject({ rejected: 1 });
  });
});

describe('field catalogue of an organization', () => {
  it('stops growing at 10,000 fields', async () => {
    const calls = (prefix: string) =>
      Array.from({ length: 8 }, (_, index) => ({ serial, data: objectOf(900, `${prefix}${index}-`) }));
    expect(await ingest(calls('a'))).toMatchObject({ accepted: 8 });
    expect(await ingest(calls('b'))).toMatchObject({ accepted: 8 });
    const { rows } = await world.pool.query(
      'select count(*)::integer as count from record_field where organization_id = $1',
      [owner.id],
    );
    expect(rows).toEqual([{ count: 10_000 }]);
  }, 180_000);
});

describe('hooks of an application', () => {
  it('returns 409 beyond 100 hooks, also when they are created concurrently', async () => {
    const application = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Alarms' });
    const path = `/applications/${owner.id}/${application}/hooks`;
    const statuses: number[] = [];
    for (let round = 0; round < 11; round++) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => owner.post(path, { url: 'http://127.0.0.1:9/' })),
      );
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
  }, 180_000);
});
