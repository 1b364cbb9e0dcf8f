import type { ExtendedStatsMetric } from '../../../../search/aggregation/extended-stats.js';
import { extendedOf, withTexts } from '../../../../search/aggregation/statistics.js';
import type { Planned, Stage } from './bucket/stage.js';
import { momentsOf } from './value/moments.js';

/** Plans `stats` with variance and deviation. */
export const extendedStats = (metric: ExtendedStatsMetric, stage: Stage): Planned => {
  const { moments, sortable, print } = momentsOf(metric, stage, metric.sigma);
  return { read: (bucket) => withTexts(extendedOf(moments(bucket), metric.sigma), print), sortable };
};
