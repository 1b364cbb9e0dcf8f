import { chain } from '#search/pace.js';
import { type FaultPosition, illegalArgument } from '#search/search-failure.js';
import { integer, type Read } from '#search/syntax/value.js';
import type { Node } from '../aggregation-node.js';
import { withText } from '../format.js';
import { type Across, finite, type Limits, printFor, putAnswer } from './across.js';
import { scriptText } from './bucket-script.js';
import { byTable, type PathOptions, pathPipeline } from './option.js';
import { valueAt } from './path.js';

/** A function of the values of the previous buckets. */
export interface MovingFn extends Node<'moving_fn'>, PathOptions {
  /** Number of buckets in the window, and its shift to the right. */
  readonly window: number;
  readonly shift: number;
  readonly script: string;
}

const windowOf: Read<number> = (input) => {
  const window = integer(input);
  if (window > 0) return window;
  throw illegalArgument('[window] must be a positive, non-zero integer.', input);
};

export const movingFn = pathPipeline(
  'moving_fn',
  { window: windowOf, shift: integer, script: scriptText },
  ({ window, shift, script }) => ({ window: window!, shift: shift ?? 0, script: script! }),
  byTable('buckets_path', 'script', 'window'),
);

export const movingFnOf = (pipeline: MovingFn, { pace, windowed }: Limits): Across => {
  const { name, path, zeros, window, shift, script, at } = pipeline;
  const apply = movingFunction(script, at);
  const print = printFor(pipeline);
  return (buckets) =>
    chain(
      pace.map(buckets, (bucket) => valueAt(bucket, path, zeros)),
      (values) => {
        const numbers = values.filter((value) => !Number.isNaN(value));
        windowed(numbers.length * Math.min(window, numbers.length), at);
        const clamp = (index: number) => Math.max(0, Math.min(numbers.length, index));
        let index = 0;
        return pace.map(buckets.entries(), ([bucketIndex, bucket]) => {
          if (Number.isNaN(values[bucketIndex]!)) return bucket;
          const result = apply(numbers.slice(clamp(index - window + shift), clamp(index + shift)));
          index += 1;
          return putAnswer(bucket, name, withText(finite(result), print));
        });
      },
    );
};

type Window = readonly number[];

const sum = (values: Window) => values.reduce((total, value) => total + value, 0);
const mean = (values: Window) => (values.length === 0 ? Number.NaN : sum(values) / values.length);
const functions: Readonly<Record<string, (values: Window, ...rest: number[]) => number>> = {
  max: (values) => (values.length === 0 ? Number.NaN : Math.max(...values)),
  min: (values) => (values.length === 0 ? Number.NaN : Math.min(...values)),
  sum,
  unweightedAvg: mean,
  stdDev: (values, around = mean(values)) =>
    values.length === 0 ? Number.NaN : Math.sqrt(mean(values.map((value) => (value - around) ** 2))),
  linearWeightedAvg: (values) => {
    if (values.length === 0) return Number.NaN;
    const weights = values.map((_, index) => index + 1);
    // The engines start the sum of weights at 1.
    return sum(values.map((value, index) => value * weights[index]!)) / (sum(weights) + 1);
  },
  ewma: (values, alpha = 0.3) =>
    values.length === 0 ? Number.NaN : values.reduce((average, value) => value * alpha + average * (1 - alpha)),
};

/** Removes surrounding blanks and a final semicolon from a script. */
const withoutEnd = (script: string): string => {
  const trimmed = script.trim();
  return trimmed.endsWith(';') ? trimmed.slice(0, -1).trimEnd() : trimmed;
};

/** Returns the function that a script of `moving_fn` names, such as `MovingFunctions.max(values)`. */
const movingFunction = (script: string, place: FaultPosition): ((values: Window) => number) => {
  const [, name = '', given = ''] =
    /^(?:return\s+)?MovingFunctions\.(\w+)\(\s*values\b([^]*)\)$/.exec(withoutEnd(script)) ?? [];
  const [blank = '', ...arguments_] = given.split(',');
  const rest = arguments_.join(',');
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const ownMean = /^\s*MovingFunctions\.unweightedAvg\(\s*values\s*\)\s*$/.test(rest);
  const numbers = ownMean || rest.trim() === '' ? [] : rest.split(',').map(Number);
  if (found === undefined || blank.trim() !== '' || numbers.some(Number.isNaN)) {
    throw illegalArgument(
      `[moving_fn] knows the scripts MovingFunctions.{${Object.keys(functions).join(', ')}}(values), but not [${script}]`,
      place,
    );
  }
  return (values) => found(values, ...numbers);
};
