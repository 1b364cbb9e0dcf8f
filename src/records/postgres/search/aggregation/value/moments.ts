import sql, { type Sql } from 'sql-template-tag';
import type { ExtendedStatsMetric } from '../../../../../search/aggregation/extended-stats.js';
import { printOf } from '../../../../../search/aggregation/format.js';
import type { SimpleMetric } from '../../../../../search/aggregation/option/simple-metric.js';
import type { Moments } from '../../../../../search/aggregation/statistics.js';
import { squared } from '../../../squared.js';
import type { Bucket } from '../bucket/bucket.js';
import { noValue, type SortColumn, type Stage } from '../bucket/stage.js';
import { type Numbers, numbersOf } from './number-of.js';

const noValues: Moments = { count: 0, sum: 0, min: null, max: null, sumOfSquares: 0 };

/** Values by which buckets without values are ordered. */
const emptyOf: Readonly<Record<string, number>> = { count: 0, sum: 0, min: Infinity, max: -Infinity };

const unlessWhole = (property: string) => (property === '' ? undefined : noValue());

/**
 * Plans the moments from which a bucket's statistics are computed; `sigma` if variance and deviation are also needed.
 */
export const momentsOf = (metric: SimpleMetric | ExtendedStatsMetric, stage: Stage, sigma?: number) => {
  const numbers = numbersOf(stage, metric.kind, metric, metric.at);
  const field = stage.field(metric.field, metric.at);
  // Statistics of booleans are written as booleans; other metrics write their text.
  const print =
    field?.kind === 'boolean' && metric.format === undefined
      ? (value: number) => value !== 0
      : printOf(field, metric.format);
  if (numbers === undefined) return { moments: () => noValues, sortable: unlessWhole, print: undefined };
  const [count, sum, min, max] = [numbers.count, numbers.sum, numbers.min, numbers.max].map((one) =>
    stage.aggregate(one),
  );
  const squares = sigma === undefined ? undefined : stage.aggregate(numbers.sumOfSquares);
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
    return derived && { ...stage.aggregate(derived), empty: 'last' };
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
