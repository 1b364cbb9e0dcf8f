import type { BlockColumn } from './block-column.js';
import type { Processes } from './id-column.js';
import type { Lines } from './line.js';
import type { Run } from './run.js';
import type { BlockSum } from './sum.js';

/** Records of one product and one UTC day, encoded by columns. */
export interface Block {
  /** Number of records. */
  n: number;
  /** Runs of one device each, in the order of devices. */
  runs: readonly Run[];
  /** Range of arrivals, in milliseconds since 1970. Undefined if identifiers have none. */
  arrivals?: { lowest: number; highest: number };
  /** Lines of times (in microseconds since 1970) and of `seq`. Their residuals are columns. */
  ts: Omit<Lines, 'residuals'>;
  seq: Omit<Lines, 'residuals'>;
  processes?: Processes;
  columns: ReadonlyMap<number, BlockColumn>;
  sums: readonly BlockSum[];
}
