import type { BlockColumn } from './block-column.js';
import { decodeNumbers, encodeIntegers } from './number-column.js';
import type { Run } from './run.js';

/**
 * Integers as residuals from a straight line for each run: the value of record i of a run, from 0, is
 * `first + i * step + unit * residual`.
 */
export interface Lines {
  /** The first value of each run. */
  first: number[];
  step: number[];
  unit: number;
  residuals: BlockColumn;
}

/**
 * Encodes integers as residuals from lines.
 * @param units possible units, the largest first, the last of which is 1
 */
export const encodeLines = (values: readonly number[], runs: readonly Run[], units: readonly number[]): Lines => {
  const unit = units.find((each) => values.every((value) => value % each === 0)) ?? 1;
  const lines = runs.map((run) => lineOf(values, run, unit));
  const residuals: number[] = [];
  for (const [index, { from, count }] of runs.entries()) {
    const { first, step } = lines[index]!;
    for (let i = 0; i < count; i++) residuals.push((values[from + i]! - first - i * step) / unit);
  }
  return {
    first: lines.map(({ first }) => first),
    step: lines.map(({ step }) => step),
    unit,
    residuals: encodeIntegers(residuals),
  };
};

/** Chooses between the line to the last value and the one by the median step, which gaps do not bend. */
const lineOf = (values: readonly number[], { from, count }: Run, unit: number): { first: number; step: number } => {
  const first = values[from]!;
  if (count === 1) return { first, step: 0 };
  const steps = Float64Array.from({ length: count - 1 }, (_, i) => values[from + i + 1]! - values[from + i]!).sort();
  const last = values[from + count - 1]!;
  const candidates = [steps[Math.floor(steps.length / 2)]!, Math.round((last - first) / (count - 1) / unit) * unit];
  const [step] = candidates
    .map((step) => {
      let [lowest, highest] = [0, 0];
      for (let i = 1; i < count; i++) {
        const residual = values[from + i]! - first - i * step;
        if (residual < lowest) lowest = residual;
        if (residual > highest) highest = residual;
      }
      return { step, spread: highest - lowest };
    })
    .sort((a, b) => a.spread - b.spread);
  return { first, step: step!.step };
};

/** Returns the integers of encoded lines. */
export const decodeLines = ({ first, step, unit, residuals }: Lines, runs: readonly Run[]): number[] => {
  const length = runs.reduce((sum, { count }) => sum + count, 0);
  const decoded = decodeNumbers(residuals, length);
  for (const [index, { from, count }] of runs.entries())
    for (let i = 0; i < count; i++) decoded[from + i] = first[index]! + i * step[index]! + unit * decoded[from + i]!;
  return decoded as number[];
};
