import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { fairQueueFor } from '#database/pool-queue.js';
import { locate, type PlainJson } from '#json/json.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import { makeBlocks } from './blocks.js';
import { BodyGrammar } from './oracle/body.js';
import { differences } from './oracle/compare.js';
import { Dice } from './oracle/dice.js';
import type { Plain } from './oracle/plain.js';
import { useTwoProducts } from './two-products.js';
import { worldNow } from './world.js';

const dice = new Dice(Number(process.env['ORACLE_SEED'] ?? 7));
const cases = Number(process.env['DIFFERENTIAL_CASES'] ?? 300);

const { world } = useTwoProducts(dice);

const searchWith = (blocks: boolean) => {
  const search = createSearch({
    pool: world.pool,
    queue: fairQueueFor(world.pool),
    clock: () => worldNow,
    timeoutMs: 60_000,
    rollups: false,
    blocks,
  });
  const { organizationId, applicationId } = world;
  return async (bodies: readonly Plain[]) =>
    (
      await search.prepare(
        locate({ gte: 946_684_800, lte: 4_102_444_800 }),
        locate(bodies.map((body) => ({ products: [], ...body })) as unknown as PlainJson),
      )({ organizationId, applicationId })
    ).responses as unknown as Plain[];
};

/** Number of statements that read blocks. */
let statements = 0;
const { query: send } = pg.Client.prototype;
const counting = function (this: pg.Client, ...args: unknown[]): unknown {
  const [first] = args as [string | { text?: string }];
  if ((typeof first === 'string' ? first : first.text)?.includes('join record_block b')) statements++;
  return Reflect.apply(send, this, args);
};
afterAll(() => {
  pg.Client.prototype.query = send;
});

beforeAll(async () => {
  pg.Client.prototype.query = counting as typeof send;
  await makeBlocks(world.pool);
  await world.store([
    { serial: '00', ts: Date.UTC(2026, 9, 4, 5) / 1000, data: { t: 5, k: 3, on: true, txt: 'late' } },
  ]);
});

describe('random searches over blocks', () => {
  it('returns the same answers as from rows', async () => {
    const [stored] = await searchWith(false)([{ size: 20 }]);
    const ids = (stored!['hits'] as { hits: { _id: string }[] }).hits.map(({ _id }) => _id);
    const grammar = new BodyGrammar(dice, ids);
    const wrong: string[] = [];
    let [aggregated, fromBlocks] = [0, 0];
    for (let done = 0; done < cases; done += 50) {
      const bodies = Array.from({ length: 50 }, () => grammar.body());
      const theirs = await searchWith(false)(bodies);
      const ours: Plain[] = [];
      for (const body of bodies) {
        const before = statements;
        ours.push(...(await searchWith(true)([body])));
        if (ours.at(-1)!['status'] === 200 && ('aggs' in body || 'aggregations' in body)) aggregated++;
        if (statements > before) fromBlocks++;
      }
      for (const [index, body] of bodies.entries()) {
        const different = differences(body, ours[index]!, theirs[index]!);
        if (different.length > 0) wrong.push(`${JSON.stringify(body)}\n  ${different.slice(0, 3).join('\n  ')}`);
      }
    }
    expect(wrong.slice(0, 5).join('\n')).toBe('');
    expect(fromBlocks).toBeGreaterThan(0.9 * aggregated);
  });
});

describe('source of search aggregations', () => {
  it('reads blocks of days that are current, and records of stale ones', async () => {
    const count = { n: { value_count: { field: 'data.t' } } };
    const counted = async (blocks: boolean, query?: Plain) => {
      const [answer] = await searchWith(blocks)([
        { products: [world.productIds['probe']!], size: 0, aggs: count, ...(query && { query }) },
      ]);
      return (answer!['aggregations'] as { n: { value: number } }).n.value;
    };
    const stale: Plain = { range: { ts: { gte: '2026-10-04', lt: '2026-10-05' } } };
    const [all, ofStale] = [await counted(false), await counted(false, stale)];
    expect(await counted(true)).toBe(all);
    await world.pool.query('delete from record_block');
    expect(await counted(true, stale)).toBe(ofStale);
    const left = await counted(true);
    expect(left).toBeGreaterThanOrEqual(ofStale);
    expect(left).toBeLessThan(all);
  });
});
