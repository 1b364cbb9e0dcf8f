import type { EngineBucket, Part } from '../../../engine.js';
import { type Bucket, inside } from './bucket.js';
import type { Children, Stage } from './stage.js';

/** Buckets by condition: a record counts in each whose condition it meets. They are told by the place of the condition. */
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
      // The engine gives empty ones, too.
      return bucket === undefined || bucket.doc_count === 0 ? empty(around) : inside(bucket, around);
    };
  };
  const visit = (around: Bucket) => {
    const bucketOf = found(around);
    for (const index of conditions.keys()) children.visit(bucketOf(index));
  };
  return { asked: question.asked, found, visit };
};
