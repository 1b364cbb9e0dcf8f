import type { Aggregation } from '#search/aggregation/aggregation.js';
import { hiddenClass } from '#search/aggregation/aggregation-answer.js';
import type { PipelineAggregation } from '#search/aggregation/pipeline/pipeline.js';
import { inOrder, isPipeline } from '#search/aggregation/pipeline/pipeline-order.js';
import { chain } from '#search/pace.js';
import { type ChildrenIn, type Counting, childrenOf, type PlannedIn } from './children.js';
import { engineClass } from './engine-class.js';
import { plannedPipeline } from './pipeline.js';

/** An aggregation that a store computes, as opposed to a pipeline. */
export type AskedAggregation = Exclude<Aggregation, PipelineAggregation>;

/** Planned sub-aggregations of the same bucket, and the object that joins them with their pipelines. */
export interface PlannedSiblings<B, M, P extends PlannedIn<B, M>> {
  readonly planned: ReadonlyMap<string, P>;
  readonly children: ChildrenIn<B, M>;
}

/**
 * Plans sub-aggregations of the same bucket. `plan` plans those that a store computes, in order; pipelines are planned
 * here.
 */
export const planSiblings = <B, M, P extends PlannedIn<B, M>>(
  aggregations: readonly Aggregation[],
  plan: (aggregation: AskedAggregation) => P,
  counting: Counting,
): PlannedSiblings<B, M, P> => {
  const planned = new Map<string, P>();
  const pipelines: PipelineAggregation[] = [];
  for (const aggregation of aggregations) {
    if (isPipeline(aggregation)) pipelines.push(aggregation);
    else planned.set(aggregation.name, withMeta<B, M, P>(aggregation, plan(aggregation)));
  }
  const ordered = inOrder(pipelines).map((pipeline) => plannedPipeline(pipeline, counting));
  return { planned, children: childrenOf(planned, ordered, counting) };
};

/** Adds `meta` to answers and, if pipelines may read the answer, the name of its class in the engines. */
const withMeta = <B, M, P extends PlannedIn<B, M>>({ kind, meta }: AskedAggregation, planned: P): P => {
  const ofClass = engineClass(kind, planned.keyKind);
  if (meta === undefined && ofClass === undefined) return planned;
  const more = { ...(meta !== undefined && { meta }), ...(ofClass !== undefined && { [hiddenClass]: ofClass }) };
  return { ...planned, read: (bucket: B) => chain(planned.read(bucket), (answer) => ({ ...more, ...answer })) };
};
