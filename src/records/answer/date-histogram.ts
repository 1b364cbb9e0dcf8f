import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { Answer } from '#search/aggregation/aggregation-answer.js';
import type { DateHistogramAggregation } from '#search/aggregation/date-histogram.js';
import type { Print } from '#search/aggregation/format.js';
import { fillGaps, requireInOrder, requireInside } from '#search/aggregation/histogram-gap.js';
import type { HistogramBounds } from '#search/aggregation/option/histogram-option.js';
import { requireLong } from '#search/aggregation/option/time-interval.js';
import { instantOfNumber } from '#search/date/date-format.js';
import type { DateReading } from '#search/date/date-input.js';
import type { Rounding } from '#search/date/rounding.js';
import type { Instant } from '#search/date/zone.js';
import { type Awaitable, chain } from '#search/pace.js';
import { dateOf } from '#search/query/value-of.js';
import type { Input } from '#search/syntax/input.js';
import { comparing, orderOf, type SortMetric } from './bucket-order.js';
import type { ChildrenIn, Counting } from './children.js';

/** Time buckets as a store found them. */
export interface FoundTimes<B, M> {
  readonly reading: DateReading;
  readonly rounding: Rounding;
  readonly print: NonNullable<Print>;
  readonly children: ChildrenIn<B, M>;
  readonly count: (bucket: B) => number;
  /** Returns the buckets with records inside another bucket, with the beginning of each. */
  found(around: B): { bucket: B; key: Instant }[];
  /** Bucket without records. */
  readonly gap: B;
}

type At = { readonly start: Instant };

/**
 * Creates the reader of a `date_histogram`'s answer, which applies empty buckets, bounds and order. Invalid bounds
 * throw immediately.
 */
export const dateHistogramAnswer = <B extends object, M extends SortMetric<B>>(
  aggregation: WithChildren<DateHistogramAggregation>,
  { reading, rounding, print, children, count, found: foundIn, gap }: FoundTimes<B, M>,
  counting: Pick<Counting, 'made' | 'pace'>,
): ((around: B) => Awaitable<Answer>) => {
  const { at, keyed, minDocCount, offset: shift } = aggregation;
  const order = orderOf(aggregation.order, children);
  // Bounds are rounded without the offset. Only `extended_bounds` are shifted by it.
  const rounded = (instant: Instant | undefined, by: number) =>
    instant === undefined ? undefined : rounding.round(instant + shift) - shift + by;
  const given = instants(aggregation.hardBounds, reading);
  const extended = instants(aggregation.extendedBounds, reading);
  requireInOrder('extended_bounds', extended, at);
  requireInOrder('hard_bounds', given, at);
  requireInside(extended, given, at, (bound) => rounded(bound, 0)!);
  const hard = { min: rounded(given.min, 0), max: rounded(given.max, 0) };
  const bounds = minDocCount > 0 ? {} : { min: rounded(extended.min, shift), max: rounded(extended.max, shift) };
  const inBounds = (start: Instant) =>
    (hard.min === undefined || start >= hard.min) && (hard.max === undefined || start < hard.max);

  const made = (around: B): Awaitable<(B & At)[]> => {
    const found = foundIn(around)
      .filter(({ key, bucket }) => inBounds(key) && count(bucket) >= minDocCount)
      .sort((a, b) => a.key - b.key);
    const one = () => counting.made(1);
    if (minDocCount > 0) return found.map(({ bucket, key }) => (one(), { ...bucket, start: key }));
    return counting.pace.map(fillGaps(found, rounding.next, bounds, one), ({ key, bucket }) => ({
      ...(bucket ?? gap),
      start: key,
    }));
  };
  const head = (bucket: B & At): Answer => ({
    key_as_string: print(bucket.start),
    key: bucket.start,
    doc_count: count(bucket),
  });
  return (around) => {
    const read = chain(made(around), (buckets) => {
      if (aggregation.order.length > 0)
        buckets.sort(comparing(order, count, (a: B & At, b: B & At) => a.start - b.start));
      return children.readAll(buckets, (bucket) => [head(bucket), bucket]);
    });
    return chain(read, (answers) => ({
      buckets: keyed
        ? Object.fromEntries<Answer>(answers.map((answer) => [answer['key_as_string'] as string, answer]))
        : answers,
    }));
  };
};

interface Ends {
  readonly min?: Instant;
  readonly max?: Instant;
}

const instants = (bounds: HistogramBounds | undefined, reading: DateReading): Ends => ({
  ...(bounds?.min && { min: instantOf(bounds.min, reading) }),
  ...(bounds?.max && { max: instantOf(bounds.max, reading) }),
});

/** Parses a bound. A number is an instant whatever the format; texts follow the format. */
const instantOf = (input: Input, reading: DateReading): Instant => {
  requireLong(input);
  return input.node.kind === 'number' ? instantOfNumber(Number(input.node.text)) : dateOf(input, false, reading);
};
