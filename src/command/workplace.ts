import type { Pool } from 'pg';
import { readEnvironment } from '../config.js';
import { openDatabase } from '../database/database.js';
import { createPool } from '../database/pools.js';
import { createLog, type Log } from '../log.js';
import { prepareDatabase } from '../prepare.js';

/** Where a command works: a connection to the migrated database, and the time. */
export interface Workplace {
  pool: Pool;
  now: Date;
  log: Log;
  /** Migrations that had to be applied first. */
  applied: string[];
}

/** Opens the database of the settings, whether the service runs or not, and leaves it as it was. */
export async function withDatabase<T>(work: (place: Workplace) => Promise<T>, { connections = 1 } = {}): Promise<T> {
  const config = readEnvironment(false);
  const log = createLog(config.logLevel);
  const database = await openDatabase(config, log);
  try {
    const applied = await prepareDatabase(database.connectionString, log);
    const pool = createPool(database.connectionString, { max: connections, name: 'ddp cli' });
    try {
      return await work({ pool, now: new Date(), log, applied });
    } finally {
      await pool.end();
    }
  } finally {
    await database.close();
  }
}
