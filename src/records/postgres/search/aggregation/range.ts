import sql from 'sql-template-tag';
import type {
  GeoDistanceAggregation,
  RangeAggregation,
  RangeItem,
} from '../../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../../search/aggregation/answer.js';
import { javaDouble, type Print, printOf } from '../../../../search/aggregation/format.js';
import type { Field } from '../../../../search/field/field.js';
import { isNumeric } from '../../../../search/field/field.js';
import { emptyField } from '../../../../search/field/reserved.js';
import { chain } from '../../../../search/pace.js';
import { timestamp } from '../../../../search/query/bind-term.js';
import { dateReading } from '../../../../search/query/binding.js';
import { and, none, not, or, type Predicate } from '../../../../search/query/predicate.js';
import { dateOf } from '../../../../search/query/value-of.js';
import type { Input } from '../../../../search/syntax/input.js';
import { number } from '../../../../search/syntax/value.js';
import { distance } from '../sql/geo.js';
import type { StoredField } from '../sql/stored-field.js';
import { emptyIn, gap } from './bucket.js';
import { conditionKey } from './condition-key.js';
import { fieldOrMissing, pointOrMissing } from './missing-value.js';
import { numberOf, unsupported } from './number-of.js';
import type { Planned, Stage } from './stage.js';

interface Range {
  readonly key?: string;
  readonly from: number;
  readonly to: number;
}

/** A bucket for each range of a field's values. */
export const range = (aggregation: RangeAggregation, stage: Stage): Planned => {
  const { kind, at, ranges, format, timeZone } = aggregation;
  const field = fieldOrMissing(kind === 'date_range' ? 'date' : 'double', aggregation, at, stage);
  if (field !== undefined && (kind === 'date_range' ? field.kind !== 'date' : !isNumeric(field)))
    throw unsupported(field, kind, at);
  const reading = dateReading(stage.planning.now, kind === 'date_range' ? format : undefined, timeZone);
  const read = (input: Input) =>
    kind === 'date_range' || field?.kind === 'date' ? dateOf(input, false, reading) : number(input);
  const print = printOf(kind === 'date_range' ? (field ?? dateLike) : field, format, reading.zone);
  const missing = field && aggregation.missing && numberOf(field, aggregation.missing, reading);
  return ranged(aggregation, stage, field, rangesOf(ranges, read), print, (one) => {
    if (field === undefined) return none;
    const instead = missing !== undefined && missing >= one.from && missing < one.to;
    return instead ? or([within(field, one), not({ kind: 'exists', field })]) : within(field, one);
  });
};

const dateLike = emptyField('', 'date');

/** A bucket for each range of distances from a place. */
export const geoDistance = (aggregation: GeoDistanceAggregation, stage: Stage): Planned => {
  const { at, origin, unitMetres, ranges } = aggregation;
  const field = pointOrMissing('geo_distance', aggregation, at, stage);
  const away =
    field &&
    !Number.isNaN(origin.lat) &&
    ({
      ...field,
      kind: 'double',
      valueType: 'double',
      value: sql`(${distance(field, origin)} / ${unitMetres}::float8)`,
    } satisfies StoredField);
  return ranged(aggregation, stage, field, distancesOf(ranges), undefined, (one) => (away ? within(away, one) : none));
};

/** The engines give ranges in the order of their ends, whatever the order they were asked in. */
const rangesOf = (items: readonly RangeItem[], read: (input: Input) => number): Range[] =>
  items
    .map(({ key, from, to }) => ({
      ...(key !== undefined && { key }),
      from: from === undefined ? -Infinity : read(from),
      to: to === undefined ? Infinity : read(to),
    }))
    .sort((a, b) => compare(a.from, b.from) || compare(a.to, b.to));

/** Distances begin at 0, and the engines show that; they keep to the order of where ranges begin alone. */
const distancesOf = (items: readonly RangeItem[]): Range[] =>
  items
    .map((item) => ({ ...rangesOf([item], number)[0]!, from: item.from === undefined ? 0 : number(item.from) }))
    .sort((a, b) => compare(a.from, b.from));

const compare = (a: number, b: number) => (a < b ? -1 : a > b ? 1 : 0);

const within = (field: Field, { from, to }: Range): Predicate => {
  const isLong = field.valueType === 'long';
  // Beyond the ends of a long there is none of them.
  if (isLong && (from >= 2 ** 63 || to <= -(2 ** 63))) return none;
  const value = (bound: number) =>
    field.kind === 'date' ? timestamp(bound) : isLong ? `${BigInt(Math.ceil(bound))}` : bound;
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

const ranged = (
  aggregation: RangeAggregation | GeoDistanceAggregation,
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
