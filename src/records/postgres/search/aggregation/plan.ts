import type { Aggregation } from '../../../../search/aggregation/aggregation.js';
import type { PipelineAggregation } from '../../../../search/aggregation/pipeline/pipeline.js';
import { inOrder, isPipeline } from '../../../../search/aggregation/pipeline/place.js';
import { chain } from '../../../../search/pace.js';
import { childrenOf } from '../../../answer/children.js';
import { plannedPipeline } from '../../../answer/pipeline.js';
import type { Children, Planned, Stage } from './bucket/stage.js';
import { planners } from './registry.js';
import { checkMissing } from './value/missing-value.js';

/** Plans aggregations that stand in the same buckets. */
export const planAll = (aggregations: readonly Aggregation[], stage: Stage): Children => {
  const planned = new Map<string, Planned>();
  const pipelines: PipelineAggregation[] = [];
  for (const aggregation of aggregations) {
    if (isPipeline(aggregation)) pipelines.push(aggregation);
    else {
      checkMissing(aggregation, stage);
      planned.set(aggregation.name, withMeta(aggregation, (planners[aggregation.kind] as PlanOne)(aggregation, stage)));
    }
  }
  const { planning } = stage;
  return childrenOf(
    planned,
    inOrder(pipelines).map((pipeline) => plannedPipeline(pipeline, planning)),
    planning,
  );
};

type PlanOne = (aggregation: Aggregation, stage: Stage) => Planned;

const withMeta = ({ meta }: Aggregation, planned: Planned): Planned =>
  meta === undefined
    ? planned
    : { ...planned, read: (bucket) => chain(planned.read(bucket), (answer) => ({ meta, ...answer })) };
