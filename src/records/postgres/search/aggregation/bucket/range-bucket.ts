import type { WithChildren } from '../../../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../../../search/aggregation/answer.js';
import { javaDouble, type Print } from '../../../../../search/aggregation/format.js';
import type { GeoDistanceAggregation } from '../../../../../search/aggregation/geo-distance.js';
import type { RangeAggregation, RangeItem } from '../../../../../search/aggregation/option/range.js';
import type { DateReading } from '../../../../../search/date/date-input.js';
import type { Field } from '../../../../../search/field/field.js';
import { chain } from '../../../../../search/pace.js';
import { instantText } from '../../../../../search/query/option/instant.js';
import { and, none, not, or, type Predicate } from '../../../../../search/query/predicate.js';
import type { Input } from '../../../../../search/syntax/input.js';
import type { StoredField } from '../../sql/stored-field.js';
import { numberOf } from '../value/number-of.js';
import { emptyIn, gap } from './bucket.js';
import { conditionKey } from './condition-key.js';
import type { Planned, Stage } from './stage.js';

/** A range, its ends as numbers. */
export interface Range {
  readonly key?: string;
  readonly from: number;
  readonly to: number;
}

/** How the ends of ranges are read, and written. */
interface FieldRanges {
  readonly field: StoredField | undefined;
  readonly reading: DateReading;
  readonly read: (input: Input) => number;
  readonly print: Print;
}

/** Ranges of the values of a field, with what stands in for none. */
export const fieldRanges = (
  aggregation: WithChildren<RangeAggregation>,
  stage: Stage,
  { field, reading, read, print }: FieldRanges,
): Planned => {
  const missing = field && aggregation.missing && numberOf(field, aggregation.missing, reading);
  return rangeBuckets(aggregation, stage, field, rangesOf(aggregation.ranges, read), print, (one) => {
    if (field === undefined) return none;
    const instead = missing !== undefined && missing >= one.from && missing < one.to;
    return instead ? or([within(field, one), not({ kind: 'exists', field })]) : within(field, one);
  });
};

/** The engines give ranges in the order of their ends, whatever the order they were asked in. */
export const rangesOf = (items: readonly RangeItem[], read: (input: Input) => number): Range[] =>
  items
    .map(({ key, from, to }) => ({
      ...(key !== undefined && { key }),
      from: from === undefined ? -Infinity : read(from),
      to: to === undefined ? Infinity : read(to),
    }))
    .sort((a, b) => compare(a.from, b.from) || compare(a.to, b.to));

/** Compares ends of ranges. */
export const compare = (a: number, b: number) => (a < b ? -1 : a > b ? 1 : 0);

/** Whether a value of a field is in a range. */
export const within = (field: Field, { from, to }: Range): Predicate => {
  const isLong = field.valueType === 'long';
  // Beyond the ends of a long there is none of them.
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

/** A bucket for each of several ranges. */
export const rangeBuckets = (
  aggregation: WithChildren<RangeAggregation | GeoDistanceAggregation>,
  stage: Stage,
  field: Field | undefined,
  ranges: readonly Range[],
  print: Print,
  predicate: (range: Range) => Predicate,
): Planned => {
  const inner = stage.inside([conditionKey(ranges.map(predicate), stage.level.depth)]);
  const children = inner.planAll(aggregation);
  const count = inner.count();
  const shown = (bound: number) => (print === undefined ? javaDouble(bound) : print(bound));
  const written = (one: Range): Answer => ({
    key:
      one.key ??
      `${one.from === -Infinity || (one.from === 0 && aggregation.kind === 'geo_distance') ? '*' : shown(one.from)}-${one.to === Infinity ? '*' : shown(one.to)}`,
    ...(one.from !== -Infinity && { from: one.from, ...(print && { from_as_string: print(one.from) }) }),
    ...(one.to !== Infinity && { to: one.to, ...(print && { to_as_string: print(one.to) }) }),
  });
  return {
    read: (around) => {
      const found = new Map(
        inner.level.bucketsOf(around).map((bucket) => [Number(inner.level.keysOf(bucket.row!)[0]), bucket]),
      );
      stage.planning.made(ranges.length);
      const read = children.readAll(ranges.entries(), ([index, one]) => {
        const bucket = found.get(index) ?? (field === undefined ? gap : emptyIn(around));
        return [{ ...written(one), doc_count: count(bucket) }, bucket];
      });
      return chain(read, (answers): Answer => {
        if (!aggregation.keyed) return { buckets: answers };
        return { buckets: Object.fromEntries(answers.map(({ key, ...answer }) => [key as string, answer])) };
      });
    },
  };
};
