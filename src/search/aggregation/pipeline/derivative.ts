import { parsing } from '#search/search-failure.js';
import { durationOf } from '#search/syntax/duration.js';
import { integer, kindOf, type Read, text } from '#search/syntax/value.js';
import type { Answer } from '../aggregation-answer.js';
import type { Node } from '../aggregation-node.js';
import { type Print, withText } from '../format.js';
import { calendarMillis } from '../interval.js';
import { type Across, finite, type Limits, printFor, putAnswer } from './across.js';
import { byTable, nothingMore, type PathOptions, pathPipeline } from './option.js';
import { isAbsent, valueAt } from './path.js';

/** The change of a value from bucket to bucket, and optionally its change per unit of time. */
export interface Derivative extends Node<'derivative'>, PathOptions {
  readonly unitMillis?: number;
}

const unitOf: Read<number> = (at) => calendarMillis(text(at)) ?? durationOf(text(at), at);

export const derivative = pathPipeline('derivative', { unit: unitOf }, ({ unit }) =>
  unit === undefined ? {} : { unitMillis: unit },
);

export const derivativeOf = (pipeline: Derivative, { pace }: Limits): Across => {
  const { name, path, zeros, unitMillis } = pipeline;
  const print = printFor(pipeline);
  return (buckets) =>
    pace.map(buckets.entries(), ([index, bucket]) => {
      const before = buckets[index - 1];
      const value = valueAt(bucket, path, zeros);
      if (before === undefined || isAbsent(before, path) || isAbsent(bucket, path)) return bucket;
      const change = value - valueAt(before, path, zeros);
      const units = (Number(bucket['key']) - Number(before['key'])) / (unitMillis ?? 1);
      return putAnswer(bucket, name, {
        ...withText(finite(change), print),
        // If another order put a later bucket before an earlier one, there is no change per unit of time.
        ...(unitMillis !== undefined && units > 0 && normalized(finite(change / units), print)),
      });
    });
};

const normalized = (value: number | null, print: Print): Answer => ({
  normalized_value: value,
  ...(value !== null && print !== undefined && { normalized_value_as_string: print(value) }),
});

/** The difference of a value from that of an earlier bucket. */
export interface SerialDiff extends Node<'serial_diff'>, PathOptions {
  readonly lag: number;
}

const lagOf: Read<number> = (input) => {
  if (input.node.kind !== 'number') throw parsing(`Unknown key for a ${kindOf(input)} in [${input.key}]`, input);
  const lag = integer(input);
  if (lag <= 0) throw parsing(`Lag must be a positive, non-zero integer.  Value supplied was${lag}`, input);
  return lag;
};

export const serialDiff = pathPipeline('serial_diff', { lag: lagOf }, ({ lag }) => ({ lag: lag ?? 1 }));

export const serialDiffOf = (pipeline: SerialDiff, { pace }: Limits): Across => {
  const { name, path, zeros, lag } = pipeline;
  const print = printFor(pipeline);
  return (buckets) =>
    pace.map(buckets.entries(), ([index, bucket]) => {
      const before = buckets[index - lag];
      const value = valueAt(bucket, path, zeros);
      const change = before === undefined ? Number.NaN : value - valueAt(before, path, zeros);
      return Number.isNaN(change) ? bucket : putAnswer(bucket, name, withText(change, print));
    });
};

/** The sum of a value over all buckets so far. */
export interface CumulativeSum extends Node<'cumulative_sum'>, PathOptions {}

export const cumulativeSum = pathPipeline('cumulative_sum', {}, nothingMore, byTable('buckets_path'));

export const cumulativeSumOf = (pipeline: CumulativeSum, { pace }: Limits): Across => {
  const print = printFor(pipeline);
  return (buckets) => {
    let sum = 0;
    return pace.map(buckets, (bucket) => {
      const value = valueAt(bucket, pipeline.path, pipeline.zeros);
      if (Number.isFinite(value)) sum += value;
      return putAnswer(bucket, pipeline.name, withText(sum, print));
    });
  };
};
