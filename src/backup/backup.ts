import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import {
  columnsOf,
  copySession,
  listMigrations,
  listSequences,
  listTables,
  quotedName,
  type StoredTable,
} from './catalog.js';
import { countRows, frame, headerFrame, writeBackup } from './file.js';

export interface BackupOptions {
  connectionString: string;
  /** Path of the file, which must not exist. */
  path: string;
  /** Release that writes the backup. */
  version: string;
  now: Date;
  /** Called with the number of rows written, and the approximate total. */
  onProgress?(done: number, total: number): void;
}

export interface BackupSummary {
  rows: number;
  /** Size of the file. */
  bytes: number;
}

/**
 * Writes all data of a database to a file, as one snapshot shows them, while services continue. It locks only one table
 * at a time, so that partitions can be made and dropped meanwhile. A partition that retention drops is not in the
 * backup.
 * @throws Error with a sentence if there is nothing to back up, or a migration ran meanwhile
 */
export async function createBackup(options: BackupOptions): Promise<BackupSummary> {
  const client = new pg.Client({ connectionString: options.connectionString, application_name: 'ddp backup' });
  await client.connect();
  try {
    await client.query(copySession);
    await client.query('begin isolation level repeatable read read only');
    const summary: BackupSummary = { rows: 0, bytes: 0 };
    summary.bytes = await writeBackup(options.path, framesOf(client, options, summary));
    return summary;
  } finally {
    await client.end();
  }
}

async function* framesOf(
  client: pg.Client,
  { version, now, onProgress }: BackupOptions,
  summary: BackupSummary,
): AsyncGenerator<Buffer> {
  const migrations = await listMigrations(client);
  if (migrations.length === 0)
    throw new Error('There is nothing to back up: the database has none of the tables of this service.');
  const tables = await listTables(client);
  const total = tables.reduce((sum, { estimate }) => sum + estimate, 0);
  yield headerFrame({
    version,
    createdAt: now.toISOString(),
    migrations,
    tables: tables.map(({ estimate: _, ...table }) => table),
  });
  const counts: number[] = [];
  for (const [index, table] of tables.entries()) {
    yield frame('T', { index });
    let rows = 0;
    for await (const piece of rowsOf(client, table)) {
      const ended = countRows(piece);
      rows += ended;
      summary.rows += ended;
      onProgress?.(summary.rows, total);
      yield frame('D', piece);
    }
    counts.push(rows);
  }
  yield frame('E', { rows: counts, sequences: await listSequences(client) });
  await client.query('commit');
  // This is a new snapshot. The old one may not show a table as it was before a migration changed it.
  if ((await listMigrations(client)).length !== migrations.length)
    throw new Error('A migration changed the database meanwhile: back it up again.');
}

/**
 * Yields the rows of a table in the text form of COPY, one per line. Rolling back to a savepoint releases the table's
 * lock at once.
 */
async function* rowsOf(client: pg.Client, table: StoredTable): AsyncGenerator<Buffer> {
  await client.query('savepoint one');
  try {
    const rows = client.query(copyTo(`copy ${quotedName(table)} (${columnsOf(table)}) to stdout`));
    yield* rows as AsyncIterable<Buffer>;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === undefinedTable && table.partition)) throw error;
  }
  await client.query('rollback to savepoint one');
}

/** SQLSTATE of a missing table (PostgreSQL, appendix A). */
const undefinedTable = '42P01';
