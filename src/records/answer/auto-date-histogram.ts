import type { WithChildren } from '../../search/aggregation/aggregation.js';
import type { Answer } from '../../search/aggregation/answer.js';
import type { AutoDateHistogramAggregation } from '../../search/aggregation/auto-date-histogram.js';
import { type Print, printOf } from '../../search/aggregation/format.js';
import { unsupported } from '../../search/aggregation/number-of.js';
import { dateFormatOf } from '../../search/date/date-format.js';
import { type Instant, utc } from '../../search/date/zone.js';
import { illegalArgument } from '../../search/failure.js';
import type { Field } from '../../search/field/field.js';
import { type Awaitable, chain } from '../../search/pace.js';
import { dateReading } from '../../search/query/binding.js';
import type { Span } from '../../search/span.js';
import { text } from '../../search/syntax/value.js';
import { choose, steps } from './automatic-interval.js';
import type { ChildrenIn, Counting } from './children.js';

/** What an `auto_date_histogram` is bound with. */
export interface AutomaticTime<F extends Field> {
  /** Undefined where nothing has it. */
  field: F | undefined;
  /** The time that its records are in; undefined where it has none. */
  span: Span | undefined;
  /** The instant that `now` means, in milliseconds. */
  now: number;
}

/** Its buckets, in the order of time; a bucket's place is its index in `starts`. */
export interface AutomaticBuckets<F extends Field> {
  readonly field: F;
  readonly starts: readonly Instant[];
  readonly interval: string;
  readonly print: NonNullable<Print>;
}

/** Chooses the buckets, or gives the answer where there are none. @throws SearchFailure for what is wrong with it */
export const automaticBuckets = <F extends Field>(
  { at, buckets, minimumInterval, format, timeZone }: WithChildren<AutoDateHistogramAggregation>,
  { field, span, now }: AutomaticTime<F>,
): AutomaticBuckets<F> | { readonly none: Answer } => {
  if (field !== undefined && field.kind !== 'date') throw unsupported(field, 'auto_date_histogram', at);
  const finest = minimumInterval === undefined ? 0 : steps.findIndex(({ unit }) => unit === minimumInterval);
  if (finest < 0)
    throw illegalArgument(`minimum_interval must be one of [${steps.map(({ unit }) => unit).join(', ')}]`, at);
  // A wrong format or zone is a fault also where there are no records to show.
  if (format !== undefined) dateFormatOf(text(format), format);
  const zone = dateReading(now, undefined, timeZone).zone ?? utc;
  if (field === undefined || span === undefined) return { none: { buckets: [], interval: `1${steps[finest]!.short}` } };
  return { field, ...choose(span, buckets, finest, zone), print: printOf(field, format, zone)! };
};

/** What is shown of these buckets. */
export interface FilledBuckets<B> {
  /** Buckets with records, by their place among all. */
  readonly filled: ReadonlyMap<number, B>;
  /** What stands where nothing is. */
  readonly gap: B;
  count(bucket: B): number;
  readonly children: Pick<ChildrenIn<B, never>, 'readAll'>;
}

/** The answer: from the first bucket with records to the last. */
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
