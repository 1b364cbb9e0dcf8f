import type { BucketScript, BucketSelector } from './bucket-script.js';
import type { BucketSort } from './bucket-sort.js';
import type { CumulativeSum, Derivative, SerialDiff } from './derivative.js';
import type { MovingFn } from './moving-fn.js';
import type {
  AvgBucket,
  ExtendedStatsBucket,
  MaxBucket,
  MinBucket,
  PercentilesBucket,
  StatsBucket,
  SumBucket,
} from './sibling.js';

/** Pipelines over the buckets that contain them, in the order of these buckets. */
export type ParentPipeline =
  | Derivative
  | CumulativeSum
  | SerialDiff
  | MovingFn
  | BucketScript
  | BucketSelector
  | BucketSort;

/** Pipelines beside the buckets that they read. */
export type SiblingPipeline =
  | AvgBucket
  | SumBucket
  | MinBucket
  | MaxBucket
  | StatsBucket
  | ExtendedStatsBucket
  | PercentilesBucket;

/** Aggregations over the answers of other aggregations. */
export type PipelineAggregation = ParentPipeline | SiblingPipeline;
