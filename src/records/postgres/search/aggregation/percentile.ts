import sql from 'sql-template-tag';
import { type Answer } from '../../../../search/aggregation/answer.js';
import { javaDouble, type Print, printOf, withText } from '../../../../search/aggregation/format.js';
import type { PercentilesMetric, SimpleMetric } from '../../../../search/aggregation/metric-node.js';
import type { Bucket } from './bucket.js';
import { numbersOf } from './number-of.js';
import { noNumber, noValue, type Planned, type Stage } from './stage.js';

/** Values below which so many percent lie, by linear interpolation. */
export const percentiles = (metric: PercentilesMetric, stage: Stage): Planned => {
  const { points } = metric;
  const numbers = numbersOf(stage, 'percentiles', metric, metric.at);
  const print = printOf(stage.field(metric.field, metric.at), metric.format);
  if (numbers === undefined)
    return {
      read: () =>
        written(
          metric,
          points.map(() => null),
          undefined,
        ),
      sortable: (property) => (isPoint(metric, property) ? noValue() : undefined),
    };
  const { cell } = stage.aggregate(numbers.percentiles(points));
  const valuesAt = (bucket: Bucket) => (cell(bucket) as (number | null)[] | null) ?? points.map(() => null);
  return {
    size: points.length,
    read: (bucket) => written(metric, valuesAt(bucket), print),
    sortable: (property) => {
      if (!isPoint(metric, property)) return undefined;
      const one = numbers.percentiles([Number(property)]);
      return { ...stage.aggregate((where) => sql`(${one(where)})[1]`), empty: 'last' };
    },
  };
};

/** Whether a percent was asked for: buckets are ordered by no other. */
const isPoint = ({ points }: PercentilesMetric, property: string) =>
  property !== '' && points.includes(Number(property));

/** How many percent lie at or below each value: the inverse of {@link percentiles}. */
export const percentileRanks = (metric: PercentilesMetric, stage: Stage): Planned => {
  const { points } = metric;
  const numbers = numbersOf(stage, 'percentile_ranks', metric, metric.at);
  if (numbers === undefined)
    return {
      read: () =>
        written(
          metric,
          points.map(() => null),
          undefined,
        ),
      sortable: noValue,
    };
  const print = printOf(undefined, metric.format);
  const count = stage.aggregate(numbers.count);
  const ranks = points.map((point) => {
    const limit = sql`${point}::float8`;
    const below = stage.aggregate(numbers.each('sum', (value) => sql`(${value} <= ${limit})::int`));
    const last = stage.aggregate(numbers.each('max', (value) => sql`case when ${value} <= ${limit} then ${value} end`));
    const next = stage.aggregate(numbers.each('min', (value) => sql`case when ${value} > ${limit} then ${value} end`));
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
      written(
        metric,
        ranks.map((rank) => rank(bucket)),
        print,
      ),
  };
};

/** How far values are from their median, in the median. */
export const medianAbsoluteDeviation = (metric: SimpleMetric, stage: Stage): Planned => {
  const numbers = numbersOf(stage, 'median_absolute_deviation', metric, metric.at);
  const print = printOf(undefined, metric.format);
  if (numbers === undefined) return { read: () => ({ value: null }), sortable: noNumber };
  const median = numbers.percentiles([50]);
  const { cell, column } = stage.aggregate(
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

const written = ({ points, keyed }: PercentilesMetric, values: readonly (number | null)[], print: Print): Answer => {
  const texts = values.map((value) => (value === null || print === undefined ? undefined : print(value)));
  if (!keyed) {
    const items = points.map((key, index) => ({
      key,
      value: values[index] ?? null,
      ...(texts[index] !== undefined && { value_as_string: texts[index] }),
    }));
    return { values: items };
  }
  const entries = points.flatMap((point, index): [string, unknown][] => {
    const name = javaDouble(point);
    return [
      [name, values[index] ?? null],
      ...(texts[index] === undefined ? [] : [[`${name}_as_string`, texts[index]] as [string, unknown]]),
    ];
  });
  return { values: Object.fromEntries(entries) };
};
