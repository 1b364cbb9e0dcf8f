import { beforeAll, describe, expect, it } from '@jest/globals';
import { delayDuring } from '../attack/delay.js';
import { type AccountActor, useWorld } from '../support/world.js';

// A service in this process, whose event loop is measured.
const world = useWorld({});
let owner: AccountActor;
let application: string;

const repeated = (count: number) => Array.from({ length: count }, () => 'a').join('.');
const names = Array.from({ length: 30 }, (_, index) => repeated(index + 1));
/** Nested objects under every name with which the column may begin: 930 names. */
const tangle = Object.fromEntries(names.map((name) => [name, Object.fromEntries(names.map((inner) => [inner, {}]))]));

const exportOf = async (columns: readonly string[], format: string) =>
  (await owner.get<string>(`${application}/export?${new URLSearchParams({ columns: columns.join(','), format })}`))
    .body;

beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  application = `/applications/${owner.id}/${await owner.make(`${at}/applications`, { name: 'All' })}`;
  await owner.put(`${application}/devices/${await owner.make(`${at}/devices/0d-01`)}`);
  const found = { 'a.b': { c: { 'd.e.f': 1, d: 2 } }, a: { 'b.c.d.e.f': 3 }, x: { 'y.z': null, y: { z: 5 } } };
  for (const first of [0, 200]) {
    const records = Array.from({ length: 200 }, (_, index) => ({
      serial: '0d-01',
      ts: 1_700_000_000 + first + index,
      data: first + index === 0 ? found : tangle,
    }));
    const { body } = await owner.post<{ accepted: number }>(`${at}/records`, records);
    expect(body.accepted).toBe(200);
  }
});

describe('column of an export', () => {
  it('finds its value by the longest matching name, whatever dots the names contain', async () => {
    const columns = ['data.a.b.c.d.e.f', 'data.a.b.c.d', 'data.x.y.z', 'data.a.b.c.d.e.g'];
    const [line] = (await exportOf(columns, 'ndjson')).split('\n');
    expect(JSON.parse(line!)).toEqual({ 'data.a.b.c.d.e.f': 1, 'data.a.b.c.d': 2, 'data.x.y.z': null });
  });

  it.each(['csv', 'ndjson', 'parquet'])(
    'blocks the event loop for less than 500 ms with 146 dots over 400 records of 930 dotted names, as %s',
    async (format) => {
      const columns = [1, 2, 3, 4, 5].map((less) => `data.${repeated(147 - less)}`);
      const { result, longest } = await delayDuring(() => exportOf(columns, format));
      expect(result.length).toBeGreaterThan(100);
      // It once took 7 s.
      expect(longest).toBeLessThan(500);
    },
    30_000,
  );
});
