import type { Place } from '../../failure.js';
import type { Awaitable, Pace } from '../../pace.js';
import type { Input } from '../../syntax/input.js';
import type { Answer } from '../answer.js';
import { type Print, printOf } from '../format.js';

/** What a pipeline makes of the buckets that it stands in. */
export type Across = (buckets: readonly Answer[]) => Awaitable<Answer[]>;

/** What bounds the work of a pipeline over buckets. */
export interface Limits {
  readonly pace: Pace;
  /** Counts values that windows are about to look at, over all pipelines of a query; throws where they are too many. */
  windowed(count: number, place: Place): void;
}

/** A number, or null where it is none. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Adds to a bucket where it is: with many pipelines, copying it for each would take the square of their number. */
export const put = (bucket: Answer, name: string, answer: Answer): Answer => {
  bucket[name] = answer;
  return bucket;
};

/** How a pipeline writes its numbers as text. */
export const printFor = ({ format }: { format?: Input }): Print => printOf(undefined, format);
