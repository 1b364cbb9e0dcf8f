import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { Answer } from '#search/aggregation/aggregation-answer.js';
import { javaDouble, type Print, printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import type { GeoDistanceAggregation, RangeAggregation, RangeItem } from '#search/aggregation/ranges.js';
import type { DateReading } from '#search/date/date-input.js';
import { type Field, isNumeric } from '#search/field/field.js';
import { emptyField } from '#search/field/reserved.js';
import { type Awaitable, chain } from '#search/pace.js';
import { dateReading } from '#search/query/binding.js';
import { instantText } from '#search/query/option/instant.js';
import { and, none, type Predicate } from '#search/query/predicate.js';
import { dateOf } from '#search/query/value-of.js';
import type { Input } from '#search/syntax/input.js';
import { number } from '#search/syntax/value.js';
import type { ChildrenIn, Counting } from './children.js';

/** A range with numeric ends. */
export interface NumericRange {
  readonly key?: string;
  readonly from: number;
  readonly to: number;
}

/** Reads and prints the ends of the ranges of a field. */
export interface RangeEnds {
  readonly reading: DateReading;
  readonly read: (input: Input) => number;
  readonly print: Print;
}

/**
 * Returns the functions that read and print the ends of a range aggregation of a field.
 * @throws SearchFailure for a field without numbers
 */
export const numberEnds = (
  { at, format, timeZone }: RangeAggregation,
  field: Field | undefined,
  now: number,
): RangeEnds => {
  if (field !== undefined && !isNumeric(field)) throw unsupported(field, 'range', at);
  const reading = dateReading(now, undefined, timeZone);
  const read = (input: Input) => (field?.kind === 'date' ? dateOf(input, false, reading) : number(input));
  return { reading, read, print: printOf(field, format, reading.zone) };
};

/**
 * Returns the functions that read and print the ends of a date range aggregation of a field.
 * @throws SearchFailure for a field without dates
 */
export const dateEnds = (
  { at, format, timeZone }: RangeAggregation,
  field: Field | undefined,
  now: number,
): RangeEnds => {
  if (field !== undefined && field.kind !== 'date') throw unsupported(field, 'date_range', at);
  const reading = dateReading(now, format, timeZone);
  const read = (input: Input) => dateOf(input, false, reading);
  return { reading, read, print: printOf(field ?? emptyField('', 'date'), format, reading.zone) };
};

/** Parses ranges and sorts them by `from`, then `to`, as the engines do whatever the requested order. */
export const rangesOf = (items: readonly RangeItem[], read: (input: Input) => number): NumericRange[] =>
  items
    .map(({ key, from, to }) => ({
      ...(key !== undefined && { key }),
      from: from === undefined ? -Infinity : read(from),
      to: to === undefined ? Infinity : read(to),
    }))
    .sort((a, b) => compare(a.from, b.from) || compare(a.to, b.to));

/**
 * Parses the ranges of distances. As in Elasticsearch and OpenSearch, a range without a start begins at 0 and shows it,
 * and ranges are sorted by their start alone.
 */
export const distancesOf = (items: readonly RangeItem[]): NumericRange[] =>
  items
    .map((item) => ({ ...rangesOf([item], number)[0]!, from: item.from === undefined ? 0 : number(item.from) }))
    .sort((a, b) => compare(a.from, b.from));

const compare = (a: number, b: number) => (a < b ? -1 : a > b ? 1 : 0);

/** Builds the predicate that a field's value lies in a range. */
export const rangePredicate = (field: Field, { from, to }: NumericRange): Predicate => {
  const isLong = field.valueType === 'long';
  // No long lies beyond the limits of its type.
  if (isLong && (from >= 2 ** 63 || to <= -(2 ** 63))) return none;
  const value = (bound: number) =>
    field.kind === 'date' ? instantText(bound) : isLong ? `${BigInt(Math.ceil(bound))}` : bound;
  return and([
    { kind: 'exists', field },
    {
      kind: 'range',
      field,
      ...(from > (isLong ? -(2 ** 63) : -Infinity) && { lower: { value: value(from), inclusive: true } }),
      ...(to < (isLong ? 2 ** 63 : Infinity) && { upper: { value: value(to), inclusive: false } }),
    },
  ]);
};

/** Range buckets as a store found them. */
export interface FoundRanges<B, M> {
  readonly ranges: readonly NumericRange[];
  readonly print: Print;
  readonly children: ChildrenIn<B, M>;
  readonly count: (bucket: B) => number;
  /** Returns the bucket of each range inside another bucket, by the range's index. */
  found(around: B): (index: number) => B;
}

/** Creates the reader of a range aggregation's answer. */
export const rangeAnswer =
  <B, M>(
    { kind, keyed }: WithChildren<RangeAggregation | GeoDistanceAggregation>,
    { ranges, print, children, count, found }: FoundRanges<B, M>,
    { made }: Pick<Counting, 'made'>,
  ) =>
  (around: B): Awaitable<Answer> => {
    const bucketOf = found(around);
    made(ranges.length);
    const read = children.readAll(ranges.entries(), ([index, one]) => {
      const bucket = bucketOf(index);
      return [{ ...written(one, kind, print), doc_count: count(bucket) }, bucket];
    });
    return chain(read, (answers): Answer => {
      if (!keyed) return { buckets: answers };
      return { buckets: Object.fromEntries(answers.map(({ key, ...answer }) => [key as string, answer])) };
    });
  };

const written = (one: NumericRange, kind: string, print: Print): Answer => {
  const shown = (bound: number) => (print === undefined ? javaDouble(bound) : print(bound));
  const low = one.from === -Infinity || (one.from === 0 && kind === 'geo_distance') ? '*' : shown(one.from);
  return {
    key: one.key ?? `${low}-${one.to === Infinity ? '*' : shown(one.to)}`,
    ...(one.from !== -Infinity && { from: one.from, ...(print && { from_as_string: print(one.from) }) }),
    ...(one.to !== Infinity && { to: one.to, ...(print && { to_as_string: print(one.to) }) }),
  };
};
