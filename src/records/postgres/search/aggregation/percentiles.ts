import sql from 'sql-template-tag';
import { percentAnswer } from '#records/answer/percent.js';
import { printOf, withText } from '#search/aggregation/format.js';
import type { SimpleMetric } from '#search/aggregation/metrics.js';
import type { PercentilesMetric } from '#search/aggregation/percentiles.js';
import { type Awaitable, chain } from '#search/pace.js';
import { Digest } from '../rollup/digest.js';
import { type AggregationContext, noNumber, noValue, type Planned } from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { numbersOf } from './value/number-of.js';

/** Plans percentiles of values, by linear interpolation. */
export const percentiles = (metric: PercentilesMetric, context: AggregationContext): Planned => {
  const { points } = metric;
  const numbers = numbersOf(context, 'percentiles', metric, metric.at);
  const print = printOf(context.field(metric.field, metric.at), metric.format);
  if (numbers === undefined)
    return {
      read: () =>
        percentAnswer(
          metric,
          points.map(() => null),
          undefined,
        ),
      sortable: (property) => (isPoint(metric, property) ? noValue() : undefined),
    };
  const { cell } = context.aggregate(numbers.digest ?? numbers.percentiles(points));
  const { pace } = context.planning;
  const valuesAt = (bucket: Bucket): Awaitable<readonly (number | null)[]> => {
    const found = cell(bucket);
    if (found === null) return points.map(() => null);
    if (!(found instanceof Buffer)) return found as (number | null)[];
    return chain(Digest.read(found, pace), (digest) => pace.map(points, (percent) => digest.percentile(percent)));
  };
  return {
    size: points.length,
    read: (bucket) => chain(valuesAt(bucket), (values) => percentAnswer(metric, values, print)),
    sortable: (property) => {
      if (!isPoint(metric, property)) return undefined;
      const one = numbers.percentiles([Number(property)]);
      return { ...context.aggregate((where) => sql`(${one(where)})[1]`), empty: 'last' };
    },
  };
};

/** Whether a percent was requested: buckets cannot be ordered by others. */
const isPoint = ({ points }: PercentilesMetric, property: string) =>
  property !== '' && points.includes(Number(property));

/** Plans the percentage of values at or below each point: the inverse of {@link percentiles}. */
export const percentileRanks = (metric: PercentilesMetric, context: AggregationContext): Planned => {
  const { points } = metric;
  const numbers = numbersOf(context, 'percentile_ranks', metric, metric.at);
  if (numbers === undefined)
    return {
      read: () =>
        percentAnswer(
          metric,
          points.map(() => null),
          undefined,
        ),
      sortable: noValue,
    };
  const print = printOf(undefined, metric.format);
  if (numbers.digest !== undefined) {
    const { cell } = context.aggregate(numbers.digest);
    const { pace } = context.planning;
    const ranksIn = (bytes: unknown): Awaitable<(number | null)[]> =>
      bytes instanceof Buffer
        ? chain(Digest.read(bytes, pace), (digest) => pace.map(points, (point) => digest.rank(point)))
        : points.map(() => null);
    return { read: (bucket) => chain(ranksIn(cell(bucket)), (values) => percentAnswer(metric, values, print)) };
  }
  const count = context.aggregate(numbers.count);
  const ranks = points.map((point) => {
    const limit = sql`${point}::float8`;
    const below = context.aggregate(numbers.each('sum', (value) => sql`(${value} <= ${limit})::int`));
    const last = context.aggregate(
      numbers.each('max', (value) => sql`case when ${value} <= ${limit} then ${value} end`),
    );
    const next = context.aggregate(
      numbers.each('min', (value) => sql`case when ${value} > ${limit} then ${value} end`),
    );
    return (bucket: Bucket): number | null => {
      const all = Number(count.cell(bucket) ?? 0);
      if (all === 0) return null;
      const [at, low, high] = [Number(below.cell(bucket) ?? 0), last.cell(bucket), next.cell(bucket)];
      if (low === null) return 0;
      if (high === null) return 100;
      const between = (point - Number(low)) / (Number(high) - Number(low));
      return all === 1 ? 100 : (100 * (at - 1 + between)) / (all - 1);
    };
  });
  return {
    read: (bucket) =>
      percentAnswer(
        metric,
        ranks.map((rank) => rank(bucket)),
        print,
      ),
  };
};

/** Plans the median of the distances of values from their median. */
export const medianAbsoluteDeviation = (metric: SimpleMetric, context: AggregationContext): Planned => {
  const numbers = numbersOf(context, 'median_absolute_deviation', metric, metric.at);
  const print = printOf(undefined, metric.format);
  if (numbers === undefined) return { read: () => ({ value: null }), sortable: noNumber };
  if (numbers.digest !== undefined) {
    const found = context.aggregate(numbers.digest);
    const { pace } = context.planning;
    const deviationOf = (bytes: unknown): Awaitable<number | null> =>
      bytes instanceof Buffer
        ? chain(
            chain(Digest.read(bytes, pace), (digest) => digest.deviations(pace)),
            (digest) => digest.percentile(50),
          )
        : null;
    return { read: (bucket) => chain(deviationOf(found.cell(bucket)), (value) => withText(value, print)) };
  }
  const median = numbers.percentiles([50]);
  const { cell, column } = context.aggregate(
    (where) =>
      sql`(select percentile_cont(0.5) within group (order by abs(u.v - m.median[1])) from unnest(${numbers.all(where)}) as u(v), (select ${median(where)} as median) m)`,
  );
  return {
    read: (bucket) => {
      const value = cell(bucket);
      return withText(value === null ? null : Number(value), print);
    },
    sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty: 'last' } : undefined),
  };
};
