import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { clientOf } from './database/client.js';
import { migrationName } from './database/migration-name.js';
import type { Log } from './log.js';

/** PostgreSQL's error code undefined_table. */
const undefinedTable = '42P01';

/**
 * Migrates a database to the newest schema and returns the names of the applied migrations. The ORM, which applies
 * migrations, is loaded only when one is missing, as loading it and connecting takes longer than most commands.
 */
export async function prepareDatabase(connectionString: string, log: Log): Promise<string[]> {
  // A migration has its row only when it is complete, so no lock is needed to see that none is missing.
  if (await hasAllMigrations(connectionString)) return [];
  const { applyMigrations } = await import('./migrations.js');
  return applyMigrations(connectionString, log);
}

/** Returns the names of this release's migrations, the oldest first. */
export async function migrationsOfRelease(): Promise<string[]> {
  const files = await readdir(fileURLToPath(new URL('../migrations', import.meta.url)));
  return files
    .filter((file) => file.endsWith('.js'))
    .map((file) => file.slice(0, -'.js'.length))
    .sort();
}

async function hasAllMigrations(connectionString: string): Promise<boolean> {
  const names = await migrationsOfRelease();
  const client = new (clientOf(connectionString))({ connectionString, application_name: migrationName });
  await client.connect();
  try {
    const { rowCount } = await client.query('select distinct name from migration where name = any($1)', [names]);
    return rowCount === names.length;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === undefinedTable) return false;
    throw error;
  } finally {
    await client.end();
  }
}
