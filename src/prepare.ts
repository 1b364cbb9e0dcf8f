import { MikroORM } from '@mikro-orm/postgresql';
import { ormOptions } from '../mikro-orm.config.js';
import { migrate } from './database/migrate.js';
import type { Log } from './log.js';

/** Brings a database to the newest schema and gives the names of what was applied. */
export async function prepareDatabase(connectionString: string, log: Log): Promise<string[]> {
  const orm = await MikroORM.init(ormOptions(connectionString));
  try {
    const applied = await migrate(orm);
    if (applied.length > 0) log.info({ applied }, 'Migrated the database.');
    return applied;
  } finally {
    await orm.close();
  }
}
