import type { Instant } from './date/zone.js';

/** Time span of records. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}
