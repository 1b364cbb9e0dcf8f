import { beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { fairQueueFor } from '#database/pool-queue.js';
import { locate, type PlainJson } from '#json/json.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import { freezeBlocks, makeBlocks } from './blocks.js';
import { BodyGrammar } from './oracle/body.js';
import { differences } from './oracle/compare.js';
import { Dice } from './oracle/dice.js';
import type { Plain } from './oracle/plain.js';
import { useTwoProducts } from './two-products.js';
import { type WorldRecord, worldNow } from './world.js';

const dice = new Dice(Number(process.env['ORACLE_SEED'] ?? 7));
const cases = Number(process.env['DIFFERENTIAL_CASES'] ?? 40);

const { world, records } = useTwoProducts(dice);
const spread = records.map(({ ts }) => ts).toSorted((a, b) => a - b);

const always = { gte: 946_684_800, lte: 4_102_444_800 };

interface Question {
  readonly body: Plain;
  readonly range: { readonly gte: number; readonly lte: number };
  readonly answer: Plain;
}

const asker = (options: { rollups: boolean; blocks: boolean }) => {
  const { pool, organizationId, applicationId } = world;
  const search = createSearch({
    pool,
    queue: fairQueueFor(pool),
    clock: () => worldNow,
    timeoutMs: 60_000,
    ...options,
  });
  return async (body: Plain, range: Question['range'] = always): Promise<Plain> => {
    const { responses } = await search.prepare(
      locate(range),
      locate([{ products: [], ...body }] as unknown as PlainJson),
    )({ organizationId, applicationId });
    const { took: _, ...answer } = responses[0] as unknown as Plain;
    return answer;
  };
};

const asked: Question[] = [];
/** Bodies whose hits are read page by page. */
const pages: { body: Plain; hits: unknown[] }[] = [];

const hitsOf = (answer: Plain): { _id: string; sort?: PlainJson }[] =>
  (answer['hits'] as { hits: { _id: string; sort?: PlainJson }[] }).hits;

const scrolled = async (ask: ReturnType<typeof asker>, body: Plain): Promise<unknown[]> => {
  const hits: unknown[] = [];
  let after: PlainJson | undefined;
  do {
    const page = hitsOf(await ask({ ...body, ...(after !== undefined && { search_after: after }) }));
    hits.push(...page);
    after = page.at(-1)?.sort;
  } while (after !== undefined && hits.length < 1000);
  return hits;
};

beforeAll(async () => {
  await makeBlocks(world.pool);
  const { rows } = await world.pool.query<{ last: string }>('select max(seq) as last from record');
  const times = [spread[3]!, spread[150]!, spread[151]! + 1, spread[250]!, spread[399]!];
  await world.store(
    times.flatMap((ts, index): WorldRecord[] => [
      { serial: '00', ts: ts + 7, data: { t: 5, k: 3, on: true, txt: 'late', n: index } },
      { serial: '100', ts: ts + 8, data: { t: index, txt: ['a', 'late'] }, metadata: { rssi: -1 } },
    ]),
  );
  const ask = asker({ rollups: false, blocks: false });
  const grammar = new BodyGrammar(
    dice,
    hitsOf(await ask({ size: 20 })).map(({ _id }) => _id),
  );
  for (let index = 0; index < cases; index++) {
    const body = grammar.body();
    const [gte, lte] = [dice.pick(...spread), dice.pick(...spread)].toSorted((a, b) => a - b) as [number, number];
    const range = index % 2 === 0 ? always : { gte, lte: dice.chance(0.5) ? lte : lte + 0.000_001 };
    asked.push({ body, range, answer: await ask(body, range) });
  }
  const named = {
    bool: { should: [{ term: { 'data.txt': { value: 'late', _name: 'l' } } }, { match_all: { _name: 'all' } }] },
  };
  for (const size of [60, 150])
    for (const sort of [
      [{ ts: 'desc' }],
      [{ ts: 'asc' }, { 'data.t': 'asc' }],
      [{ 'data.t': 'desc' }, { _id: 'asc' }],
      [{ 'metadata.rssi': { order: 'asc', missing: '_last' } }, { _doc: 'asc' }],
    ]) {
      const body = { size, sort, query: named, fields: ['data.*', 'ts'], _source: size === 60 };
      pages.push({ body, hits: await scrolled(ask, body) });
    }
  // Every third day keeps its rows.
  await freezeBlocks(world.pool, sql`r.seq <= ${rows[0]!.last}::int8 and extract(day from b.day)::int % 3 > 0`);
});

describe.each([
  { rollups: true, blocks: true },
  { rollups: false, blocks: true },
  { rollups: true, blocks: false },
  { rollups: false, blocks: false },
])('search with %p over days that only blocks hold', (options) => {
  it('returns what it returned from rows', async () => {
    const ask = asker(options);
    const wrong: string[] = [];
    for (const { body, range, answer } of asked) {
      const found = await ask(body, range);
      const lines = differences(body, found, answer);
      if (JSON.stringify(found['hits']) !== JSON.stringify(answer['hits']))
        lines.push(`${JSON.stringify(found['hits']).slice(0, 500)}\n  ${JSON.stringify(answer['hits']).slice(0, 500)}`);
      if (lines.length > 0)
        wrong.push(`${JSON.stringify(range)} ${JSON.stringify(body)}\n  ${lines.slice(0, 3).join('\n  ')}`);
    }
    expect(wrong.slice(0, 5).join('\n')).toBe('');
  });

  it('returns each hit once over pages', async () => {
    const ask = asker(options);
    for (const { body, hits } of pages) expect(await scrolled(ask, body)).toEqual(hits);
  });
});

it('finds hardly any rows of these days', async () => {
  const { rows } = await world.pool.query<{ days: number; rows: number }>(
    'select (select count(*)::int from record_blocked where alone) as days, (select count(*)::int from record) as rows',
  );
  expect(rows[0]!.days).toBeGreaterThan(5);
  expect(rows[0]!.rows).toBeLessThan(300);
});
