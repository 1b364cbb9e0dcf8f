import type { Answer } from '#search/aggregation/aggregation-answer.js';
import { acrossOf } from '#search/aggregation/pipeline/parent.js';
import type { ParentPipeline, PipelineAggregation, SiblingPipeline } from '#search/aggregation/pipeline/pipeline.js';
import { standsBeside } from '#search/aggregation/pipeline/pipeline-order.js';
import { besides } from '#search/aggregation/pipeline/sibling.js';
import { chain } from '#search/pace.js';
import type { Counting, PlannedPipeline } from './children.js';

/** Plans a pipeline over sibling answers, or over the buckets that contain it. */
export const plannedPipeline = (pipeline: PipelineAggregation, planning: Counting): PlannedPipeline => {
  const { name, meta } = pipeline;
  if (!standsBeside(pipeline)) return { name, across: acrossOf(pipeline as ParentPipeline, planning) };
  const own = meta === undefined ? {} : { meta };
  const beside = (answers: Answer) =>
    chain(besides(pipeline as SiblingPipeline, answers, planning), (answer) => ({ ...own, ...answer }));
  return { name, beside };
};
