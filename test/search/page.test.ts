import { describe, expect, it } from '@jest/globals';
import { useWorld, worldNow } from './world.js';

describe('search page with many records of one device', () => {
  const many = Array.from({ length: 2003 }, (_, index) => index);
  const world = useWorld({
    devices: [{ serial: '1' }, { serial: '2' }],
    // Two records share each timestamp, so their order is that of storing.
    records: many.map((n) => ({ serial: n % 3 === 0 ? '2' : '1', ts: worldNow / 1000 - (n >> 1), data: { n } })),
  });

  it.each([500, 1000, 1001, 1300, 1335, 2000])('returns %i records in order, each once', async (size) => {
    const { rows } = await world.pool.query<{ id: string }>(`select id from device where serial = '1'`);
    const id = rows[0]!.id;
    const query = { term: { 'device.id': id } };
    for (const order of ['asc', 'desc']) {
      const ask = (from: number, count: number) => world.ask({ query, from, size: count, sort: [{ ts: order }] });
      const page = idsOf(await ask(0, size));
      const parts = [await ask(0, 250), await ask(250, 750), await ask(1000, 1000)].flatMap(idsOf);
      expect(page).toEqual(parts.slice(0, size));
      expect(new Set(page).size).toBe(Math.min(size, 1335));
    }
  });
});

const idsOf = (answer: unknown) => (answer as { hits: { hits: { _id: string }[] } }).hits.hits.map(({ _id }) => _id);
