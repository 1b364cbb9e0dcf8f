import { dayMs } from '#common/time.js';
import { CopyRows } from '#records/postgres/log/copy.js';
import type { Block } from './block.js';
import type { BlockColumn, Cells } from './block-column.js';

/** Number and place of a block. */
export interface BlockPlace {
  block: number;
  /** Number of organization and product. */
  source: number;
  /** First UTC day, in days since 1970, and number of days. */
  day: number;
  days: number;
}

/** Rows of blocks in the binary form of COPY. */
export interface BlockRows {
  readonly target: string;
  readonly pieces: Buffer[];
}

/** Days from 1970-01-01 to 2000-01-01, from which PostgreSQL counts. */
const epochDays = Date.UTC(2000, 0, 1) / dayMs;

/** Returns the rows of blocks for each table, to be copied in one transaction. */
export const rowsOfBlocks = (blocks: readonly (BlockPlace & { content: Block })[]): BlockRows[] => {
  const [heads, columns, sums] = [new CopyRows(20), new CopyRows(18), new CopyRows(9)];
  for (const { content, ...place } of blocks) {
    addHead(heads.row(), place, content);
    for (const [col, column] of content.columns) addColumn(columns.row(), place.block, col, column);
    for (const { col, part, column } of content.sums) {
      sums.row().integer('int4', place.block).integer('int2', col).integer('char', part.charCodeAt(0));
      addCells(sums, column);
    }
  }
  return [
    { target: `record_block (${headColumns})`, pieces: heads.finish() },
    { target: `record_block_column (${columnColumns})`, pieces: columns.finish() },
    { target: 'record_block_sum (block, col, part, base, scale, v1, v2, v4, v8)', pieces: sums.finish() },
  ];
};

/** Columns of `record_block` in the order of {@link addHead}. */
export const headColumns =
  'block, source, day, days, n, lo, hi, came_lo, came_hi, devices, counts, t0, step, unit, seq0, seq_step, process, counter0, counter_step, seq_lo';

/** Columns of `record_block_column` in the order of {@link addColumn}. */
export const columnColumns = 'block, col, n, base, scale, v1, v2, v4, v8, dict, raw, same, sum, sq, lo, hi, vals, hits';

const addHead = (
  row: CopyRows,
  { block, source, day, days }: BlockPlace,
  { n, runs, arrivals, ts, seq, processes }: Block,
): void => {
  const devices = runs.map(({ device }) => device);
  row
    .integer('int4', block)
    .integer('int4', source)
    .integer('int4', day - epochDays)
    .integer('int2', days)
    .integer('int4', n)
    .integer('int4', devices[0]!)
    .integer('int4', devices.at(-1)!)
    .integer('int8', arrivals?.lowest)
    .integer('int8', arrivals?.highest)
    .integers('int4', devices)
    .integers(
      'int4',
      runs.map(({ count }) => count),
    )
    .integers('int8', ts.first)
    .integers('int8', ts.step)
    .integer('int4', ts.unit)
    .integers('int8', seq.first)
    .integers('int8', seq.step)
    .texts(processes?.bits)
    .integers('int8', processes?.counter)
    .numbers(processes?.step)
    .integer('int8', processes?.seqLowest);
};

const addColumn = (row: CopyRows, block: number, col: number, column: BlockColumn): void => {
  const { n, dict, raw, same, statistics, frequencies } = column;
  row.integer('int4', block).integer('int2', col).integer('int4', n);
  addCells(row, column);
  row.texts(dict).raw(raw).integer('int2', same);
  for (const name of ['sum', 'squares', 'lowest', 'highest'] as const) {
    if (statistics) row.number(statistics[name]);
    else row.nothing();
  }
  row.integers('int4', frequencies?.values).integers('int4', frequencies?.hits);
};

const addCells = (row: CopyRows, { base, scale, cells, absent }: BlockColumn): void => {
  const values = cells && withNulls(cells, absent);
  row
    .integer('int8', base)
    .integer('int2', scale)
    .integers('char', cells instanceof Int8Array ? values : undefined)
    .integers('int2', cells instanceof Int16Array ? values : undefined)
    .integers('int4', cells instanceof Int32Array ? values : undefined)
    .numbers(cells instanceof Float64Array ? values : undefined);
};

const withNulls = (cells: Cells, absent: Uint8Array | undefined): (number | null)[] =>
  Array.from(cells, (cell, index) => (absent?.[index] === 1 ? null : cell));
