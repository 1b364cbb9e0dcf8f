import type pg from 'pg';
import type { Sql } from 'sql-template-tag';

/** Result of one transaction that a poll repeats: it drains an outbox, or decides states. */
export interface Drained {
  /** Number of rows that it handled. At 0 nothing is left for this process. */
  count: number;
  /** Called after the commit. */
  after: (() => void) | undefined;
}

/** A table in which triggers leave events, for the poll to make deliveries of. */
export interface Outbox {
  /** Condition in SQL: some event waits. */
  isWaiting: Sql;
  /** Claims some events and stores their deliveries, in the caller's transaction. */
  drain(tx: pg.PoolClient): Promise<Drained>;
}
