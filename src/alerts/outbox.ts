import type pg from 'pg';
import type { Sql } from 'sql-template-tag';

/** What one transaction took out of an outbox. */
export interface Drained {
  /** Number of rows. */
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
