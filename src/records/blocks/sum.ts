import { type BlockColumn, cellAt } from './block-column.js';
import type { PlainColumn } from './leaf-column.js';
import { encodeNumbers, powers } from './number-column.js';
import type { Run } from './run.js';
import { statesOf } from './state.js';

/**
 * Meaning of a {@link BlockSum}'s values. Of each run: `n` the number of its values, `s` their sum, `q` the sum of their
 * squares, `l` the lowest, `h` the highest, `f` the first, `t` the last, `i` the increase of a counter. Of each pair of
 * a run and a state that it has: `r` the run, from 0, `v` the state, `c` the number of values, `d` seconds.
 *
 * A state, and the first and last value of texts, are positions in the dictionary.
 */
export type SumPart = 'n' | 's' | 'q' | 'l' | 'h' | 'f' | 't' | 'i' | 'r' | 'v' | 'c' | 'd';

/** Sums of a column by run: one row of `record_block_sum`. A run without values has NULL, except that `n` is 0. */
export interface BlockSum {
  col: number;
  part: SumPart;
  column: BlockColumn;
}

/**
 * Minimum number of values that a sum must replace on average. Below it, the values are read. Sums of few values take
 * up to twice their space, but replace rows of `record_day` that take twenty times as much.
 */
const leastSummed = 2;

/**
 * Sums a column of slots by run.
 * @param plain the column's values
 * @param column its encoded form
 * @param times microseconds since 1970
 */
export const sumColumn = (
  plain: PlainColumn,
  column: BlockColumn,
  runs: readonly Run[],
  times: readonly number[],
): BlockSum[] => {
  const { col, isText } = plain;
  if (column.n < leastSummed * runs.length) return [];
  const sums = isText ? textSums(column, runs) : numberSums(column, runs);
  const states = statesOf(plain, column, runs, times);
  return Object.entries({ ...sums, ...states }).map(([part, values]) => ({
    col,
    part: part as SumPart,
    column: encodeNumbers(values),
  }));
};

type Values = (number | null)[];

/** First and last positions in the dictionary by run. Without a dictionary there are none. */
const textSums = (column: BlockColumn, runs: readonly Run[]): { [Part in SumPart]?: Values } => {
  const { base } = column;
  if (base === undefined || column.raw) return {};
  const sums = { n: [] as Values, f: [] as Values, t: [] as Values };
  for (const { from, count } of runs) {
    let n = 0;
    let first: number | null = null;
    let last: number | null = null;
    for (let index = from; index < from + count; index++) {
      const cell = cellAt(column, index);
      if (cell === null) continue;
      n++;
      last = base + cell;
      first ??= last;
    }
    sums.n.push(n);
    sums.f.push(first);
    sums.t.push(last);
  }
  return sums;
};

/**
 * Sums scaled integers where the column has them: their sum is exact, and needs fewer bytes than a sum of doubles, whose
 * last digits are noise.
 */
const numberSums = (column: BlockColumn, runs: readonly Run[]): { [Part in SumPart]?: Values } => {
  const { base = 0, scale = 0 } = column;
  const power = powers[scale]!;
  const square = power * power;
  const all = { n: [] as Values, s: [] as Values, q: [] as Values, l: [] as Values, h: [] as Values };
  const ends = { f: [] as Values, t: [] as Values };
  const increases: Values = [];
  let falls = 0;
  for (const { from, count } of runs) {
    const run = { n: 0, sum: 0, squares: 0, lowest: Number.POSITIVE_INFINITY, highest: Number.NEGATIVE_INFINITY };
    let first: number | null = null;
    let last: number | null = null;
    let increase = 0;
    for (let index = from; index < from + count; index++) {
      const cell = cellAt(column, index);
      if (cell === null) continue;
      const value = base + cell;
      run.n++;
      run.sum += value;
      run.squares += value * value;
      if (value < run.lowest) run.lowest = value;
      if (value > run.highest) run.highest = value;
      if (last !== null) {
        falls += Number(value < last);
        increase += value < last ? value : value - last;
      }
      last = value;
      first ??= value;
    }
    const or = (value: number): number | null => (run.n === 0 ? null : value);
    all.n.push(run.n);
    all.s.push(or(run.sum / power));
    all.q.push(or(run.squares / square));
    all.l.push(or(run.lowest / power));
    all.h.push(or(run.highest / power));
    ends.f.push(first === null ? null : first / power);
    ends.t.push(last === null ? null : last / power);
    increases.push(or(increase / power));
  }
  return { ...all, ...ends, ...(falls <= column.n / mostFalls && { i: increases }) };
};

/** A column that falls more often than at one in 64 values is no counter. */
const mostFalls = 64;
