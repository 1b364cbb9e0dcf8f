import type { Awaitable, Pace } from '#search/pace.js';
import type { FaultPosition } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import type { Answer } from '../aggregation-answer.js';
import { type Print, printOf } from '../format.js';

/** Computes a pipeline over the buckets that contain it. */
export type Across = (buckets: readonly Answer[]) => Awaitable<Answer[]>;

/** Limits of a pipeline's work over buckets. */
export interface Limits {
  readonly pace: Pace;
  /** Counts the values that windows will read, over all pipelines of a query. Throws above the limit. */
  windowed(count: number, place: FaultPosition): void;
}

/** Returns a number, or null if it is not finite. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Adds an answer to a bucket in place: copying the bucket for each of many pipelines would take quadratic time. */
export const putAnswer = (bucket: Answer, name: string, answer: Answer): Answer => {
  bucket[name] = answer;
  return bucket;
};

/** Returns the text form of a pipeline's numbers. */
export const printFor = ({ format }: { format?: Input }): Print => printOf(undefined, format);
