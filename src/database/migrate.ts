import { setTimeout as delay } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { backOff } from '../back-off.js';
import type { Log } from '../log.js';
import { clientOf } from './client.js';
import { migrationName } from './migration-name.js';
import { watchMigration } from './migration-progress.js';
import { isBusy } from './online-steps.js';

/**
 * Any number that nothing else in the database locks: "ddp migrate" in letters of a telephone, and one. Without the one it
 * was the lock of builds that wait for it inside a statement, and an index that is built concurrently waits for them in turn.
 */
const LOCK = 337_6474283_1;
/** How often whoever waits for the lock tries again, in milliseconds. */
const lockInterval = 250;

/** What may be told of a migration, and how often, in milliseconds. */
export interface MigrationOptions {
  log?: Log;
  every?: number;
}

/**
 * Does something while no other process migrates the database. Of several that start at once one has the lock, the others
 * wait for it.
 */
export async function withMigrationLock<Result>(
  connectionString: string,
  work: (guard: pg.Client) => Promise<Result>,
): Promise<Result> {
  const guard = new (clientOf(connectionString))({ connectionString, application_name: migrationName });
  await guard.connect();
  try {
    // Asked again and again: a statement that waits has a snapshot, for whose end an index that is built concurrently waits.
    while (!(await tryLock(guard))) await delay(lockInterval);
    return await work(guard);
  } finally {
    await guard.end();
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK]);
  return rows[0]?.locked === true;
}

/**
 * Brings the database to the newest schema and gives the names of what was applied. Forward only. Of several processes
 * that start at once one migrates, the others find nothing left to do. Logs how far it is, and for whom it waits.
 */
export const migrate = (orm: MikroORM, { log, every = 5000 }: MigrationOptions = {}): Promise<string[]> =>
  withMigrationLock(orm.config.get('clientUrl')!, async (guard) => {
    const before = new Set(await appliedMigrations(orm));
    const watch = log && watchMigration(guard, log, every);
    try {
      await applyAll(orm);
    } finally {
      await watch?.stop();
    }
    return (await appliedMigrations(orm)).filter((name) => !before.has(name));
  });

/** Each migration commits by itself; one that did not get its locks in time is tried again. */
async function applyAll(orm: MikroORM): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await orm.migrator.up();
      return;
    } catch (error) {
      if (!isBusy(error) && !isBusy((error as Error).cause)) throw error;
      await delay(backOff(tries));
    }
  }
}

/** The names of the migrations that a database has. */
export const appliedMigrations = async (orm: MikroORM): Promise<string[]> =>
  (await orm.migrator.getExecuted()).map(({ name }) => name);
