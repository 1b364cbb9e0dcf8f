import type { Aggregation } from '../../search/aggregation/aggregation.js';
import { hiddenClass } from '../../search/aggregation/answer.js';
import type { PipelineAggregation } from '../../search/aggregation/pipeline/pipeline.js';
import { inOrder, isPipeline } from '../../search/aggregation/pipeline/place.js';
import { chain } from '../../search/pace.js';
import { type ChildrenIn, type Counting, childrenOf, type PlannedIn } from './children.js';
import { engineClass } from './engine-class.js';
import { plannedPipeline } from './pipeline.js';

/** An aggregation that a store is asked. */
export type AskedAggregation = Exclude<Aggregation, PipelineAggregation>;

/** Aggregations of the same buckets, as a store has planned them, and what joins them with the pipelines beside them. */
export interface PlannedSiblings<B, M, P extends PlannedIn<B, M>> {
  readonly planned: ReadonlyMap<string, P>;
  readonly children: ChildrenIn<B, M>;
}

/** Plans aggregations that stand in the same buckets: `plan` those that a store is asked, in their order; pipelines here. */
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

/** Gives answers what stands beside them: `meta`, and, where pipelines may read them, the engines' class. */
const withMeta = <B, M, P extends PlannedIn<B, M>>({ kind, meta }: AskedAggregation, planned: P): P => {
  const ofClass = engineClass(kind, planned.keyKind);
  if (meta === undefined && ofClass === undefined) return planned;
  const more = { ...(meta !== undefined && { meta }), ...(ofClass !== undefined && { [hiddenClass]: ofClass }) };
  return { ...planned, read: (bucket: B) => chain(planned.read(bucket), (answer) => ({ ...more, ...answer })) };
};
