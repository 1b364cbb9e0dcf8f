import { type Awaitable, chain, type Pace } from '../../pace.js';
import { type Answer, hiddenKey } from '../answer.js';
import { avgBucketOf } from './avg-bucket.js';
import { extendedStatsBucketOf } from './extended-stats-bucket.js';
import { maxBucketOf } from './max-bucket.js';
import { minBucketOf } from './min-bucket.js';
import { bucketsAt, isAbsent, valueAt } from './path.js';
import { percentilesBucketOf } from './percentiles-bucket.js';
import type { SiblingPipeline } from './pipeline.js';
import { statsBucketOf } from './stats-bucket.js';
import { sumBucketOf } from './sum-bucket.js';

type Compute<P extends SiblingPipeline> = (pipeline: P, values: readonly number[], keys: readonly unknown[]) => Answer;

const compute: { [K in SiblingPipeline['kind']]: Compute<Extract<SiblingPipeline, { kind: K }>> } = {
  avg_bucket: avgBucketOf,
  sum_bucket: sumBucketOf,
  min_bucket: minBucketOf,
  max_bucket: maxBucketOf,
  stats_bucket: statsBucketOf,
  extended_stats_bucket: extendedStatsBucketOf,
  percentiles_bucket: percentilesBucketOf,
};

/** Computes a sibling pipeline. It omits buckets without a value. */
export const besides = (
  pipeline: SiblingPipeline,
  answers: Answer,
  { answered, pace }: { answered(count: number): void; pace: Pace },
): Awaitable<Answer> => {
  const { buckets, inner } = bucketsAt(answers, pipeline.path);
  answered(buckets.length);
  const valued = pace.map(buckets, (bucket) => {
    // This is read first, because a path that leads to no number is an error even for absent buckets.
    const value = valueAt(bucket, inner, pipeline.zeros);
    return {
      // An absent answer is not a gap to fill.
      value: isAbsent(bucket, inner) ? Number.NaN : value,
      key: bucket['key_as_string'] ?? bucket[hiddenKey] ?? textOf(bucket['key']),
    };
  });
  return chain(valued, (all) => {
    const found = all.filter(({ value }) => !Number.isNaN(value));
    return (compute[pipeline.kind] as Compute<SiblingPipeline>)(
      pipeline,
      found.map(({ value }) => value),
      found.map(({ key }) => key),
    );
  });
};

const textOf = (key: unknown): unknown => (typeof key === 'number' ? `${key}` : key);
