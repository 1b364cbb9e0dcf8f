import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Reader } from '#database/reader.js';
import { consoleFolder } from '#http/console.js';

/** Number of builds whose files are kept: this one, that of the release before, and one for a repeated upgrade. */
const builds = 3;

/**
 * Stores the console's files of this build in the database, and deletes those of old builds. Processes of another
 * release, or of another folder, serve them to pages that an earlier or later build made.
 */
export async function keepConsoleAssets(pool: Pool, now: Date, folder = join(consoleFolder, 'assets')): Promise<void> {
  const files = await readdir(folder).catch(() => []);
  const names = files.filter((name) => name.endsWith('.br')).map((name) => name.slice(0, -'.br'.length));
  if (names.length === 0) return;
  // Processes that start at once lock the rows in one order, so that none waits for another in a circle.
  const { rows } = await pool.query<{ name: string }>(sql`
    with known as (select name from console_asset where name = any(${names}) order by name for update)
    update console_asset a set build_at = greatest(a.build_at, ${now}) from known where a.name = known.name
    returning a.name`);
  const kept = new Set(rows.map(({ name }) => name));
  const missing = names.filter((name) => !kept.has(name));
  const contents = await Promise.all(missing.map((name) => readFile(join(folder, `${name}.br`))));
  await pool.query(sql`
    insert into console_asset (name, content, build_at)
    select name, content, ${now} from unnest(${missing}::text[], ${contents}::bytea[]) as file (name, content)
    on conflict (name) do nothing`);
  await pool.query(sql`
    with old as (
      select name from console_asset where build_at < (
        select min(build_at) from (select distinct build_at from console_asset order by build_at desc limit ${builds}) b)
       order by name for update)
    delete from console_asset a using old where a.name = old.name`);
}

/** Creates the function that finds a file of another build, compressed by Brotli. */
export const createAssetFinder =
  ({ read }: Pick<Reader, 'read'>) =>
  async (name: string): Promise<Buffer | undefined> => {
    const [file] = await read<{ content: Buffer }>(sql`select content from console_asset where name = ${name}`);
    return file?.content;
  };
