import type { Instant } from './date/zone.js';

/** Time span of records. */
export interface InstantRange {
  readonly from: Instant;
  readonly to: Instant;
}
