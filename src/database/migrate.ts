import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';

/** Any number that nothing else in the database locks: "ddp migrate" in letters of a telephone. */
const LOCK = 337_6474283;

/**
 * Brings the database to the newest schema and gives the names of what was applied. Forward only. Of several processes
 * that start at once one migrates, the others wait for it and find nothing left to do.
 */
export async function migrate(orm: MikroORM): Promise<string[]> {
  const guard = new pg.Client({ connectionString: orm.config.get('clientUrl'), application_name: 'ddp migrate' });
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock($1)', [LOCK]);
    const applied = await orm.migrator.up();
    return applied.map((migration) => migration.name);
  } finally {
    await guard.end();
  }
}

/** The names of the migrations that a database has. */
export const appliedMigrations = async (orm: MikroORM): Promise<string[]> =>
  (await orm.migrator.getExecuted()).map(({ name }) => name);
