import type { EngineBucket, Part } from '../../../engine.js';
import { type Bucket, inside } from './bucket.js';
import type { Children, Stage } from './stage.js';

/**
 * Plans a bucket per condition: a record counts in the bucket of each condition that it meets. Buckets are identified
 * by the index of the condition.
 */
export const conditionBuckets = (
  conditions: readonly Part[],
  children: Children,
  stage: Stage,
  empty: (around: Bucket) => Bucket,
) => {
  const filters = Object.fromEntries(conditions.map((condition, index) => [`${index}`, condition]));
  const question = stage.ask('filters', { filters }, { children });
  const found = (around: Bucket) => {
    const buckets = (question.answerIn(around)?.['buckets'] ?? {}) as Readonly<Record<string, EngineBucket>>;
    return (index: number): Bucket => {
      const bucket = buckets[`${index}`];
      // The engine also returns empty buckets.
      return bucket === undefined || bucket.doc_count === 0 ? empty(around) : inside(bucket, around);
    };
  };
  const visit = (around: Bucket) => {
    const bucketOf = found(around);
    for (const index of conditions.keys()) children.visit(bucketOf(index));
  };
  return { asked: question.asked, found, visit };
};
