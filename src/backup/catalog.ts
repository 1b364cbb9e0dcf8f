import pg from 'pg';
import type { End, Table } from './file.js';

/** A connection, or a transaction on it. */
type Database = Pick<pg.ClientBase, 'query'>;

/** Schemas of the service's tables. */
const schemas = ['public', 'journal'];

/**
 * Tables that a backup omits. The header lists the migrations. An `index_move` refers to snapshots that only its own
 * database has. `audit_noted` only serves the current minute. Sessions and sign-ins are omitted, because a session that
 * ended after the backup must not return. The files of the console are stored at each start.
 */
const leftOut = [
  'audit_noted',
  'console_asset',
  'migration',
  'index_move',
  'session',
  'sign_in_attempt',
  'sign_in_link',
];

/** A table with what a backup needs to know besides its rows. */
export interface StoredTable extends Table {
  /** Approximate number of rows. */
  estimate: number;
}

/**
 * Lists all tables, each after the tables that it refers to. Partitioned tables are represented by their partitions.
 */
export async function listTables(database: Database): Promise<StoredTable[]> {
  const { rows } = await database.query<StoredTable & { refersTo: string[] }>(
    `select n.nspname as schema, c.relname as name, coalesce(c.reloptions, '{}') as options,
       greatest(c.reltuples, 0)::float8 as estimate,
       array(select attname::text from pg_attribute a
              where a.attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
       (select json_build_object(
           'parent', json_build_object('schema', pn.nspname, 'name', p.relname),
           'bound', pg_get_expr(c.relpartbound, c.oid))
          from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_namespace pn on pn.oid = p.relnamespace
         where i.inhrelid = c.oid and c.relispartition) as partition,
       array(select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
              where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as "refersTo"
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname = any($1) and c.relname <> all($2)
      and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
    order by n.nspname, c.relname`,
    [schemas, leftOut],
  );
  return inOrder(rows);
}

/** Sorts tables so that each comes after those that it refers to. */
function inOrder(tables: readonly (StoredTable & { refersTo: string[] })[]): StoredTable[] {
  const placed = new Map<string, StoredTable>();
  for (let left = [...tables]; left.length > 0; ) {
    const ready = left.filter(({ refersTo }) => refersTo.every((name) => placed.has(name)));
    if (ready.length === 0) throw new Error(`Tables refer to each other: ${left.map(({ name }) => name).join(', ')}.`);
    for (const { refersTo: _, ...table } of ready) placed.set(keyOf(table), table);
    left = left.filter((table) => !placed.has(keyOf(table)));
  }
  return [...placed.values()];
}

/** Returns the key of a table. References go to tables of `public` only, by their bare name. */
const keyOf = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  schema === 'public' ? name : `${schema}.${name}`;

/**
 * Lists the applied migrations of a database in order. Returns none for a database that was never one of this service.
 */
export async function listMigrations(database: Database): Promise<string[]> {
  const { rows: there } = await database.query<{ is: boolean }>(
    `select to_regclass('public.migration') is not null as is`,
  );
  if (!there[0]?.is) return [];
  const { rows } = await database.query<{ name: string }>('select name from public.migration order by id');
  return rows.map(({ name }) => name);
}

/**
 * Reads the state of all sequences. Sequences ignore snapshots: each is at or after the value that any earlier snapshot
 * saw.
 */
export async function listSequences(database: Database): Promise<End['sequences']> {
  const { rows } = await database.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'S' and n.nspname = any($1) and c.relname <> 'migration_id_seq' order by 1, 2`,
    [schemas],
  );
  const sequences: End['sequences'] = [];
  for (const sequence of rows) {
    const { rows: state } = await database.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quotedName(sequence)}`,
    );
    sequences.push({ ...sequence, ...state[0]! });
  }
  return sequences;
}

/** Whether records were stored for a cluster within the last day: that is how long the journal keeps them. */
export async function holdsJournal(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, application_name: 'ddp backup' });
  await client.connect();
  try {
    const { rows: there } = await client.query<{ is: boolean }>(
      `select to_regclass('journal.record') is not null as is`,
    );
    return there[0]!.is && (await client.query('select from journal.record limit 1')).rowCount === 1;
  } finally {
    await client.end();
  }
}

/** Quotes the name of a table or sequence for SQL. */
export const quotedName = ({ schema, name }: { schema: string; name: string }): string =>
  `${quoted(schema)}.${quoted(name)}`;

/** Quotes an identifier for SQL. */
export const quoted = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;

/** Lists the columns of a table for COPY. */
export const columnsOf = ({ columns }: Table): string => columns.map(quoted).join(', ');

/**
 * Session settings under which COPY writes and reads values in the same form, whatever the server's own settings are.
 */
export const copySession = `
  set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1;
  set client_encoding = 'UTF8'; set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`;
