import pg from 'pg';
import { createPool } from '#database/pools.js';
import { recordSession } from './record-index.js';

/**
 * Pools that the files of a worker share, by the address of their database. Starting and ending a PostgreSQL process
 * takes 45 ms of processor time here, more than most of the statements that tests send.
 */
const pools = new Map<string, pg.Pool>();

function kept(kind: string, databaseUrl: string, make: () => pg.Pool): pg.Pool {
  const key = `${kind} ${databaseUrl}`;
  let pool = pools.get(key);
  if (pool === undefined) {
    pool = make();
    pool.on('error', () => undefined);
    // An idle connection does not keep the worker from exiting.
    pool.options.allowExitOnIdle = true;
    pools.set(key, pool);
  }
  return pool;
}

/** Returns the worker's pool for a database, with the types and the session of the service's own SQL. */
export const poolOf = (databaseUrl: string): pg.Pool =>
  kept('service', databaseUrl, () => createPool(databaseUrl, { max: 3, name: 'ddp test' }));

/**
 * Returns the worker's pool of connections that return pg's own types. The name `record` in a statement means the table
 * of records that the services of this run write.
 */
export const plainPoolOf = (databaseUrl: string): pg.Pool => {
  const options = recordSession();
  return kept(`plain ${options}`, databaseUrl, () => new pg.Pool({ connectionString: databaseUrl, options, max: 3 }));
};

/** Closes the worker's pools for a database that nothing uses any more. */
export async function endPoolsOf(databaseUrl: string): Promise<void> {
  const ended = [...pools].filter(([key]) => key.endsWith(` ${databaseUrl}`));
  for (const [key] of ended) pools.delete(key);
  await Promise.all(ended.map(([, pool]) => pool.end()));
}
