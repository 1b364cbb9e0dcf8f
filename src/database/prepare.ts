import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Log } from '#common/log.js';
import { clientOf } from './client.js';
import { refuseEarlierBuild } from './earlier-build.js';
import { migrationName } from './migration-name.js';

/** PostgreSQL's error code undefined_table. */
const undefinedTable = '42P01';

/**
 * Migrates a database to the newest schema and returns the names of the applied migrations. The ORM, which applies
 * migrations, is loaded only when one is missing, as loading it and connecting takes longer than most commands.
 * @throws Error with a sentence if a build from before the baseline made the database
 */
export async function prepareDatabase(connectionString: string, log: Log): Promise<string[]> {
  // A migration has its row only when it is complete, so no lock is needed to see that none is missing.
  if (await hasAllMigrations(connectionString)) return [];
  const { applyMigrations } = await import('./migrations.js');
  return applyMigrations(connectionString, log);
}

/** Returns the names of this release's migrations, the oldest first. */
export async function migrationsOfRelease(): Promise<string[]> {
  const files = await readdir(fileURLToPath(new URL('../../migrations', import.meta.url)));
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
    const { rows } = await client.query<{ name: string }>('select name from migration');
    const applied = new Set(rows.map(({ name }) => name));
    refuseEarlierBuild([...applied]);
    return names.every((name) => applied.has(name));
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === undefinedTable) return false;
    throw error;
  } finally {
    await client.end();
  }
}
