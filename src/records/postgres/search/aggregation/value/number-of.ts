import sql, { type Sql } from 'sql-template-tag';
import { laidTogether, rollupColumn } from '#records/postgres/search/rollup/rollup-source.js';
import type { StoredField } from '#records/postgres/search/sql/stored-field.js';
import { squared } from '#records/postgres/squared.js';
import type { FieldOptions } from '#search/aggregation/aggregation-node.js';
import { numberOf, unsupported } from '#search/aggregation/number-of.js';
import { isNumeric } from '#search/field/field.js';
import { dateReading } from '#search/query/binding.js';
import { decimal } from '#search/query/value-of.js';
import type { Input } from '#search/syntax/input.js';
import { scalarText } from '#search/syntax/value.js';
import type { Aggregate, AggregationContext } from '../bucket/aggregation-context.js';

/** The numbers of a field as aggregates, over all values if a record has several. */
export interface Numbers {
  readonly count: Aggregate;
  readonly sum: Aggregate;
  readonly avg: Aggregate;
  readonly min: Aggregate;
  readonly max: Aggregate;
  readonly sumOfSquares: Aggregate;
  /** Aggregates the results of an expression over each number. */
  each(how: 'sum' | 'min' | 'max', of: (number: Sql) => Sql): Aggregate;
  /** Percentiles by linear interpolation, as an array. */
  percentiles(percents: readonly number[]): Aggregate;
  /** All numbers as an array, for metrics that need them twice. */
  readonly all: Aggregate;
  /** Number of different values. */
  readonly distinct: Aggregate;
  /** Concatenated digests of the numbers, which replace exact percentiles if rollups have them. */
  readonly digest?: Aggregate;
}

/**
 * Returns the numbers of a metric: dates in milliseconds, booleans as 0 and 1, `missing` for records without any.
 * @returns undefined if no record has the field and there is no default
 */
export const numbersOf = (
  context: AggregationContext,
  kind: string,
  { field: path, missing }: FieldOptions,
  at: Input,
): Numbers | undefined => {
  const field = context.field(path, at);
  if (field === undefined) {
    if (missing === undefined) return undefined;
    return ofOne(context.query.perRecord(sql`${decimal(scalarText(missing) ?? '', missing)}::float8`, []));
  }
  if (!isNumeric(field)) throw unsupported(field, kind, at);
  if (context.planning.scope.rollup) return ofRollup(context, field);
  const { one, many } = doubles(field, missing, context.planning.now);
  return many === undefined ? ofOne(context.query.perRecord(one, [field], field.costly)) : ofMany(context, field, many);
};

/** Returns the SQL of a field's single value as a double: dates in whole milliseconds. */
export const asDouble = (field: StoredField): Sql => {
  if (field.kind === 'date') return sql`floor(extract(epoch from ${field.value}) * 1000)::float8`;
  return field.valueType === 'long' ? sql`${field.value}::float8` : field.value;
};

/**
 * Returns the SQL of a field's numbers as doubles, with the default for missing values: one per record, or an array if
 * it may have several.
 */
export const doubles = (field: StoredField, missing: Input | undefined, now: number): { one: Sql; many?: Sql } => {
  const instead = missing && sql`${numberOf(field, missing, dateReading(now))}::float8`;
  const one = asDouble(field);
  if (field.values === undefined) return { one: instead ? sql`coalesce(${one}, ${instead})` : one };
  const many = sql`${field.values}::float8[]`;
  return { one, many: instead ? sql`coalesce(nullif(${many}, '{}'), array[${instead}])` : many };
};

const folds = { sum: sql`sum`, min: sql`min`, max: sql`max` } as const;

const ofOne = (value: Sql): Numbers => ({
  count: (where) => sql`count(${value})${where}`,
  sum: (where) => sql`sum(${value})${where}`,
  avg: (where) => sql`avg(${value})${where}`,
  min: (where) => sql`min(${value})${where}`,
  max: (where) => sql`max(${value})${where}`,
  sumOfSquares: (where) => sql`sum(${squared(value)})${where}`,
  each: (how, of) => (where) => sql`${folds[how]}(${of(value)})${where}`,
  percentiles: (percents) => (where) =>
    sql`percentile_cont(${percents.map((percent) => percent / 100)}::float8[]) within group (order by ${value})${where}`,
  all: (where) => sql`(array_agg(${value})${where})`,
  distinct: (where) => sql`count(distinct ${value})${where}`,
});

/**
 * Returns the numbers that rollups have already added up. Only additive aggregates are requested of them (see
 * `rollupRange`).
 */
const ofRollup = (context: AggregationContext, field: StoredField): Numbers => {
  const column = (name: Sql) => context.query.perRecord(rollupColumn(field, name), [field]);
  const [n, sum, squares] = [column(sql`r.n`), column(sql`r.sum`), column(sql`r.sum_squares`)];
  return {
    ...ofOne(sum),
    count: (where) => sql`coalesce(sum(${n})${where}, 0)::int8`,
    avg: (where) => sql`(sum(${sum})${where} / nullif(sum(${n})${where}, 0))::float8`,
    min: (where) => sql`min(${column(sql`r.min`)})${where}`,
    max: (where) => sql`max(${column(sql`r.max`)})${where}`,
    sumOfSquares: (where) => sql`sum(${squares})${where}`,
    ...(context.planning.scope.rollup?.digests && {
      digest: laidTogether(column(sql`r.digest`)),
    }),
  };
};

/** Returns the numbers of records that may have several. As much as possible is computed per record first. */
const ofMany = (context: AggregationContext, field: StoredField, values: Sql): Numbers => {
  const perRecord = (aggregate: Sql) =>
    context.query.perRecord(sql`(select ${aggregate} from unnest(${values}) as u(v))`, [field], true);
  const each: Numbers['each'] = (how, of) => {
    const one = perRecord(sql`${folds[how]}(${of(sql`u.v`)})`);
    return (where) => sql`${folds[how]}(${one})${where}`;
  };
  const itself = (number: Sql) => number;
  const sum = each('sum', itself);
  const one = perRecord(sql`count(*)`);
  const count: Aggregate = (where) => sql`sum(${one})${where}`;
  const lists = context.query.perRecord(sql`to_jsonb(${values})`, [field], true);
  const all: Aggregate = (where) =>
    sql`(select array_agg((e #>> '{}')::float8) from jsonb_array_elements(jsonb_agg(${lists})${where}) as a(x), jsonb_array_elements(case jsonb_typeof(a.x) when 'array' then a.x else '[]' end) as b(e))`;
  return {
    count,
    sum,
    avg: (where) => sql`(${sum(where)} / nullif(${count(where)}, 0))::float8`,
    min: each('min', itself),
    max: each('max', itself),
    sumOfSquares: each('sum', squared),
    each,
    percentiles: (percents) => (where) =>
      sql`(select percentile_cont(${percents.map((percent) => percent / 100)}::float8[]) within group (order by u.v) from unnest(${all(where)}) as u(v))`,
    all,
    distinct: (where) => sql`(select count(distinct u.v) from unnest(${all(where)}) as u(v))`,
  };
};
