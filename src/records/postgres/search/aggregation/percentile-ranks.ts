import sql from 'sql-template-tag';
import { printOf } from '../../../../search/aggregation/format.js';
import type { PercentilesMetric } from '../../../../search/aggregation/option/percent.js';
import { type Awaitable, chain } from '../../../../search/pace.js';
import { percentAnswer } from '../../../answer/percent.js';
import { Digest } from '../rollup/digest.js';
import type { Bucket } from './bucket/bucket.js';
import { noValue, type Planned, type Stage } from './bucket/stage.js';
import { numbersOf } from './value/number-of.js';

/** Plans the percentage of values at or below each point: the inverse of {@link percentiles}. */
export const percentileRanks = (metric: PercentilesMetric, stage: Stage): Planned => {
  const { points } = metric;
  const numbers = numbersOf(stage, 'percentile_ranks', metric, metric.at);
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
    const { cell } = stage.aggregate(numbers.digest);
    const { pace } = stage.planning;
    const ranksIn = (bytes: unknown): Awaitable<(number | null)[]> =>
      bytes instanceof Buffer
        ? chain(Digest.read(bytes, pace), (digest) => pace.map(points, (point) => digest.rank(point)))
        : points.map(() => null);
    return { read: (bucket) => chain(ranksIn(cell(bucket)), (values) => percentAnswer(metric, values, print)) };
  }
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
      percentAnswer(
        metric,
        ranks.map((rank) => rank(bucket)),
        print,
      ),
  };
};
