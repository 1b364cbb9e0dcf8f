import { durationOf } from '../../syntax/duration.js';
import { type Read, text } from '../../syntax/value.js';
import type { Answer } from '../answer.js';
import { type Print, withText } from '../format.js';
import { calendarMillis } from '../interval.js';
import type { Node } from '../node.js';
import { type Across, finite, type Limits, printFor, put } from './across.js';
import { type PathOptions, pathPipeline } from './option.js';
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
      return put(bucket, name, {
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
