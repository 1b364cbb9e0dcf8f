import type { Across, Limits } from './across.js';
import { bucketScriptOf, bucketSelectorOf } from './bucket-script.js';
import { bucketSortOf } from './bucket-sort.js';
import { cumulativeSumOf, derivativeOf, serialDiffOf } from './derivative.js';
import { movingFnOf } from './moving-fn.js';
import type { ParentPipeline } from './pipeline.js';

type Plan = {
  [K in ParentPipeline['kind']]: (pipeline: Extract<ParentPipeline, { kind: K }>, limits: Limits) => Across;
};

const plans: Plan = {
  derivative: derivativeOf,
  cumulative_sum: cumulativeSumOf,
  serial_diff: serialDiffOf,
  moving_fn: movingFnOf,
  bucket_script: bucketScriptOf,
  bucket_selector: bucketSelectorOf,
  bucket_sort: bucketSortOf,
};

/** Plans a pipeline over the buckets that contain it. */
export const acrossOf = (pipeline: ParentPipeline, limits: Limits): Across =>
  (plans[pipeline.kind] as (pipeline: ParentPipeline, limits: Limits) => Across)(pipeline, limits);
