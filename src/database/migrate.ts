import type { MikroORM } from '@mikro-orm/postgresql';
import { clientOf } from './primary.js';

/** Any number that nothing else in the database locks: "ddp migrate" in letters of a telephone. */
const LOCK = 337_6474283;

/**
 * Does something while no other process migrates the database. Of several that start at once one has the lock, the others
 * wait for it.
 */
export async function withMigrationLock<Result>(
  connectionString: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const guard = new (clientOf(connectionString))({ connectionString, application_name: 'ddp migrate' });
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock($1)', [LOCK]);
    return await work();
  } finally {
    await guard.end();
  }
}

/**
 * Brings the database to the newest schema and gives the names of what was applied. Forward only. Of several processes
 * that start at once one migrates, the others find nothing left to do.
 */
export const migrate = (orm: MikroORM): Promise<string[]> =>
  withMigrationLock(orm.config.get('clientUrl')!, async () => namesOf(await orm.migrator.up()));

/** The names of the migrations that a database has. */
export const appliedMigrations = async (orm: MikroORM): Promise<string[]> => namesOf(await orm.migrator.getExecuted());

const namesOf = (migrations: readonly { name: string }[]): string[] => migrations.map(({ name }) => name);
