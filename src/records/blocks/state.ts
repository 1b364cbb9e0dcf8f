import { type BlockColumn, cellAt } from './block-column.js';
import type { PlainColumn } from './leaf-column.js';
import type { Run } from './run.js';

/** Pairs of a run and a state that it has, as arrays of the same length. */
export interface States {
  /** Index of the run. */
  r: number[];
  /** Position in the dictionary, or 0 and 1. */
  v: number[];
  /** Number of values. */
  c: number[];
  /**
   * Seconds in the state: from each value to the next one of the run. What follows the last value is not counted: it
   * ends in another run.
   */
  d: number[];
}

/** Number of values that a pair must replace on average. */
const leastReplaced = 16;

/** Sums up how long each run is in each state. Undefined if the column has no states: only booleans and texts do. */
export const statesOf = (
  { isText }: PlainColumn,
  column: BlockColumn,
  runs: readonly Run[],
  times: readonly number[],
): States | undefined => {
  const { base } = column;
  if (base === undefined || column.raw || !(isText || isBoolean(column))) return undefined;
  const states: States = { r: [], v: [], c: [], d: [] };
  for (const [r, { from, count }] of runs.entries()) {
    const places = new Map<number, number>();
    let since: { place: number; time: number } | undefined;
    for (let index = from; index < from + count; index++) {
      const cell = cellAt(column, index);
      if (cell === null) continue;
      if (since) states.d[since.place]! += times[index]! - since.time;
      let place = places.get(cell);
      if (place === undefined) {
        place = states.r.length;
        places.set(cell, place);
        states.r.push(r);
        states.v.push(base + cell);
        states.c.push(0);
        states.d.push(0);
        if (states.r.length > column.n / leastReplaced) return undefined;
      }
      states.c[place]!++;
      since = { place, time: times[index]! };
    }
  }
  return { ...states, d: states.d.map((microseconds) => microseconds / 1e6) };
};

/** Whether all values are 0 or 1, which variables of type BOOL have. */
const isBoolean = ({ base, scale, cells, absent }: BlockColumn): boolean =>
  scale === 0 &&
  (cells ?? [0]).every((cell, index) => absent?.[index] === 1 || base! + cell === 0 || base! + cell === 1);
