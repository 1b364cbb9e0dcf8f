import sql from 'sql-template-tag';
import { printOf, withText } from '../../../../search/aggregation/format.js';
import type { SimpleMetric } from '../../../../search/aggregation/option/simple-metric.js';
import { type Awaitable, chain } from '../../../../search/pace.js';
import { Digest } from '../rollup/digest.js';
import { noNumber, type Planned, type Stage } from './bucket/stage.js';
import { numbersOf } from './value/number-of.js';

/** Plans the median of the distances of values from their median. */
export const medianAbsoluteDeviation = (metric: SimpleMetric, stage: Stage): Planned => {
  const numbers = numbersOf(stage, 'median_absolute_deviation', metric, metric.at);
  const print = printOf(undefined, metric.format);
  if (numbers === undefined) return { read: () => ({ value: null }), sortable: noNumber };
  if (numbers.digest !== undefined) {
    const found = stage.aggregate(numbers.digest);
    const { pace } = stage.planning;
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
