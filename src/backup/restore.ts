import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { columnsOf, copySession, listMigrations, listTables, quoted, quotedName } from './catalog.js';
import { countRows, type Frame, type Header, newer, readBackup, readEnd, readHeader, type Table } from './file.js';

export interface RestoreOptions {
  connectionString: string;
  path: string;
  /** All migrations of this release. */
  migrations: readonly string[];
  /** Returns the migrations that create the tables of a backup, from the migrations that its header lists. */
  migrationsFor(applied: readonly string[]): readonly string[];
  /** Applies the given migrations, or all missing ones. Nothing else may migrate the database meanwhile. */
  migrate(names?: readonly string[]): Promise<unknown>;
  /** Called with the number of rows sent, and the total. */
  onProgress?(done: number, total: number): void;
}

export interface RestoreSummary {
  rows: number;
  /** Time at which the backup began, ISO 8601. */
  createdAt: string;
  /** Release that wrote the backup. */
  version: string;
}

/**
 * Restores a backup into an empty database: the schema of that time by its migrations, the rows in one transaction,
 * then the later migrations. A failure leaves the database without rows, so that the restore can be repeated.
 * @throws Error with a sentence if the file is damaged or of a newer release, or the database is not empty
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const { header, total } = await checkFile(options);
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
async function checkFile({
  path,
  migrations,
  migrationsFor,
}: RestoreOptions): Promise<{ header: Header; total: number }> {
  let header: Header | undefined;
  let last: Frame | undefined;
  for await (const frame of readBackup(path)) {
    header ??= readHeader(frame);
    last = frame;
  }
  // The reader refuses a file without frames.
  const end = readEnd(last!);
  const needed = migrationsFor(header!.migrations);
  if (!needed.every((name) => migrations.includes(name))) throw newer(header!.version);
  return { header: { ...header!, migrations: [...needed] }, total: end.rows.reduce((sum, rows) => sum + rows, 0) };
}

async function requireEmpty(client: pg.Client, { migrations }: Header): Promise<void> {
  for (const table of await listTables(client)) {
    const { rowCount } = await client.query(`select from ${quotedName(table)} limit 1`);
    if (rowCount)
      throw new Error(`The database is not empty (there are rows in ${table.name}): restore into a new one.`);
  }
  if (!(await listMigrations(client)).every((name) => migrations.includes(name)))
    throw new Error('The database has tables of a newer release than the backup: restore into a new one.');
}

/** Matches the bounds of this service's partitions as PostgreSQL writes them, and no other text. */
const bounds = /^FOR VALUES FROM \('[\da-f :+.-]+'\) TO \('[\da-f :+.-]+'\)$/;
const storageOption = /^[a-z_]+=[\w.-]+$/;

/** Replaces the partitions that migrations made for today by those of the backup. */
async function matchPartitions(client: pg.Client, wanted: readonly Table[]): Promise<void> {
  const same = (table: Table) => (other: Table) =>
    quotedName(table) === quotedName(other) && table.partition?.bound === other.partition?.bound;
  const there = await listTables(client);
  for (const table of there) {
    if (table.partition && !wanted.some(same(table))) await client.query(`drop table ${quotedName(table)}`);
  }
  for (const table of wanted) {
    if (!table.partition || there.some(same(table))) continue;
    const { parent, bound } = table.partition;
    if (!bounds.test(bound) || !table.options.every((option) => storageOption.test(option)))
      throw new Error(`The partition ${table.name} cannot be restored: ${bound} ${table.options.join(', ')}`);
    const options = table.options.length > 0 ? ` with (${table.options.join(', ')})` : '';
    await client.query(`create table ${quotedName(table)} partition of ${quotedName(parent)} ${bound}${options}`);
  }
}

/**
 * Disables or enables triggers, because they write rows that the backup also contains. Those of foreign keys are not
 * touched.
 */
async function switchTriggers(client: pg.Client, how: 'disable' | 'enable'): Promise<void> {
  const { rows } = await client.query<{ schema: string; name: string; trigger: string }>(
    `select n.nspname as schema, c.relname as name, t.tgname as trigger
       from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where not t.tgisinternal and t.tgparentid = 0`,
  );
  // PostgreSQL alters no table whose references it has yet to check.
  await client.query('set constraints all immediate');
  for (const { trigger, ...table } of rows) {
    await client.query(`alter table ${quotedName(table)} ${how} trigger ${quoted(trigger)}`);
  }
}

/** Stores all rows and sets the sequences. Returns the number of rows. */
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
    // When the copy has all rows of the table, the reader is at the frame after them.
    async function* rows(): AsyncGenerator<Buffer> {
      for (; frame.kind === 'D'; frame = await next()) {
        yield frame.payload;
        onProgress?.((sent += countRows(frame.payload)), total);
      }
    }
    const copy = client.query(copyFrom(`copy ${quotedName(table)} (${columnsOf(table)}) from stdin`));
    await pipeline(rows, copy);
    counts.push(copy.rowCount);
    stored += copy.rowCount;
  }
  const end = readEnd(frame);
  const wrong = counts.findIndex((count, index) => count !== end.rows[index]);
  if (wrong >= 0) throw new Error(`${tables[wrong]!.name} has ${counts[wrong]} rows instead of ${end.rows[wrong]}.`);
  for (const { value, called, ...sequence } of end.sequences) {
    await client.query('select setval($1::regclass, $2, $3)', [quotedName(sequence), value, called]);
  }
  // This reads the signature, which proves that the file is complete.
  for await (const _ of frames);
  return stored;
}
