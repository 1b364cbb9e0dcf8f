import type { EngineBucket } from '#records/opensearch/engine.js';
import type { Instant } from '#search/date/zone.js';

/** A bucket as the answer needs it; `found` is missing in a bucket without records. */
export interface Bucket {
  readonly found?: EngineBucket | undefined;
  /** Start of the enclosing time bucket. */
  readonly start?: Instant;
  /**
   * Whether the bucket is an empty one that only fills a gap between others: its sub-aggregations are not counted, not
   * even as empty.
   */
  readonly isGap?: boolean;
}

/** A bucket without records: its sub-aggregations find nothing. */
export const noRecords: Bucket = {};

/** An empty bucket that only fills a gap between others. */
export const gap: Bucket = { isGap: true };

/** Creates an empty bucket inside another. */
export const emptyIn = ({ isGap }: Bucket): Bucket => (isGap ? gap : noRecords);

/** Creates a bucket inside another from one that the engine returned. */
export const inside = (found: EngineBucket, { start }: Bucket): Bucket => ({
  found,
  ...(start !== undefined && { start }),
});

/** Returns the number of records in a bucket. */
export const countOf = ({ found }: Bucket): number => found?.doc_count ?? 0;
