import type { Pool } from 'pg';
import { createLog, type Log } from '#common/log.js';
import { type Config, readEnvironment } from '#config/config.js';
import { openDatabase } from '#database/database.js';
import { createPool } from '#database/pools.js';
import { prepareDatabase } from '#database/prepare.js';

/** Environment of a command: a connection to the migrated database, and the time. */
export interface Workplace {
  pool: Pool;
  now: Date;
  log: Log;
  config: Config;
  /** Names of the migrations that had to be applied first. */
  applied: string[];
}

/**
 * Opens the configured database, whether or not the service runs, and closes it after the work. An embedded server
 * stops again when this command was its last user.
 */
export const withDatabase = <T>(work: (place: Workplace) => Promise<T>, { connections = 1 } = {}): Promise<T> =>
  withServer(async ({ connectionString, config, log }) => {
    const applied = await prepareDatabase(connectionString, log);
    const pool = createPool(connectionString, { max: connections, name: 'ddp cli' });
    try {
      return await work({ pool, now: new Date(), log, config, applied });
    } finally {
      await pool.end();
    }
  });

/** A database before migration: of an older release, of a newer one, or empty. */
export interface Site {
  connectionString: string;
  /** Whether the database is the embedded one. */
  embedded: boolean;
  config: Config;
  log: Log;
}

/** Opens the configured database without migrating it. */
export async function withServer<T>(work: (site: Site) => Promise<T>): Promise<T> {
  const config = readEnvironment(false);
  const log = createLog(config.logLevel);
  const { connectionString, embedded, close } = await openDatabase(config, log);
  try {
    return await work({ connectionString, embedded, config, log });
  } finally {
    await close();
  }
}
