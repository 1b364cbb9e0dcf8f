import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../../search/aggregation/answer.js';
import type { AutoDateHistogramAggregation } from '../../../../search/aggregation/auto-date-histogram.js';
import type { DateHistogramAggregation } from '../../../../search/aggregation/date-histogram.js';
import { printOf } from '../../../../search/aggregation/format.js';
import { calendarInterval, fixedInterval } from '../../../../search/aggregation/interval.js';
import { unsupported } from '../../../../search/aggregation/number-of.js';
import { offsetOf, type TimeInterval } from '../../../../search/aggregation/option/time-interval.js';
import { dateFormatOf } from '../../../../search/date/date-format.js';
import { type Interval, roundingOf } from '../../../../search/date/rounding.js';
import { type Instant, utc, type Zone } from '../../../../search/date/zone.js';
import { illegalArgument } from '../../../../search/failure.js';
import { chain } from '../../../../search/pace.js';
import { dateReading } from '../../../../search/query/binding.js';
import { text } from '../../../../search/syntax/value.js';
import { choose, steps } from '../../../answer/automatic-interval.js';
import { dateHistogramAnswer } from '../../../answer/date-histogram.js';
import type { EngineBucket, Part } from '../../engine.js';
import { type Bucket, countOf, gap, inside } from './bucket/bucket.js';
import type { Planned, Stage } from './bucket/stage.js';
import { sourceOf } from './value/source.js';

/** The calendar's reach from 1970 on, in milliseconds. */
const maxOffset = 8.64e15;

/** One bucket for each stretch of time, empty ones between them included. */
export const dateHistogram = (aggregation: WithChildren<DateHistogramAggregation>, stage: Stage): Planned => {
  const { at, format } = aggregation;
  const { planning } = stage;
  const reading = dateReading(planning.now, format, aggregation.timeZone);
  const zone = reading.zone ?? utc;
  const source = sourceOf('date', aggregation, at, stage);
  const interval = intervalOf(aggregation);
  if (source !== undefined && source.field.kind !== 'date') throw unsupported(source.field, 'date_histogram', at);
  const offset = offsetOf(aggregation.offset);
  // Beyond it a double no longer tells one bucket from the next.
  if (!(Math.abs(offset) <= maxOffset))
    throw illegalArgument(`[offset] of [${offset}] milliseconds leaves the calendar`);
  const rounding = roundingOf(interval, zone, offset);
  const time = { interval, rounding };
  const children = source === undefined ? stage.planBarren(aggregation, time) : stage.planAll(aggregation, time);
  // Empty buckets are made here, where they are counted.
  const body = { ...source?.body, ...timePart(interval, zone, offset), min_doc_count: 1 };
  const question = source && stage.ask('date_histogram', body, { children });
  const found = (around: Bucket) =>
    ((question?.answerIn(around)?.['buckets'] ?? []) as readonly EngineBucket[]).map((bucket) => ({
      bucket: inside(bucket, around),
      key: Number(bucket.key),
    }));
  const print = printOf(source?.field ?? stage.field('ts', at), format, zone)!;
  const parts = { reading, rounding, print, children, count: countOf, found, gap };
  return {
    asked: question?.asked ?? {},
    visit: (around) => {
      for (const { bucket } of found(around)) children.visit(bucket);
    },
    read: dateHistogramAnswer(aggregation, parts, planning),
  };
};

/** The width of time buckets. */
export const intervalOf = ({ calendarInterval: calendar, fixedInterval: fixed }: TimeInterval): Interval =>
  calendar === undefined ? fixedInterval(fixed!) : calendarInterval(calendar);

/** Buckets of time as the engine reads them. */
export const timePart = (interval: Interval, zone: Zone, offset: number): Part => ({
  ...('unit' in interval ? { calendar_interval: interval.unit } : { fixed_interval: `${interval.millis}ms` }),
  ...(zone !== utc && { time_zone: zoneName(zone) }),
  ...(offset !== 0 && { offset: `${offset > 0 ? '+' : ''}${offset}ms` }),
});

/** The name of a zone as Java knows it, to which upper and lower case are not the same. */
const zoneName = ({ id, fixed }: Zone): string => {
  if (fixed === undefined) return new Intl.DateTimeFormat('en-US', { timeZone: id }).resolvedOptions().timeZone;
  const seconds = Math.abs(fixed) / 1000;
  const part = (value: number) => `${Math.floor(value)}`.padStart(2, '0');
  return `${fixed < 0 ? '-' : '+'}${part(seconds / 3600)}:${part((seconds / 60) % 60)}:${part(seconds % 60)}`;
};

/** At most so many buckets of time, of a width that fits the records of the single buckets around it. */
export const autoDateHistogram = (aggregation: WithChildren<AutoDateHistogramAggregation>, stage: Stage): Planned => {
  const { at, buckets: most, minimumInterval, format } = aggregation;
  const { planning } = stage;
  const field = stage.field(aggregation.field, at);
  if (field !== undefined && field.kind !== 'date') throw unsupported(field, 'auto_date_histogram', at);
  const least = minimumInterval === undefined ? 0 : steps.findIndex(({ unit }) => unit === minimumInterval);
  if (least < 0)
    throw illegalArgument(`minimum_interval must be one of [${steps.map(({ unit }) => unit).join(', ')}]`, at);
  // A wrong format or zone is a fault also where there are no records to show.
  if (format !== undefined) dateFormatOf(text(format), format);
  const zone = dateReading(planning.now, undefined, aggregation.timeZone).zone ?? utc;
  const span = planning.found.get(aggregation);
  if (field === undefined || span === undefined) {
    stage.planBarren(aggregation);
    return { asked: {}, read: () => ({ buckets: [], interval: `1${steps[least]!.short}` }) };
  }
  const { starts, interval } = choose(span, most, least, zone);
  const children = stage.planAll(aggregation);
  const ranges = starts.map((start, index) => ({
    key: `${index}`,
    from: start,
    ...(starts[index + 1] !== undefined && { to: starts[index + 1] }),
  }));
  const question = stage.ask('date_range', { field: 'ts', format: 'epoch_millis', ranges }, { children });
  const print = printOf(field, format, zone)!;
  const found = (around: Bucket) =>
    ((question.answerIn(around)?.['buckets'] ?? []) as readonly EngineBucket[])
      .filter(({ doc_count: count = 0 }) => count > 0)
      .map((bucket) => ({ place: Number(bucket.key), bucket: inside(bucket, around) }));
  const begin = (start: Instant, bucket: Bucket = gap): [Answer, Bucket] => [
    { key_as_string: print(start), key: start, doc_count: countOf(bucket) },
    bucket,
  ];
  return {
    asked: question.asked,
    visit: (around) => {
      for (const { bucket } of found(around)) children.visit(bucket);
    },
    read: (around) => {
      const rows = new Map(found(around).map(({ place, bucket }) => [place, bucket]));
      const [first, last] = [Math.min(...rows.keys()), Math.max(...rows.keys())];
      const shown = starts
        .map((start, place) => ({ start, place }))
        .filter(({ place }) => place >= first && place <= last);
      planning.made(shown.length);
      const answers = children.readAll(shown, ({ start, place }) => begin(start, rows.get(place)));
      return chain(answers, (buckets) => ({ buckets, interval }));
    },
  };
};
