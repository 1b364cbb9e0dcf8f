import { describe, expect, it } from '@jest/globals';
import { daySeconds } from '#common/time.js';
import type { PlainJson } from '#json/json.js';
import { useWorld, worldNow } from './world.js';

const now = worldNow / 1000;
// The first search step ends four days ago: one record lies exactly there, and one a microsecond earlier.
const edge = now - 4 * daySeconds;
const moments = [
  edge,
  Number((edge - 1e-6).toFixed(6)),
  ...Array.from({ length: 40 }, (_, index) => now - index * 146_880),
];
const newest = moments.toSorted((a, b) => b - a);
const world = useWorld({
  devices: [{ serial: '1' }, { serial: '2' }],
  records: moments.map((ts, index) => ({ serial: `${(index % 2) + 1}`, ts, data: { n: index } })),
});

interface Hits {
  hits: { hits: { _source: { ts: number }; sort?: PlainJson }[] };
}
interface ShownDevice {
  _source: { data: { n: number }; device: { serial: string } };
}
const ask = async (query: object) => ((await world.ask(query as PlainJson)) as unknown as Hits).hits.hits;
const times = (hits: Hits['hits']['hits']) => hits.map(({ _source }) => _source.ts);

describe('search for the newest records', () => {
  it.each([1, 4, 7, 41, 100])('returns each record once over pages of %i', async (size) => {
    const found: number[] = [];
    let after: PlainJson | undefined;
    do {
      const page = await ask({ size, sort: [{ ts: 'desc' }], ...(after !== undefined && { search_after: after }) });
      found.push(...times(page));
      after = page.at(-1)?.sort;
    } while (after !== undefined);
    expect(found).toEqual(newest);
  });

  it('returns newest first without a sort, however old the records are', async () => {
    expect(times(await ask({ size: 12 }))).toEqual(newest.slice(0, 12));
    expect(times(await ask({ size: 5, from: 3 }))).toEqual(newest.slice(3, 8));
    expect(times(await ask({ size: 100 }))).toEqual(newest);
  });

  it('shows the device of each hit, however old the record is', async () => {
    for (const size of [2, 5, 100]) {
      const hits = (await ask({ size, sort: [{ ts: 'desc' }] })) as unknown as ShownDevice[];
      const serials = hits.map(({ _source: { data, device } }) => [data.n, device.serial]);
      expect(serials).toEqual(hits.map(({ _source: { data } }) => [data.n, `${(data.n % 2) + 1}`]));
    }
    expect((await ask({ size: 5, _source: false }))[0]).not.toHaveProperty('_source');
  });

  it('finds a device by its id in capitals only when case_insensitive is true', async () => {
    const { rows } = await world.pool.query<{ id: string }>(`select id from device where serial = '1'`);
    const capitals = rows[0]!.id.toUpperCase();
    const named = (case_insensitive: boolean) => ({ term: { 'device.id': { value: capitals, case_insensitive } } });
    expect(await ask({ size: 100, query: named(true) })).toHaveLength(moments.length / 2);
    expect(await ask({ size: 100, query: { bool: { filter: [named(true)] } } })).toHaveLength(moments.length / 2);
    expect(await ask({ size: 100, query: named(false) })).toEqual([]);
    const should = [named(false), { ids: { values: [capitals] } }, { term: { 'data.n': 0 } }];
    expect(await ask({ size: 100, query: { bool: { should } } })).toHaveLength(1);
  });

  it('returns the newest records that match a time range or a value', async () => {
    const until = { range: { ts: { lt: Math.round((now - 20 * daySeconds) * 1000) } } };
    expect(times(await ask({ size: 3, query: until }))).toEqual(
      newest.filter((ts) => ts < now - 20 * daySeconds).slice(0, 3),
    );
    const rare = { terms: { 'data.n': [0, 2, 41] } };
    expect(times(await ask({ size: 3, query: rare }))).toEqual(
      [moments[0]!, moments[2]!, moments[41]!].toSorted((a, b) => b - a),
    );
  });

  it('returns the same hits with an open time range as without one', async () => {
    for (const query of [undefined, { range: { ts: {} } }, { match_all: {} }, { range: { ts: { lte: null } } }])
      for (const sort of [undefined, [{ ts: 'desc' }]])
        expect(times(await ask({ size: 5, ...(query && { query }), ...(sort && { sort }) }))).toEqual(
          newest.slice(0, 5),
        );
  });

  it('returns the exact total, whether or not the page shows all records', async () => {
    for (const size of [3, 100])
      expect(await world.ask({ size })).toMatchObject({ hits: { total: { value: moments.length, relation: 'eq' } } });
  });
});
