import type pg from 'pg';
import type { Sql } from 'sql-template-tag';

/** Result of one transaction that a poll repeats, which drains an outbox or decides states. */
export interface Drained {
  /** Number of rows that it handled. 0 means that nothing is left for this process. */
  count: number;
  /** Called after the commit. */
  after: (() => void) | undefined;
}

/** A table of events that triggers noted and that the poll turns into deliveries. */
export interface Outbox {
  /** SQL condition: an event waits. */
  isWaiting: Sql;
  /** Claims a batch of events and stores their deliveries, in the caller's transaction. */
  drain(tx: pg.PoolClient): Promise<Drained>;
}
