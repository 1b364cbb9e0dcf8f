import type { Pool } from 'pg';

/** A pool, or a connection that the caller may hold a transaction on. */
export type Queryable = Pick<Pool, 'query'>;
