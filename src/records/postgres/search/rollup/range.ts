import type { NumberSlot } from '../sql/stored-field.js';

/** The start of an hour or a day of a product whose rollup is out of date, in milliseconds. */
export interface Stale {
  readonly productId: string | null;
  readonly start: number;
}

/** The hours that a query may take from rollups, the slots that it reads, and whose rollups it reads. */
export interface RollupRange {
  /** Start of the first whole hour, and end of the last: ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** Whether the time asked for begins before, and ends after these hours. */
  readonly before: boolean;
  readonly after: boolean;
  /** Nothing that is asked for is after it; ISO 8601. */
  readonly end: string;
  readonly slots: readonly number[];
  /** Products whose devices are read together. */
  readonly whole: readonly string[];
  /** Products that are read device by device; null: records of none. */
  readonly apart: readonly (string | null)[];
  /** Whether all devices of these are asked about. */
  readonly everyDevice?: boolean;
  /** Of products that are read device by device: whole days (UTC, ISO 8601) that need not be read by the hour. */
  readonly days?: { readonly from: string; readonly to: string; readonly stale: readonly Stale[] };
  /** Of digests and sketches of products read together: whole weeks (ISO 8601) that need not be read by the day, but for those that are out of date. */
  readonly weeks?: { readonly from: string; readonly to: string; readonly stale: readonly Stale[] };
  /** Hours in the range whose rollups are out of date; days where `keys`, `digests` or `sketches` are set. */
  readonly stale: readonly Stale[];
  /** Set where records are told apart by the value of a variable: the slot of each product (see `record_value.key`). */
  readonly keys?: readonly NumberSlot[];
  /** Set where digests of the numbers are read. */
  readonly digests?: boolean;
  /** Set where sketches of the values are read. */
  readonly sketches?: boolean;
}

/** Whose records are looked at. */
export interface Whose {
  readonly organizationId: string;
  readonly deviceIds: readonly string[];
}
