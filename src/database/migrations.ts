import { MikroORM } from '@mikro-orm/postgresql';
import type { Log } from '#common/log.js';
import { ormOptions } from '../../mikro-orm.config.js';
import { migrationsForBackup, refuseEarlierBuild } from './earlier-build.js';
import { migrate } from './migrate.js';
import { lockLimit } from './online-steps.js';

/** Applies the missing migrations of a database and returns their names. */
export async function applyMigrations(connectionString: string, log: Log): Promise<string[]> {
  // A migration that waits for a lock blocks the statements behind it. With a lock timeout it fails and retries
  // instead.
  const orm = await MikroORM.init(ormOptions(connectionString, `-c lock_timeout=${lockLimit}`));
  try {
    const applied = await migrate(orm, { log });
    if (applied.length > 0) log.info({ applied }, 'Database migrated');
    return applied;
  } finally {
    await orm.close();
  }
}

/**
 * Opens the migrator for a caller that holds the migration lock. The caller must close it.
 * @throws Error with a sentence if a build from before the baseline made the database
 */
export async function openMigrations(connectionString: string) {
  const orm = await MikroORM.init(ormOptions(connectionString));
  const [pending = [], executed = []] = await namesOf(orm).catch(async (error: unknown) => {
    await orm.close();
    throw error;
  });
  const names = [...executed, ...pending];
  return {
    /** All migrations of this release. */
    names,
    /**
     * Returns the migrations that create the tables of a backup, from the migrations that were applied to its database.
     */
    forBackup: (applied: readonly string[]) => migrationsForBackup(applied, names),
    /** Migrations that the database lacks. */
    pending,
    /** Applies the named migrations that are missing; without names, all that are missing. */
    apply: (names?: readonly string[]) => orm.migrator.up(names && { migrations: [...names] }),
    close: () => orm.close(),
  };
}

/** Returns the names of the missing and of the applied migrations. */
async function namesOf({ migrator }: MikroORM): Promise<string[][]> {
  const lists = [await migrator.getPending(), await migrator.getExecuted()];
  const [pending = [], executed = []] = lists.map((list) => list.map(({ name }) => name));
  refuseEarlierBuild(executed);
  return [pending, executed];
}
