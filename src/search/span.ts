import type { Instant } from './date/zone.js';

/** The time that records can be in. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}
