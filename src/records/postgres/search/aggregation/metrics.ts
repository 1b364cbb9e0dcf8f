import sql, { type Sql } from 'sql-template-tag';
import { squared } from '#records/postgres/squared.js';
import { printOf, printOfMetric, requireFormattable, withText } from '#search/aggregation/format.js';
import type { ExtendedStatsMetric, SimpleMetric, WeightedAvgMetric } from '#search/aggregation/metrics.js';
import { unsupported } from '#search/aggregation/number-of.js';
import { extendedOf, type Moments, statisticsOf, withTexts } from '#search/aggregation/statistics.js';
import { isNumeric } from '#search/field/field.js';
import { illegalArgument } from '#search/search-failure.js';
import { recordCount, rollupColumn } from '../rollup/rollup-source.js';
import {
  type AggregationContext,
  noNumber,
  noValue,
  type Planned,
  type SortColumn,
} from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { fieldOrMissing } from './value/missing-value.js';
import { doubles, type Numbers, numbersOf } from './value/number-of.js';

/**
 * Creates the planner of a metric with a single number. `none` is its value without numbers, `empty` its value for
 * ordering.
 */
const oneNumber =
  (kind: 'avg' | 'sum' | 'min' | 'max', none: 0 | null, empty: number | 'last') =>
  (metric: SimpleMetric, context: AggregationContext): Planned => {
    const numbers = numbersOf(context, kind, metric, metric.at);
    const print = printOfMetric(context.field(metric.field, metric.at), metric);
    if (numbers === undefined) return { read: () => withText(none, print), sortable: noNumber };
    const { cell, column } = context.aggregate(numbers[kind]);
    return {
      read: (bucket) => {
        const value = cell(bucket);
        return withText(value === null ? none : Number(value), print);
      },
      sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty } : undefined),
    };
  };

/** Plans the mean of a field's values. */
export const avg = oneNumber('avg', null, 'last');

/** Plans the sum of a field's values. */
export const sum = oneNumber('sum', 0, 0);

/** Plans the smallest value of a field. */
export const min = oneNumber('min', null, Infinity);

/** Plans the largest value of a field. */
export const max = oneNumber('max', null, -Infinity);

const noValues: Moments = { count: 0, sum: 0, min: null, max: null, sumOfSquares: 0 };

/** Values by which buckets without values are ordered. */
const emptyOf: Readonly<Record<string, number>> = { count: 0, sum: 0, min: Infinity, max: -Infinity };

const unlessWhole = (property: string) => (property === '' ? undefined : noValue());

/**
 * Plans the moments from which a bucket's statistics are computed; `sigma` if variance and deviation are also needed.
 */
const momentsOf = (metric: SimpleMetric | ExtendedStatsMetric, context: AggregationContext, sigma?: number) => {
  const numbers = numbersOf(context, metric.kind, metric, metric.at);
  const field = context.field(metric.field, metric.at);
  // Statistics of booleans are written as booleans; other metrics write their text.
  const print =
    field?.kind === 'boolean' && metric.format === undefined
      ? (value: number) => value !== 0
      : printOf(field, metric.format);
  if (numbers === undefined) return { moments: () => noValues, sortable: unlessWhole, print: undefined };
  const [count, sum, min, max] = [numbers.count, numbers.sum, numbers.min, numbers.max].map((one) =>
    context.aggregate(one),
  );
  const squares = sigma === undefined ? undefined : context.aggregate(numbers.sumOfSquares);
  const number = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  const moments = (bucket: Bucket): Moments => ({
    count: Number(count!.cell(bucket) ?? 0),
    sum: number(sum!.cell(bucket)) ?? 0,
    min: number(min!.cell(bucket)),
    max: number(max!.cell(bucket)),
    sumOfSquares: number(squares?.cell(bucket)) ?? 0,
  });
  const sortable = (property: string): SortColumn | undefined => {
    const simple = { count, sum, min, max }[property as 'count'];
    if (simple !== undefined) return { ...simple, empty: emptyOf[property]! };
    const derived = derivedColumn(numbers, property, sigma);
    return derived && { ...context.aggregate(derived), empty: 'last' };
  };
  return { moments, sortable, print };
};

/** Returns the SQL of properties that combine several aggregates. */
const derivedColumn = ({ avg, count, sum, sumOfSquares }: Numbers, property: string, sigma: number | undefined) => {
  if (property === 'avg') return avg;
  if (sigma === undefined) return undefined;
  const scatter = (where: Sql) =>
    sql`greatest(0, ${sumOfSquares(where)} - ${squared(sum(where))} / nullif(${count(where)}, 0))`;
  const population = (where: Sql) => sql`(${scatter(where)} / nullif(${count(where)}, 0))::float8`;
  const sampling = (where: Sql) => sql`(${scatter(where)} / nullif(${count(where)} - 1, 0))::float8`;
  const bound = (sign: number) => (where: Sql) =>
    sql`(${avg(where)} + ${sign * sigma}::float8 * sqrt(${population(where)}))`;
  const columns: Readonly<Record<string, (where: Sql) => Sql>> = {
    sum_of_squares: sumOfSquares,
    variance: population,
    variance_population: population,
    variance_sampling: sampling,
    std_deviation: (where) => sql`sqrt(${population(where)})`,
    std_deviation_population: (where) => sql`sqrt(${population(where)})`,
    std_deviation_sampling: (where) => sql`sqrt(${sampling(where)})`,
    std_upper: bound(1),
    std_lower: bound(-1),
  };
  return Object.hasOwn(columns, property) ? columns[property] : undefined;
};

/** Plans count, minimum, maximum, mean and sum. */
export const stats = (metric: SimpleMetric, context: AggregationContext): Planned => {
  const { moments, sortable, print } = momentsOf(metric, context);
  return { read: (bucket) => withTexts({ ...statisticsOf(moments(bucket)) }, print), sortable };
};

/** Plans `stats` with variance and deviation. */
export const extendedStats = (metric: ExtendedStatsMetric, context: AggregationContext): Planned => {
  const { moments, sortable, print } = momentsOf(metric, context, metric.sigma);
  return { read: (bucket) => withTexts(extendedOf(moments(bucket), metric.sigma), print), sortable };
};

/** Plans the number of values, of any type. */
export const valueCount = (
  { field: path, missing, format, at }: SimpleMetric,
  context: AggregationContext,
): Planned => {
  const field = context.field(path, at);
  requireFormattable(field, format);
  if (field === undefined && missing === undefined) return { read: () => ({ value: 0 }), sortable: noNumber };
  if (field !== undefined && context.planning.scope.rollup) {
    const isKey = context.planning.scope.rollup.keys !== undefined && field.kind === 'keyword';
    const column = isKey
      ? sql`(case when ${field.value} is not null then ${recordCount} end)`
      : rollupColumn(field, sql`r.n`);
    return counting(context, context.query.perRecord(column, [field]));
  }
  const none = missing === undefined ? sql`0` : sql`1`;
  const perRecord =
    field === undefined
      ? none
      : field.values === undefined
        ? sql`(case when ${field.value} is null then ${none} else 1 end)`
        : sql`(case coalesce(cardinality(${field.values}), 0) when 0 then ${none} else ${field.kind === 'keyword' ? different(field.values) : sql`cardinality(${field.values})`} end)`;
  const count = context.query.perRecord(perRecord, field === undefined ? [] : [field], field?.costly);
  return counting(context, count);
};

/** Plans the sum of a count per record. */
const counting = (context: AggregationContext, count: Sql): Planned => {
  const { cell, column } = context.aggregate((where) => sql`sum(${count})${where}`);
  return {
    read: (bucket) => ({ value: Number(cell(bucket) ?? 0) }),
    sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty: 0 } : undefined),
  };
};

/** A text that a record has twice counts once, as in the engines. */
const different = (values: Sql): Sql => sql`(select count(distinct u.v)::int from unnest(${values}) as u(v))`;

/** Plans the mean of one field's values, weighted by another's. Records that lack either are skipped. */
export const weightedAvg = ({ value, weight, format, at }: WeightedAvgMetric, context: AggregationContext): Planned => {
  const [values, weights] = [
    fieldOrMissing('double', value, at, context),
    fieldOrMissing('double', weight, at, context),
  ];
  if (values === undefined || weights === undefined) return { read: () => ({ value: null }), sortable: noNumber };
  for (const field of [values, weights]) if (!isNumeric(field)) throw unsupported(field, 'weighted_avg', at);
  const [of, by] = [
    doubles(values, value.missing, context.planning.now),
    doubles(weights, weight.missing, context.planning.now),
  ];
  if (by.many !== undefined)
    throw illegalArgument(
      'Encountered more than one weight for a single document. Use a field with one value for each.',
      at,
    );
  const sum = of.many === undefined ? of.one : sql`(select sum(u.v) from unnest(${of.many}) as u(v))`;
  const count = of.many === undefined ? sql`1` : sql`cardinality(${of.many})`;
  const fields = [values, weights];
  const total = context.query.perRecord(sql`(${sum} * ${by.one})`, fields, true);
  const weighed = context.query.perRecord(
    sql`(case when ${sum} is not null then ${count} * ${by.one} end)`,
    fields,
    true,
  );
  const { cell, column } = context.aggregate(
    (where) => sql`(sum(${total})${where} / nullif(sum(${weighed})${where}, 0))`,
  );
  const print = printOf(undefined, format);
  return {
    read: (bucket) => {
      const mean = cell(bucket);
      return withText(mean === null ? null : Number(mean), print);
    },
    sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty: 'last' } : undefined),
  };
};
