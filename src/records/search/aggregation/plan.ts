import type { Aggregation } from './aggregation.js';
import { dateHistogram } from './date-histogram.js';
import { planMetric } from './metric.js';
import type { Planned, Stage } from './stage.js';
import { terms } from './terms.js';

type Plan = { [K in Aggregation['kind']]: (aggregation: Extract<Aggregation, { kind: K }>, stage: Stage) => Planned };

const planners: Plan = { ...planMetric, terms, date_histogram: dateHistogram };

/** Plans aggregations that stand in the same buckets, by their names. */
export const planAll = (aggregations: readonly Aggregation[], stage: Stage): Map<string, Planned> =>
  new Map(aggregations.map((aggregation) => [aggregation.name, planned(aggregation, stage)]));

const planned = (aggregation: Aggregation, stage: Stage): Planned => {
  const one = (planners[aggregation.kind] as (aggregation: Aggregation, stage: Stage) => Planned)(aggregation, stage);
  const { meta } = aggregation;
  return meta === undefined ? one : { ...one, read: (bucket) => ({ meta, ...one.read(bucket) }) };
};
