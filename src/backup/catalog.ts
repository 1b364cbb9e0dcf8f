import pg from 'pg';
import type { End, Table } from './file.js';

/** A connection, or a transaction on it. */
type Database = Pick<pg.ClientBase, 'query'>;

/** Where our tables lie. */
const schemas = ['public', 'journal'];

/**
 * What is not of the data: which migrations there were is in the header, and moves to a cluster and back name snapshots of
 * the database that they began in.
 */
const leftOut = ['migration', 'index_move'];

/** A table with what a backup needs to know beside its rows. */
export interface StoredTable extends Table {
  /** About how many rows it has. */
  estimate: number;
}

/** All tables, those first that others refer to. Of partitioned ones the partitions. */
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

/** Puts tables after those that they refer to. */
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

/** Only tables of `public` are referred to, which go by their bare name. */
const keyOf = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  schema === 'public' ? name : `${schema}.${name}`;

/** The migrations that a database has, in their order; none where it has never been one of ours. */
export async function listMigrations(database: Database): Promise<string[]> {
  const { rows: there } = await database.query<{ is: boolean }>(
    `select to_regclass('public.migration') is not null as is`,
  );
  if (!there[0]?.is) return [];
  const { rows } = await database.query<{ name: string }>('select name from public.migration order by id');
  return rows.map(({ name }) => name);
}

/** Where sequences are. They take no part in snapshots: each is at or after what any snapshot before saw. */
export async function listSequences(database: Database): Promise<End['sequences']> {
  const { rows } = await database.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'S' and n.nspname = any($1) and c.relname <> 'migration_id_seq' order by 1, 2`,
    [schemas],
  );
  const sequences: End['sequences'] = [];
  for (const sequence of rows) {
    const { rows: state } = await database.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${nameOf(sequence)}`,
    );
    sequences.push({ ...sequence, ...state[0]! });
  }
  return sequences;
}

/** Whether records have lately been stored for a cluster: the journal has what came within a day. */
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

/** The name of a table or sequence as SQL has it. */
export const nameOf = ({ schema, name }: { schema: string; name: string }): string =>
  `${quoted(schema)}.${quoted(name)}`;

/** An identifier as SQL has it. */
export const quoted = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;

/** The columns of a table, as COPY wants them. */
export const columnsOf = ({ columns }: Table): string => columns.map(quoted).join(', ');

/** Settings of a session in which COPY writes and reads values in the same form, whatever the server's own are. */
export const copySession = `
  set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1;
  set client_encoding = 'UTF8'; set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`;
