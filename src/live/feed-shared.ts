import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Recheck } from './feed.js';

/** What all feeds are made with. */
export interface FeedShared {
  /** For the few statements that all subscribers share. */
  pool: Pool;
  /** For what may be slow: the queries of subscriptions, and what came since a cursor. */
  slowPool: Pool;
  recheck: Recheck;
  log: Logger;
}
