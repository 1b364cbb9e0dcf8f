import type { Aggregation } from '../../../../search/aggregation/aggregation.js';
import { type AskedAggregation, planSiblings } from '../../../answer/plan-aggregations.js';
import type { Bucket } from './bucket/bucket.js';
import type { Children, Planned, SortColumn, Stage } from './bucket/stage.js';
import { planners } from './registry.js';
import { checkMissing } from './value/missing-value.js';

/** Plans sub-aggregations of the same bucket. */
export const planAll = (aggregations: readonly Aggregation[], stage: Stage): Children => {
  const plan = (aggregation: AskedAggregation): Planned => {
    checkMissing(aggregation, stage);
    return (planners[aggregation.kind] as PlanOne)(aggregation, stage);
  };
  return planSiblings<Bucket, SortColumn, Planned>(aggregations, plan, stage.planning).children;
};

type PlanOne = (aggregation: Aggregation, stage: Stage) => Planned;
