import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { columnsOf, copySession, listMigrations, listTables, nameOf, quoted } from './catalog.js';
import { countRows, type Frame, type Header, newer, readBackup, readEnd, readHeader, type Table } from './file.js';

/** What a backup is restored with. */
export interface RestoreOptions {
  connectionString: string;
  path: string;
  /** All migrations of this release. */
  migrations: readonly string[];
  /** Applies these, or all that are missing; nothing else migrates the database meanwhile. */
  migrate(names?: readonly string[]): Promise<unknown>;
  /** Told of rows that are stored, and of how many there are. */
  onProgress?(done: number, total: number): void;
}

/** What was restored. */
export interface RestoreSummary {
  rows: number;
  /** When the backup began, ISO 8601. */
  createdAt: string;
  /** The release that wrote it. */
  version: string;
}

/**
 * Restores a backup into an empty database: the schema that it had by migrations, the rows in one transaction, and the
 * migrations since. What fails leaves the database without rows, so that it can be tried again.
 * @throws Error with a sentence where the file is damaged or of a newer release, or the database is not empty
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const { header, total } = await checkFile(options.path, options.migrations);
  const client = new pg.Client({ connectionString: options.connectionString, application_name: 'ddp restore' });
  await client.connect();
  try {
    await client.query(copySession);
    await requireEmpty(client, header);
    await options.migrate(header.migrations);
    await client.query('begin');
    await matchPartitions(client, header.tables);
    await switchTriggers(client, 'disable');
    const rows = await load(client, options, total);
    await switchTriggers(client, 'enable');
    await client.query('commit');
    await options.migrate();
    await client.query('analyze');
    return { rows, createdAt: header.createdAt, version: header.version };
  } finally {
    await client.end();
  }
}

/** Reads the file to its end before anything is changed. */
async function checkFile(path: string, migrations: readonly string[]): Promise<{ header: Header; total: number }> {
  let header: Header | undefined;
  let last: Frame | undefined;
  for await (const frame of readBackup(path)) {
    header ??= readHeader(frame);
    last = frame;
  }
  // The reader has refused a file without them.
  const end = readEnd(last!);
  if (!header!.migrations.every((name) => migrations.includes(name))) throw newer(header!.version);
  return { header: header!, total: end.rows.reduce((sum, rows) => sum + rows, 0) };
}

async function requireEmpty(client: pg.Client, { migrations }: Header): Promise<void> {
  for (const table of await listTables(client)) {
    const { rowCount } = await client.query(`select from ${nameOf(table)} limit 1`);
    if (rowCount)
      throw new Error(`The database is not empty (there are rows in ${table.name}): restore into a new one.`);
  }
  if (!(await listMigrations(client)).every((name) => migrations.includes(name)))
    throw new Error('The database has tables of a newer release than the backup: restore into a new one.');
}

/** What PostgreSQL writes as the bounds of our partitions, and no other text. */
const bounds = /^FOR VALUES FROM \('[\da-f :+.-]+'\) TO \('[\da-f :+.-]+'\)$/;
const storageOption = /^[a-z_]+=[\w.-]+$/;

/** Gives partitioned tables the partitions of the backup instead of those that migrations made for today. */
async function matchPartitions(client: pg.Client, wanted: readonly Table[]): Promise<void> {
  const same = (table: Table) => (other: Table) =>
    nameOf(table) === nameOf(other) && table.partition?.bound === other.partition?.bound;
  const there = await listTables(client);
  for (const table of there) {
    if (table.partition && !wanted.some(same(table))) await client.query(`drop table ${nameOf(table)}`);
  }
  for (const table of wanted) {
    if (!table.partition || there.some(same(table))) continue;
    const { parent, bound } = table.partition;
    if (!bounds.test(bound) || !table.options.every((option) => storageOption.test(option)))
      throw new Error(`The partition ${table.name} cannot be restored: ${bound} ${table.options.join(', ')}`);
    const options = table.options.length > 0 ? ` with (${table.options.join(', ')})` : '';
    await client.query(`create table ${nameOf(table)} partition of ${nameOf(parent)} ${bound}${options}`);
  }
}

/** Triggers write rows that the backup has as well. Those of foreign keys stay as they are. */
async function switchTriggers(client: pg.Client, how: 'disable' | 'enable'): Promise<void> {
  const { rows } = await client.query<{ schema: string; name: string; trigger: string }>(
    `select n.nspname as schema, c.relname as name, t.tgname as trigger
       from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where not t.tgisinternal and t.tgparentid = 0`,
  );
  for (const { trigger, ...table } of rows) {
    await client.query(`alter table ${nameOf(table)} ${how} trigger ${quoted(trigger)}`);
  }
}

/** Stores all rows, sets the sequences, and says how many rows there were. */
async function load(client: pg.Client, { path, onProgress }: RestoreOptions, total: number): Promise<number> {
  const frames = readBackup(path);
  const next = async (): Promise<Frame> => {
    const result = await frames.next();
    if (result.done) throw new Error('The file ended early.');
    return result.value;
  };
  const { tables } = readHeader(await next());
  const counts: number[] = [];
  let stored = 0;
  let sent = 0;
  let frame = await next();
  while (frame.kind === 'T') {
    const table = tables[(JSON.parse(frame.payload.toString()) as { index: number }).index]!;
    frame = await next();
    // The reader stands at the frame after the last rows of the table when the copy has them all.
    async function* rows(): AsyncGenerator<Buffer> {
      for (; frame.kind === 'D'; frame = await next()) {
        yield frame.payload;
        onProgress?.((sent += countRows(frame.payload)), total);
      }
    }
    const copy = client.query(copyFrom(`copy ${nameOf(table)} (${columnsOf(table)}) from stdin`));
    await pipeline(rows, copy);
    counts.push(copy.rowCount);
    stored += copy.rowCount;
  }
  const end = readEnd(frame);
  const wrong = counts.findIndex((count, index) => count !== end.rows[index]);
  if (wrong >= 0) throw new Error(`${tables[wrong]!.name} has ${counts[wrong]} rows instead of ${end.rows[wrong]}.`);
  for (const { value, called, ...sequence } of end.sequences) {
    await client.query('select setval($1::regclass, $2, $3)', [nameOf(sequence), value, called]);
  }
  // Reads the signature, which says that the file is whole.
  for await (const _ of frames);
  return stored;
}
