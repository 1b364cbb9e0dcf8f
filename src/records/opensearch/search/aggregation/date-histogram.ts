import { hourSeconds } from '#common/time.js';
import { dateHistogramAnswer } from '#records/answer/date-histogram.js';
import type { EngineBucket, Part } from '#records/opensearch/engine.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { DateHistogramAggregation } from '#search/aggregation/date-histogram.js';
import { printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import { type Interval, roundingOf } from '#search/date/rounding.js';
import { utc, type Zone } from '#search/date/zone.js';
import { dateReading } from '#search/query/binding.js';
import { illegalArgument } from '#search/search-failure.js';
import type { EngineAggregationContext, Planned } from './bucket/aggregation-context.js';
import { type Bucket, countOf, gap, inside } from './bucket/bucket.js';
import { sourceOf } from './value/metric-source.js';

/** Range of JavaScript's dates on either side of 1970, in milliseconds. */
const maxOffset = 8.64e15;

/** Plans a bucket per time interval, including empty ones between others. */
export const dateHistogram = (
  aggregation: WithChildren<DateHistogramAggregation>,
  context: EngineAggregationContext,
): Planned => {
  const { at, format } = aggregation;
  const { planning } = context;
  const reading = dateReading(planning.now, format, aggregation.timeZone);
  const zone = reading.zone ?? utc;
  const source = sourceOf('date', aggregation, at, context);
  const { interval, offset } = aggregation;
  if (source !== undefined && source.field.kind !== 'date') throw unsupported(source.field, 'date_histogram', at);
  // Beyond this range, a double cannot distinguish neighbouring buckets.
  if (!(Math.abs(offset) <= maxOffset))
    throw illegalArgument(`[offset] of [${offset}] milliseconds leaves the calendar`);
  const rounding = roundingOf(interval, zone, offset);
  const time = { interval, rounding };
  const children = source === undefined ? context.planEmpty(aggregation, time) : context.planAll(aggregation, time);
  // This process adds and counts empty buckets itself.
  const body = { ...source?.body, ...timePart(interval, zone, offset), min_doc_count: 1 };
  const question = source && context.ask('date_histogram', body, { children });
  const found = (around: Bucket) =>
    ((question?.answerIn(around)?.['buckets'] ?? []) as readonly EngineBucket[]).map((bucket) => ({
      bucket: inside(bucket, around),
      key: Number(bucket.key),
    }));
  const print = printOf(source?.field ?? context.field('ts', at), format, zone)!;
  const parts = { reading, rounding, print, children, count: countOf, found, gap };
  return {
    asked: question?.asked ?? {},
    visit: (around) => {
      for (const { bucket } of found(around)) children.visit(bucket);
    },
    read: dateHistogramAnswer(aggregation, parts, planning),
  };
};

/** Translates time buckets to the engine's form. */
export const timePart = (interval: Interval, zone: Zone, offset: number): Part => ({
  ...('unit' in interval ? { calendar_interval: interval.unit } : { fixed_interval: `${interval.millis}ms` }),
  ...(zone !== utc && { time_zone: zoneName(zone) }),
  ...(offset !== 0 && { offset: `${offset > 0 ? '+' : ''}${offset}ms` }),
});

/** Returns the name of a zone in the letter case that Java requires. */
const zoneName = ({ id, fixed }: Zone): string => {
  if (fixed === undefined) return new Intl.DateTimeFormat('en-US', { timeZone: id }).resolvedOptions().timeZone;
  const seconds = Math.abs(fixed) / 1000;
  const part = (value: number) => `${Math.floor(value)}`.padStart(2, '0');
  return `${fixed < 0 ? '-' : '+'}${part(seconds / hourSeconds)}:${part((seconds / 60) % 60)}:${part(seconds % 60)}`;
};
