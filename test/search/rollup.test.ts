import { beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { setRollupRule } from '../support/rollup-rule.js';
import { aggregationsOf, askWith, noise } from './rolled.js';
import { useWorld, worldNow } from './world.js';

const days = 6;
const start = worldNow / 1000 - days * 24 * 3600;
const serials = ['a1', 'a2', 'b1', 'b2'];
const recordOf = (index: number) => ({
  serial: serials[index % 4]!,
  ts: Math.round((start + noise(index) * days * 24 * 3600) * 1e6) / 1e6,
  data: {
    ...(index % 5 === 0 ? {} : { t: noise(index + 0.5) * 1e4 - 5e3 }),
    ...(index % 2 === 0 ? { on: index % 4 === 0 } : {}),
    ...(index % 7 === 0 ? { n: index } : {}),
    ...(index % 11 === 0 ? { t: 'broken' } : {}),
  },
});

const t = { name: 't', type: VariableType.FLOAT32 };
const on = { name: 'on', type: VariableType.BOOL };
const n = { name: 'n', type: VariableType.INT64 };
const world = useWorld({
  products: { first: [t, on, n], second: [n, on, t] },
  devices: [
    { serial: 'a1', product: 'first' },
    { serial: 'a2', product: 'first' },
    { serial: 'b1', product: 'second' },
    // Only a part of this product's records belongs to the application.
    { serial: 'b2', product: 'second', linked: false },
  ],
  records: Array.from({ length: 1500 }, (_, index) => recordOf(index)),
});

beforeAll(async () => {
  const later = new Date(Date.now() + 48 * 3600e3);
  await setRollupRule(world.pool, 0, 0);
  while ((await rollUp(world.pool, later)) > 0);
  while ((await rollUpDays(world.pool, later)) > 0);
  // Stores late data, whose hours are rolled up again while their days stay stale.
  await world.store(Array.from({ length: 3 }, (_, index) => recordOf(4000 + index)));
  while ((await rollUp(world.pool, later)) > 0);
  // Stores late data, whose hours stay stale; for the first product only the current hours.
  const late = Array.from({ length: 20 }, (_, index) => recordOf(5000 + index));
  const underWay = { ts: worldNow / 1000 - 3600 };
  await world.store(late.map((record) => (record.serial.startsWith('a') ? { ...record, ...underWay } : record)));
});

const ask = (rollups: boolean, query: PlainJson, range: PlainJson) => askWith(world, { rollups }, query, range);

describe('source of search aggregations', () => {
  it('reads rollups when they are current, and records when they are stale or rollups are off', async () => {
    const { pool, organizationId, productIds } = world;
    const dirty = await pool.query(sql`select from record_dirty where organization_id = ${organizationId}`);
    expect(dirty.rowCount).toBeGreaterThan(0);
    const count = { n: { value_count: { field: 'data.t' } } };
    const range = { gte: start, lte: start + days * 24 * 3600 };
    const answer = async (rollups: boolean, products: PlainJson) =>
      (aggregationsOf(await ask(rollups, { products, size: 0, aggs: count }, range)) as { n: { value: number } }).n
        .value;
    const [together, oneByOne] = [[productIds['first']!], [productIds['second']!]];
    const truth = [await answer(false, together), await answer(false, oneByOne)] as const;
    await pool.query(sql`delete from record_total where organization_id = ${organizationId}`);
    expect(await answer(true, oneByOne)).toBe(truth[1]);
    await pool.query(sql`delete from record_rollup where organization_id = ${organizationId}`);
    const byDay = await answer(true, oneByOne);
    await pool.query(sql`delete from record_day where organization_id = ${organizationId}`);
    expect(byDay).toBeGreaterThan(await answer(true, oneByOne));
    for (const [index, products] of [together, oneByOne].entries()) {
      const left = await answer(true, products);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(truth[index]!);
      expect(await answer(false, products)).toBe(truth[index]);
    }
  });
});
