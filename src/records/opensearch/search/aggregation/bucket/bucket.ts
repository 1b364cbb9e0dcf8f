import type { Instant } from '../../../../../search/date/zone.js';
import type { EngineBucket } from '../../../engine.js';

/** A bucket as far as the answer needs it; one without records was not found. */
export interface Bucket {
  readonly found?: EngineBucket | undefined;
  /** Where the buckets of time around begin. */
  readonly start?: Instant;
  /** An empty bucket that stands only because of those around it: inside it nothing is counted, not even that nothing is. */
  readonly isGap?: boolean;
}

/** The bucket of no record: what stands inside finds nothing. */
export const noRecords: Bucket = {};

/** An empty bucket that stands only because of those around it. */
export const gap: Bucket = { isGap: true };

/** An empty bucket inside another. */
export const emptyIn = ({ isGap }: Bucket): Bucket => (isGap ? gap : noRecords);

/** A bucket of the engine's inside another. */
export const inside = (found: EngineBucket, { start }: Bucket): Bucket => ({
  found,
  ...(start !== undefined && { start }),
});

/** How many records a bucket has. */
export const countOf = ({ found }: Bucket): number => found?.doc_count ?? 0;
