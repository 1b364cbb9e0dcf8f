import type { SimpleMetric } from '../../../../search/aggregation/option/simple-metric.js';
import { statisticsOf, withTexts } from '../../../../search/aggregation/statistics.js';
import type { Planned, Stage } from './bucket/stage.js';
import { momentsOf } from './value/moments.js';

/** Plans count, minimum, maximum, mean and sum. */
export const stats = (metric: SimpleMetric, stage: Stage): Planned => {
  const { moments, sortable, print } = momentsOf(metric, stage);
  return { read: (bucket) => withTexts({ ...statisticsOf(moments(bucket)) }, print), sortable };
};
