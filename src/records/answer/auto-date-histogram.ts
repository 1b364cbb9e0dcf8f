import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { Answer } from '#search/aggregation/aggregation-answer.js';
import type { AutoDateHistogramAggregation } from '#search/aggregation/auto-date-histogram.js';
import { type Print, printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import type { Unit } from '#search/date/calendar.js';
import { dateFormatOf } from '#search/date/date-format.js';
import { type Rounding, roundingOf } from '#search/date/rounding.js';
import { type Instant, utc, type Zone } from '#search/date/zone.js';
import type { Field } from '#search/field/field.js';
import type { InstantRange } from '#search/instant-range.js';
import { type Awaitable, chain } from '#search/pace.js';
import { dateReading } from '#search/query/binding.js';
import { illegalArgument } from '#search/search-failure.js';
import { text } from '#search/syntax/value.js';
import type { ChildrenIn, Counting } from './children.js';

/** Inputs for an `auto_date_histogram`. */
export interface AutomaticTime<F extends Field> {
  /** Undefined if no record has the field. */
  field: F | undefined;
  /** Time span of the records; undefined if there are none. */
  span: InstantRange | undefined;
  /** The instant of `now`, in milliseconds since 1970. */
  now: number;
}

/** Chosen buckets in order of time. A bucket's place is its index in `starts`. */
export interface AutomaticBuckets<F extends Field> {
  readonly field: F;
  readonly starts: readonly Instant[];
  readonly interval: string;
  readonly print: NonNullable<Print>;
}

/**
 * Chooses the buckets. Returns the answer itself if no record has the field.
 * @throws SearchFailure for an invalid aggregation
 */
export const automaticBuckets = <F extends Field>(
  { at, buckets, minimumInterval, format, timeZone }: WithChildren<AutoDateHistogramAggregation>,
  { field, span, now }: AutomaticTime<F>,
): AutomaticBuckets<F> | { readonly none: Answer } => {
  if (field !== undefined && field.kind !== 'date') throw unsupported(field, 'auto_date_histogram', at);
  const finest = minimumInterval === undefined ? 0 : steps.findIndex(({ unit }) => unit === minimumInterval);
  if (finest < 0)
    throw illegalArgument(`minimum_interval must be one of [${steps.map(({ unit }) => unit).join(', ')}]`, at);
  // A wrong format or time zone is an error even if there are no records.
  if (format !== undefined) dateFormatOf(text(format), format);
  const zone = dateReading(now, undefined, timeZone).zone ?? utc;
  if (field === undefined || span === undefined) return { none: { buckets: [], interval: `1${steps[finest]!.short}` } };
  return { field, ...choose(span, buckets, finest, zone), print: printOf(field, format, zone)! };
};

/** Buckets of the chosen intervals as a store found them. */
export interface FilledBuckets<B> {
  /** Buckets with records, by their place among all. */
  readonly filled: ReadonlyMap<number, B>;
  /** Bucket without records. */
  readonly gap: B;
  count(bucket: B): number;
  readonly children: Pick<ChildrenIn<B, never>, 'readAll'>;
}

/** Builds the answer, from the first bucket with records to the last. */
export const automaticAnswer = <B>(
  { starts, interval, print }: AutomaticBuckets<Field>,
  { filled, gap, count, children }: FilledBuckets<B>,
  { made }: Pick<Counting, 'made'>,
): Awaitable<Answer> => {
  const [first, last] = [Math.min(...filled.keys()), Math.max(...filled.keys())];
  const shown = starts.map((start, place) => ({ start, place })).filter(({ place }) => place >= first && place <= last);
  made(shown.length);
  const answers = children.readAll(shown, ({ start, place }): readonly [Answer, B] => {
    const bucket = filled.get(place) ?? gap;
    return [{ key_as_string: print(start), key: start, doc_count: count(bucket) }, bucket];
  });
  return chain(answers, (buckets) => ({ buckets, interval }));
};

/** Units from fine to coarse, and the multiples of each that a bucket may span. */
const steps: readonly { unit: Unit; short: string; inner: readonly number[] }[] = [
  { unit: 'second', short: 's', inner: [1, 5, 10, 30] },
  { unit: 'minute', short: 'm', inner: [1, 5, 10, 30] },
  { unit: 'hour', short: 'h', inner: [1, 3, 12] },
  { unit: 'day', short: 'd', inner: [1, 7] },
  { unit: 'month', short: 'M', inner: [1, 3] },
  { unit: 'year', short: 'y', inner: [1, 5, 10, 20, 50, 100] },
];

/** Chooses the finest unit, and the smallest multiple of it, that give at most `most` buckets. */
const choose = (
  { from, to }: InstantRange,
  most: number,
  least: number,
  zone: Zone,
): { starts: Instant[]; interval: string } => {
  for (const { unit, short, inner } of steps.slice(least)) {
    const rounding = roundingOf({ unit }, zone);
    const all = startsOf(rounding, from, to, most * inner.at(-1)!);
    if (all === undefined) continue;
    const together = inner.find((size) => Math.ceil(all.length / size) <= most);
    if (together !== undefined)
      return { starts: all.filter((_, index) => index % together === 0), interval: `${together}${short}` };
  }
  return { starts: [roundingOf({ unit: 'year' }, zone).round(from)], interval: '100y' };
};

const startsOf = (rounding: Rounding, from: Instant, to: Instant, most: number): Instant[] | undefined => {
  const starts: Instant[] = [];
  for (let start = rounding.round(from); start <= to; start = rounding.next(start)) {
    if (starts.push(start) > most) return undefined;
  }
  return starts;
};
