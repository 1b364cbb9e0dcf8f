import { MikroORM } from '@mikro-orm/postgresql';
import { ormOptions } from '../mikro-orm.config.js';
import { migrate } from './database/migrate.js';
import { lockLimit } from './database/online-steps.js';
import type { Log } from './log.js';

/** Applies the missing migrations of a database and returns their names. */
export async function applyMigrations(connectionString: string, log: Log): Promise<string[]> {
  // A migration that waits for a lock blocks the statements behind it. With a lock timeout it fails and retries
  // instead.
  const orm = await MikroORM.init(ormOptions(connectionString, `-c lock_timeout=${lockLimit}`));
  try {
    const applied = await migrate(orm, { log });
    if (applied.length > 0) log.info({ applied }, 'Migrated the database.');
    return applied;
  } finally {
    await orm.close();
  }
}

/** Opens the migrator for a caller that holds the migration lock. The caller must close it. */
export async function openMigrations(connectionString: string) {
  const orm = await MikroORM.init(ormOptions(connectionString));
  const pending = await orm.migrator.getPending();
  const executed = await orm.migrator.getExecuted();
  return {
    /** All migrations of this release. */
    names: [...executed, ...pending].map(({ name }) => name),
    /** Migrations that the database lacks. */
    pending: pending.map(({ name }) => name),
    /** Applies the named migrations that are missing; without names, all that are missing. */
    apply: (names?: readonly string[]) => orm.migrator.up(names && { migrations: [...names] }),
    close: () => orm.close(),
  };
}
