import sql from 'sql-template-tag';
import { printOf } from '../../../../search/aggregation/format.js';
import type { PercentilesMetric } from '../../../../search/aggregation/option/percent.js';
import { type Awaitable, chain } from '../../../../search/pace.js';
import { percentAnswer } from '../../../answer/percent.js';
import { Digest } from '../rollup/digest.js';
import type { Bucket } from './bucket/bucket.js';
import { noValue, type Planned, type Stage } from './bucket/stage.js';
import { numbersOf } from './value/number-of.js';

/** Plans percentiles of values, by linear interpolation. */
export const percentiles = (metric: PercentilesMetric, stage: Stage): Planned => {
  const { points } = metric;
  const numbers = numbersOf(stage, 'percentiles', metric, metric.at);
  const print = printOf(stage.field(metric.field, metric.at), metric.format);
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
  const { cell } = stage.aggregate(numbers.digest ?? numbers.percentiles(points));
  const { pace } = stage.planning;
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
      return { ...stage.aggregate((where) => sql`(${one(where)})[1]`), empty: 'last' };
    },
  };
};

/** Whether a percent was requested: buckets cannot be ordered by others. */
const isPoint = ({ points }: PercentilesMetric, property: string) =>
  property !== '' && points.includes(Number(property));
