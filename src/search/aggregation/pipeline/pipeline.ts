import type { AvgBucket } from './avg-bucket.js';
import type { BucketScript } from './bucket-script.js';
import type { BucketSelector } from './bucket-selector.js';
import type { BucketSort } from './bucket-sort.js';
import type { CumulativeSum } from './cumulative-sum.js';
import type { Derivative } from './derivative.js';
import type { ExtendedStatsBucket } from './extended-stats-bucket.js';
import type { MaxBucket } from './max-bucket.js';
import type { MinBucket } from './min-bucket.js';
import type { MovingFn } from './moving-fn.js';
import type { PercentilesBucket } from './percentiles-bucket.js';
import type { SerialDiff } from './serial-diff.js';
import type { StatsBucket } from './stats-bucket.js';
import type { SumBucket } from './sum-bucket.js';

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
