import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../../search/aggregation/answer.js';
import type { DateHistogramAggregation } from '../../../../search/aggregation/date-histogram.js';
import { printOf } from '../../../../search/aggregation/format.js';
import { fillGaps, requireInOrder, requireInside } from '../../../../search/aggregation/histogram-gap.js';
import { calendarInterval, fixedInterval } from '../../../../search/aggregation/interval.js';
import type { HistogramBounds } from '../../../../search/aggregation/option/histogram.js';
import { offsetOf, requireLong } from '../../../../search/aggregation/option/time-interval.js';
import { instantOfNumber } from '../../../../search/date/date-format.js';
import type { DateReading } from '../../../../search/date/date-input.js';
import { type Instant, utc, type Zone } from '../../../../search/date/zone.js';
import { type Awaitable, chain } from '../../../../search/pace.js';
import { dateReading } from '../../../../search/query/binding.js';
import { dateOf } from '../../../../search/query/value-of.js';
import type { Input } from '../../../../search/syntax/input.js';
import type { StoredField } from '../sql/stored-field.js';
import { type Bucket, gap } from './bucket/bucket.js';
import { type DateBuckets, dateBuckets } from './bucket/date-bucket.js';
import { comparing, orderOf } from './bucket/order.js';
import type { Planned, Stage } from './bucket/stage.js';
import { fieldOrMissing } from './value/missing-value.js';
import { unsupported } from './value/number-of.js';

interface TimeBucket extends Bucket {
  readonly start: Instant;
}

/** One bucket for each stretch of time, empty ones between them included. */
export const dateHistogram = (aggregation: WithChildren<DateHistogramAggregation>, stage: Stage): Planned => {
  const { at, format, keyed, minDocCount } = aggregation;
  const { planning } = stage;
  const reading = dateReading(planning.now, format, aggregation.timeZone);
  const zone = reading.zone ?? utc;
  const field = fieldOrMissing('date', aggregation, at, stage);
  const buckets = bucketsOf(aggregation, field, stage, zone);
  const inner = field && stage.inside([buckets.key], { time: buckets });
  const children = inner?.planAll(aggregation) ?? stage.planBarren(aggregation, buckets);
  const order = orderOf(aggregation.order, children);
  const count = inner?.count() ?? (() => 0);
  const print = printOf(field ?? stage.field('ts', at), format, zone)!;
  // Bounds are rounded without the offset, and only those that stretch are moved with it.
  const shift = offsetOf(aggregation.offset);
  const rounded = (instant: Instant | undefined, by: number) =>
    instant === undefined ? undefined : buckets.rounding.round(instant + shift) - shift + by;
  const given = instants(aggregation.hardBounds, reading);
  const extended = instants(aggregation.extendedBounds, reading);
  requireInOrder('extended_bounds', extended, at);
  requireInOrder('hard_bounds', given, at);
  requireInside(extended, given, at);
  const hard = { min: rounded(given.min, 0), max: rounded(given.max, 0) };
  const stretch = minDocCount > 0 ? {} : { min: rounded(extended.min, shift), max: rounded(extended.max, shift) };
  const inBounds = (start: Instant) =>
    (hard.min === undefined || start >= hard.min) && (hard.max === undefined || start < hard.max);

  const made = (around: Bucket): Awaitable<TimeBucket[]> => {
    const found = (inner?.level.bucketsOf(around) ?? [])
      .map((bucket) => ({ bucket, key: buckets.startOf(inner!.level.keysOf(bucket.row!)[0]) }))
      .filter(({ key, bucket }) => inBounds(key) && count(bucket) >= minDocCount)
      .sort((a, b) => a.key - b.key);
    const one = () => planning.made(1);
    if (minDocCount > 0) return found.map(({ bucket, key }) => (one(), { ...bucket, start: key }));
    return planning.pace.map(fillGaps(found, buckets.rounding.next, stretch, one), ({ key, bucket }) => ({
      ...(bucket ?? gap),
      start: key,
    }));
  };
  const head = (bucket: TimeBucket): Answer => ({
    key_as_string: print(bucket.start),
    key: bucket.start,
    doc_count: count(bucket),
  });
  return {
    read: (around) => {
      const read = chain(made(around), (buckets) => {
        if (aggregation.order.length > 0)
          buckets.sort(comparing(order, count, (a, b) => (a as TimeBucket).start - (b as TimeBucket).start));
        return children.readAll(buckets, (bucket) => [head(bucket), bucket]);
      });
      return chain(read, (answers) => ({
        buckets: keyed
          ? Object.fromEntries<Answer>(answers.map((answer) => [answer['key_as_string'] as string, answer]))
          : answers,
      }));
    },
  };
};

const bucketsOf = (
  aggregation: WithChildren<DateHistogramAggregation>,
  field: StoredField | undefined,
  stage: Stage,
  zone: Zone,
): DateBuckets => {
  const { at, calendarInterval: calendar, fixedInterval: fixed } = aggregation;
  const interval = calendar === undefined ? fixedInterval(fixed!) : calendarInterval(calendar);
  if (field !== undefined && field.kind !== 'date') throw unsupported(field, 'date_histogram', at);
  return dateBuckets(
    field ?? stage.field('ts', at)!,
    interval,
    zone,
    offsetOf(aggregation.offset),
    stage.planning.span,
  );
};

interface Ends {
  readonly min?: Instant;
  readonly max?: Instant;
}

const instants = (bounds: HistogramBounds | undefined, reading: DateReading): Ends => ({
  ...(bounds?.min && { min: instantOf(bounds.min, reading) }),
  ...(bounds?.max && { max: instantOf(bounds.max, reading) }),
});

/** A number is an instant whatever the format, which texts follow. */
const instantOf = (input: Input, reading: DateReading): Instant => {
  requireLong(input);
  return input.node.kind === 'number' ? instantOfNumber(Number(input.node.text)) : dateOf(input, false, reading);
};
