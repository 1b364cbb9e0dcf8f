import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { fairQueueFor } from '#database/pool-queue.js';
import { createPool } from '#database/pools.js';
import type { PlainJson } from '#json/json.js';
import { parseJson } from '#json/reader.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import type { Search } from '#records/record-index.js';
import { BodyGrammar } from '../search/oracle/body.js';
import { differences } from '../search/oracle/compare.js';
import { Dice } from '../search/oracle/dice.js';
import { devices, record, variables } from '../search/oracle/document.js';
import { mutated } from '../search/oracle/mutate.js';
import type { Plain } from '../search/oracle/plain.js';
import { run } from '../search/oracle/run.js';
import type { Ask } from '../search/oracle/shrink.js';
import { useWorld, worldNow } from '../search/world.js';
import { lines, reasonOf } from './argued.js';

const seeds = (process.env['DIFFERENTIAL_SEEDS'] ?? '1').split(',').map(Number);
const cases = Number(process.env['DIFFERENTIAL_CASES'] ?? 300);
/** Share of the queries that the test makes invalid. */
const wrong = Number(process.env['DIFFERENTIAL_WRONG'] ?? 0.2);
/** A file with one query per line, such as the output of an earlier run, to use instead of random queries. */
const given = process.env['DIFFERENTIAL_BODIES'];

const documents = new Dice(seeds[0]!);
const records = Array.from({ length: 300 }, (_, index) => record(documents, index));
const always = { gte: 946_684_800, lte: 4_102_444_800 };

/** Its records are in the journal and on the cluster. */
const world = useWorld({ products: { probe: variables }, devices, records, timeoutMs: 120_000 });

const page = readFileSync('docs/cluster.md', 'utf8');

describe('docs/cluster.md', () => {
  it.each(lines)('lists this difference between PostgreSQL and a cluster: %s', (name) => {
    expect(page).toContain(`| ${name} |`);
  });
});

describe('search on PostgreSQL and on a cluster', () => {
  let postgres: Search;
  let pool: ReturnType<typeof createPool>;
  let ids: string[];

  beforeAll(async () => {
    // Copies the records with identifiers and order into the tables of a service that keeps records in PostgreSQL.
    const copied = createPool(world.databaseUrl!);
    await copied.query(sql`
      select record_partition(ts, now()) from (select distinct date_trunc('day', ts) as ts from journal.record) moments`);
    await copied.query(sql`insert into public.record select * from journal.record`);
    await copied.end();
    pool = createPool(world.databaseUrl!, { pipeline: true });
    const clock = () => worldNow;
    postgres = createSearch({ pool, queue: fairQueueFor(pool), clock, timeoutMs: 120_000, rollups: false });
    const [first] = await ask(postgres, [{ size: 20, sort: [{ _doc: 'asc' }] }], true);
    ids = (first!['hits'] as { hits: { _id: string }[] }).hits.map(({ _id }) => _id);
    expect(ids).toHaveLength(20);
  }, 120_000);
  afterAll(() => pool?.end());

  /** Sends every other call through the Elasticsearch-compatible endpoint, which counts in milliseconds. */
  const ask = async (search: Search, bodies: readonly Plain[], millis: boolean): Promise<Plain[]> => {
    const queries = bodies.map((body) => ({ products: [], ...body }) as unknown as PlainJson);
    const prepared = millis
      ? search.prepareMulti(parseJson(JSON.stringify(bodies.flatMap((body) => [{}, body]))))
      : search.prepare(parseJson(JSON.stringify(always)), parseJson(JSON.stringify(queries)));
    const { organizationId, applicationId } = world;
    return (await prepared({ organizationId, applicationId })).responses as unknown as Plain[];
  };

  const compare =
    (millis: boolean): Ask =>
    async (bodies) => {
      const [mine, other] = await Promise.all([ask(world.search, bodies, millis), ask(postgres, bodies, millis)]);
      return bodies.map((body, at) => {
        const [ours, theirs] = [mine[at]!, other[at]!];
        if (reasonOf(ours, theirs) !== undefined)
          return { body, ours, theirs, different: [], skipped: 'argued' as const };
        return { body, ours, theirs, different: differences(body, ours, theirs) };
      });
    };

  it.each(seeds)(
    `returns the same answers to ${given ?? `${cases} random queries`} of seed %i`,
    async (seed) => {
      const dice = new Dice(seed);
      const grammar = new BodyGrammar(dice, ids);
      const left = given === undefined ? undefined : linesOf(given).values();
      const made = () => {
        const body = grammar.body();
        return dice.chance(wrong) ? mutated(dice, body) : body;
      };
      const found = await run({
        cases: given === undefined ? cases : linesOf(given).length,
        body: () => left?.next().value ?? made(),
        ask: compare,
        byKind: given === undefined,
        say: (line) => void process.stderr.write(`${line}\n`),
      });
      const shown = found.map(
        ({ body, different, count }) =>
          `${count} times: ${JSON.stringify(body)}\n  ${different.slice(0, 3).join('\n  ')}`,
      );
      expect(shown.join('\n')).toBe('');
    },
    10_800_000,
  );
});

function linesOf(file: string): Plain[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Plain);
}
