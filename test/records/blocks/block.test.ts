import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';
import { createPool } from '#database/pools.js';
import { fixedColumns, PathNumbers } from '#records/blocks/column-number.js';
import { encodeBlock } from '#records/blocks/encode-block.js';
import type { StoredRow } from '#records/blocks/stored-row.js';
import { writeBlock } from '#records/postgres/blocks/block-store.js';
import { useDatabase } from '../../support/database.js';
import { arbitraryRows } from './arbitrary-row.js';
import { dayStart, fleetRows } from './fleet-rows.js';
import { createStored, expectSame } from './round-trip.js';

const database = useDatabase();
let pool: pg.Pool;
let client: pg.PoolClient;

beforeAll(async () => {
  pool = createPool(database.url);
  client = await pool.connect();
  await createStored(client);
});

afterAll(async () => {
  client.release();
  await pool.end();
});

const [typical] = fleetRows({ devices: 1, perDevice: 1 }) as [StoredRow];

/** Rows that are typical but for some properties. */
const rowsWith = (count: number, change: (index: number) => Partial<StoredRow>): StoredRow[] =>
  Array.from({ length: count }, (_, index) => ({ ...typical, ts: dayStart + index, ...change(index) }));

const manyNames = (index: number): string =>
  `{${Array.from({ length: 600 }, (_, name) => `"${index}-${name}": 1`).join(', ')}}`;

describe('block of records', () => {
  it('restores any records, byte for byte, through PostgreSQL', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRows(40), (rows) => expectSame(client, rows)),
      { numRuns: 25, seed: 53 },
    );
  });

  it('restores the records of a fleet', () => expectSame(client, fleetRows({ devices: 20, perDevice: 24 })));

  it.each<[name: string, rows: StoredRow[]]>([
    ['a text of 1 MB', rowsWith(2, (index) => ({ data: JSON.stringify({ a: `${index}${'é"\n'.repeat(200_000)}` }) }))],
    ['more shapes than a block keeps', rowsWith(200, (index) => ({ data: `{"k${index}": ${index}}` }))],
    ['more names than a block has columns', rowsWith(4, (index) => ({ data: manyNames(index) }))],
    [
      'a list of any length',
      rowsWith(30, (index) => ({ metadata: `{"a": [${Array(index).fill('1.50').join(', ')}]}` })),
    ],
    ['an array without values', rowsWith(4, () => ({ numbers: [], texts: [null, null], ignored: [] }))],
    ['identifiers of another version', rowsWith(4, (index) => ({ id: `${index}`.repeat(32) }))],
    ['one record', rowsWith(1, () => ({}))],
  ])('restores %s', (_, rows) => expectSame(client, rows));
});

describe('SQL over a block', () => {
  const rows = fleetRows({ devices: 30, perDevice: 96 });

  beforeAll(async () => {
    const content = encodeBlock(rows, { paths: new PathNumbers() });
    await writeBlock(client, { block: 1, source: 1, day: dayStart / 86_400e6, days: 1 }, content);
  });

  /** Returns the values that a statement yields, in their order. */
  const valuesOf = async (query: string): Promise<unknown[]> =>
    (await client.query<{ value: unknown }>(query)).rows.map(({ value }) => value);

  it('decodes each number exactly', async () => {
    const query = (col: number) => `
      select (base + v)::float8 / (10 ^ scale)::float8 as value
      from record_block_column, unnest(v1::int[], v2::int[], v4) with ordinality u (a, b, c, i), coalesce(a, b, c) v
      where col = ${col} order by i`;
    expect(await valuesOf(query(1))).toEqual(rows.map(({ numbers }) => numbers![0]));
    expect(await valuesOf(query(2))).toEqual(rows.map(({ numbers }) => numbers![1]));
  });

  it('sums decoded numbers as their rows do', async () => {
    const [sum] = await valuesOf(`
      select sum((select sum(base + v) from unnest(v2) v)) / 10 ^ max(scale) as value from record_block_column where col = 1`);
    expect(Number(sum)).toBeCloseTo(sumOf(rows, 0), 6);
  });

  it('decodes texts by their dictionary', async () => {
    const query = `select dict[base + v::int + 1] as value from record_block_column, unnest(v1) with ordinality u (v, i) where col = -1 order by i`;
    expect(await valuesOf(query)).toEqual(rows.map(({ texts }) => texts![0]));
  });

  it.each([
    ['times', 't0', 'step', 'unit', fixedColumns.ts, rows.map(({ ts }) => ts)],
    ['the order of storing', 'seq0', 'seq_step', '1', fixedColumns.seq, rows.map(({ seq }) => seq)],
  ])('decodes %s by the lines of runs', async (_, first, step, unit, col, expected) => {
    const values = await valuesOf(`
      with residual as (
        select i, base + coalesce(a, b, c) as v
        from record_block_column, unnest(v1::int[], v2::int[], v4) with ordinality u (a, b, c, i) where col = ${col}
      ), line as (
        select row_number() over () as i, first + place * step as value, unit
        from (select unnest(${first}) as first, unnest(${step}) as step, unnest(counts) as count, ${unit} as unit from record_block) r
        cross join lateral generate_series(0, count - 1) place
      )
      select (value + unit * v)::float8 as value from line join residual using (i) order by i`);
    expect(values).toEqual(expected);
  });
});

const sumOf = (rows: readonly StoredRow[], slot: number): number =>
  rows.reduce((sum, { numbers }) => sum + numbers![slot]!, 0);
