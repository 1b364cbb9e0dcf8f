import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';
import { counts, importing } from './imported.js';

const world = useWorld();
let owner: AccountActor;
let at: string;

beforeEach(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

interface Outcome {
  status: string;
  error: { code: string; errors: { path: string }[] } | null;
}

const put = async (devices: object[], dryRun = false): Promise<Outcome[]> => {
  const { body } = await owner.graph(
    `mutation ($o: ID!, $d: [DeviceInput!]!, $dry: Boolean) { putDevices(organizationId: $o, devices: $d, dryRun: $dry) {
      results { status error { code errors { path } } } } }`,
    { o: owner.id, d: devices, dry: dryRun },
  );
  expect(body.errors).toBeUndefined();
  return body.data!['putDevices'].results as Outcome[];
};

const stored = async () => {
  const { rows } = await world.pool.query(
    `select d.serial, a.name, a.value, a.valid_from = 'epoch' as old from attribute a join device d on d.id = a.owner_id
      where a.organization_id = $1 order by d.serial, a.name, a.valid_from`,
    [owner.id],
  );
  return rows.map(Object.values);
};

const line = (serial: string, ...attributes: object[]) => ({ serial, attributes });

describe('putDevices with attributes', () => {
  it('sets what differs, and adds no value that holds already', async () => {
    const devices = [
      line('a1', { name: 'line', value: 3 }, { name: 'side', value: 'left', validFrom: 0 }),
      line('a2', { name: 'line', value: 4 }),
      { serial: 'a3' },
    ];
    const statuses = async (...args: Parameters<typeof put>) => (await put(...args)).map(({ status }) => status);
    expect(await statuses(devices, true)).toEqual(['created', 'created', 'created']);
    expect(await stored()).toEqual([]);
    expect(await statuses(devices)).toEqual(['created', 'created', 'created']);
    const again = [line('a1', { name: 'line', value: 3 }), line('A2', { name: 'line', value: 5 }), devices[2]!];
    expect(await statuses(again, true)).toEqual(['unchanged', 'updated', 'unchanged']);
    expect(await statuses(again)).toEqual(['unchanged', 'updated', 'unchanged']);
    expect(await statuses([line('a1', { name: 'side', value: null })])).toEqual(['updated']);
    expect(await statuses([line('a1', { name: 'side', value: null })])).toEqual(['unchanged']);
    expect(await stored()).toEqual([
      ['a1', 'line', 3, false],
      ['a1', 'side', 'left', true],
      ['a1', 'side', null, false],
      ['a2', 'line', 4, false],
      ['a2', 'line', 5, false],
    ]);
  });

  it('fails the items at fault alone', async () => {
    const many = Array.from({ length: 51 }, (_, index) => ({ name: `n${index}`, value: 1 }));
    const times = (from: number) =>
      Array.from({ length: 100 }, (_, index) => ({ name: 'a', value: 1, validFrom: from + index }));
    for (let index = 0; index < 10; index++) await put([line('b1', ...times(index * 1000))]);
    const results = await put([
      line('b1', { name: 'a', value: 2 }),
      line('b2', ...many),
      line('b3', { name: 'x', value: 1 }, { name: 'x', value: 2 }),
      line('b4', { name: 'x', value: [1] }),
      line('b5', { name: 'x', value: 1 }),
    ]);
    expect(results.map(({ status, error }) => [status, error?.errors[0]?.path])).toEqual([
      ['failed', 'attributes'],
      ['failed', 'attributes'],
      ['failed', 'attributes.1'],
      ['failed', 'attributes.0.value'],
      ['created', undefined],
    ]);
    expect(await stored()).toContainEqual(['b5', 'x', 1, false]);
  });
});

describe('files of devices with attributes', () => {
  it('keeps attributes through an import, an export and an import of that', async () => {
    const files = importing({ id: owner.id, owner });
    const file = `serial;attributes\nc1;"{""line"": 3, ""side"": ""left""}"\nc2;"{""on"": true}"\nc3;\nc4;[1]\nc5;"{""a"": [1]}"\n`;
    const done = await files.whole('/devices?dryRun=false', file);
    expect(counts(done)).toMatchObject({ created: 3, rejected: 2 });
    expect(done.faults.map(({ line: place, field }) => [place, field])).toEqual([
      [5, 'attributes'],
      [6, 'attributes'],
    ]);
    const first = await stored();
    expect(first).toEqual([
      ['c1', 'line', 3, false],
      ['c1', 'side', 'left', false],
      ['c2', 'on', true, false],
    ]);
    const { body } = await owner.get<string>(`${at}/export`);
    expect(counts(await files.whole('/devices?dryRun=false', body))).toMatchObject({ unchanged: 3, rejected: 0 });
    expect(await stored()).toEqual(first);
  });
});
