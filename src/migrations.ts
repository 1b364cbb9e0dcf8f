import { MikroORM } from '@mikro-orm/postgresql';
import { ormOptions } from '../mikro-orm.config.js';
import { migrate } from './database/migrate.js';
import { lockLimit } from './database/online-steps.js';
import type { Log } from './log.js';

/** Applies the migrations that a database lacks and gives their names. */
export async function applyMigrations(connectionString: string, log: Log): Promise<string[]> {
  // A migration that waits for a lock makes others wait behind it: it tries again instead.
  const orm = await MikroORM.init(ormOptions(connectionString, `-c lock_timeout=${lockLimit}`));
  try {
    const applied = await migrate(orm, { log });
    if (applied.length > 0) log.info({ applied }, 'Migrated the database.');
    return applied;
  } finally {
    await orm.close();
  }
}

/** Opens what applies migrations, for whoever holds the lock on them; close it. */
export async function openMigrations(connectionString: string) {
  const orm = await MikroORM.init(ormOptions(connectionString));
  const pending = await orm.migrator.getPending();
  const executed = await orm.migrator.getExecuted();
  return {
    /** All of this release. */
    names: [...executed, ...pending].map(({ name }) => name),
    /** Those that the database lacks. */
    pending: pending.map(({ name }) => name),
    /** Applies those of these that are missing; without names all that are. */
    apply: (names?: readonly string[]) => orm.migrator.up(names && { migrations: [...names] }),
    close: () => orm.close(),
  };
}
