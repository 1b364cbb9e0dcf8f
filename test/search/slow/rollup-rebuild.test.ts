import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { daySeconds } from '#common/time.js';
import { createPool } from '#database/pools.js';
import type { PlainJson } from '#json/json.js';
import { retire } from '#records/postgres/upkeep/retention.js';
import { useDatabase } from '../../support/database.js';
import { openTestRecords, type TestRecords } from '../../support/records.js';
import { setRollupRule } from '../../support/rollup-rule.js';
import { History, kinds, now, type Step, start, upkeep } from '../history.js';
import { aggregationsOf, askWith, expectClose, expectRanked, rollUpAll } from '../rolled.js';
import { kept, missingAndExtra, rollupTables } from '../rollup-table.js';
import { type World, worldNow } from '../world.js';

const database = useDatabase();
let pool: Pool;
let records: TestRecords;
beforeAll(async () => {
  pool = createPool(database.url, { pipeline: true });
  records = await openTestRecords(database.url, { clock: () => worldNow, timeoutMs: 30_000 });
});
afterAll(async () => {
  await records.close();
  await pool.end();
});

const metrics = { s: { extended_stats: { field: 'data.t' } }, n: { value_count: { field: 'data.label' } } };
/** Aggregations whose answers must equal those from the records. */
const questions: { [key: string]: PlainJson }[] = [
  { q: { terms: { field: 'data.state' }, aggs: metrics } },
  { q: { terms: { field: 'data.on' }, aggs: { s: { avg: { field: 'data.u' } } } } },
  {
    q: {
      filters: { filters: { a: { term: { 'data.state': 'ok' } }, b: { exists: { field: 'data.state' } } } },
      aggs: metrics,
    },
  },
  {
    q: {
      composite: {
        size: 50,
        sources: [{ d: { terms: { field: 'device.id' } } }, { s: { terms: { field: 'data.state' } } }],
      },
    },
  },
  { q: { date_histogram: { field: 'ts', calendar_interval: '1d' }, aggs: metrics } },
  { q: { date_histogram: { field: 'ts', fixed_interval: '6h' }, aggs: { u: { stats: { field: 'data.u' } } } } },
  { q: { terms: { field: 'device.id' }, aggs: metrics } },
  {
    t: { cardinality: { field: 'data.t' } },
    l: { cardinality: { field: 'data.label' } },
    u: { cardinality: { field: 'data.u' } },
  },
  {
    q: {
      date_histogram: { field: 'ts', calendar_interval: '1d' },
      aggs: { l: { cardinality: { field: 'data.label' } } },
    },
  },
];
/** Aggregations on the variable whose type changes. They name one product, since products must agree on a type. */
const retyped: typeof questions = [
  { v: { value_count: { field: 'data.v' } }, c: { cardinality: { field: 'data.v' } } },
  { q: { terms: { field: 'device.id' }, aggs: { v: { value_count: { field: 'data.v' } } } } },
];
const whole = { gte: start, lte: now };
/** A range of whole weeks and of some days around them. */
const weeks = { gte: start + 3.5 * daySeconds, lte: start + 19.5 * daySeconds };

const expectSameAnswers = async (
  world: World,
  some: typeof questions,
  range: PlainJson,
  named: string[],
): Promise<void> => {
  const ask = async (rollups: boolean, aggs: PlainJson) =>
    aggregationsOf(await askWith(world, { rollups }, { products: named, size: 0, aggs }, range));
  for (const aggs of some) expectClose(await ask(true, aggs), await ask(false, aggs));
  const field = 'data.t';
  const { p } = (await ask(true, { p: { percentiles: { field } } })) as { p: { values: Record<string, number> } };
  await expectRanked((aggs) => ask(false, aggs), field, p.values);
};

const expectMadeFromScratch = async (): Promise<void> => {
  const made = await kept(pool);
  expect(made.outOfDate).toEqual([]);
  await pool.query(`truncate ${rollupTables.join(', ')}`);
  await pool.query(`
    insert into record_dirty (organization_id, product_id, hour)
    select distinct organization_id, product_id, date_trunc('hour', ts, 'UTC') from record`);
  await rollUpAll(pool);
  expect(missingAndExtra(made, await kept(pool))).toEqual({ missing: [], extra: [] });
};

describe('rollups of changing records', () => {
  it("equals rollups made from scratch and the records' own answers after any sequence of changes", async () => {
    const step = fc.tuple(fc.constantFrom(...kinds), fc.nat(999), fc.nat(999), fc.boolean());
    const rule = fc.constantFrom<[hour: number, day: number]>([0, 0], [12, 192], [12, 60], [1000, 5]);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), rule, async (steps: readonly Step[], least) => {
        await setRollupRule(pool, ...least);
        await pool.query(`truncate record, record_dirty, record_retention, ${rollupTables.join(', ')}`);
        const history = await History.begin(pool, records);
        const { world } = history;
        await rollUpAll(pool);
        for (const [kind, a, b, besideUpkeep] of steps) {
          // When retention runs beside upkeep, the rollups are right only after the next retention.
          await Promise.all([history[kind](a, b), besideUpkeep && kind !== 'expire' && upkeep(pool)]);
          await expectSameAnswers(world, [questions[a % questions.length]!], whole, []);
        }
        await retire(pool, new Date(worldNow), () => false);
        await rollUpAll(pool);
        for (const range of [whole, weeks]) {
          await expectSameAnswers(world, questions, range, []);
          await expectSameAnswers(world, [...questions, ...retyped], range, [world.productIds['first']!]);
        }
        await expectMadeFromScratch();
      }),
      {
        numRuns: 4,
        examples: [
          [kinds.map((kind, index): Step => [kind, 7 * index + 3, 11 * index + 5, index % 2 === 0]), [12, 60]],
        ],
      },
    );
  }, 240_000);
});
