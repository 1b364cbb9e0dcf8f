import type pg from 'pg';

/** An index to build on a table in use. */
export interface Index {
  name: string;
  table: string;
  /** SQL after the table's name: `(a, b) include (c) where d`. */
  definition: string;
  unique?: boolean;
}

/** A table: `name` with its schema for SQL, `relation` as its bare name. */
export interface NamedTable {
  name: string;
  relation: string;
  partitioned: boolean;
}

interface Steps {
  run(sql: string): Promise<void>;
  locked(tables: string, sql: string): Promise<void>;
}

/** Maximum length of a name; PostgreSQL cuts longer ones. */
const longestName = 63;
const suffix = '_new';

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const columns = `format('%I."%s"', n.nspname, replace(c.relname, '"', '""')) as name, c.relname as relation, c.relkind = 'p' as partitioned`;

export async function tableOf(client: pg.Client, table: string): Promise<NamedTable> {
  const { rows } = await client.query<NamedTable>(
    `select ${columns} from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = $1::regclass`,
    [table],
  );
  return rows[0]!;
}

/** Lists the partitions of a table and their partitions, parents first. */
export async function descendantsOf(client: pg.Client, { name }: NamedTable): Promise<NamedTable[]> {
  const { rows } = await client.query<NamedTable>(
    `select ${columns} from pg_partition_tree($1::regclass) t join pg_class c on c.oid = t.relid
       join pg_namespace n on n.oid = c.relnamespace where t.level > 0 order by t.level, c.relname`,
    [name],
  );
  return rows;
}

export async function isEmpty(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ filled: boolean }>(`select exists (select from ${table}) as filled`);
  return rows[0]?.filled === false;
}

/**
 * Builds an index of a table and of its partitions under names that end with `_new`. Returns the name of the table's
 * index. It uses indexes that an interrupted migration has already built.
 */
export async function buildIndex(
  steps: Steps,
  client: pg.Client,
  table: NamedTable,
  index: Index,
  prefix = '',
): Promise<string> {
  const made = `${prefix}${index.name}${suffix}`;
  if (made.length > longestName) throw new Error(`The name of the index ${made} is too long.`);
  const address = `${table.name.slice(0, -quoted(table.relation).length)}${quoted(made)}`;
  const create = `create ${index.unique ? 'unique ' : ''}index`;
  if (!table.partitioned) {
    // An index that was only partly built is useless.
    if (await isInvalid(client, address)) await client.query(`drop index concurrently ${address}`);
    await client.query(`${create} concurrently if not exists ${quoted(made)} on ${table.name} ${index.definition}`);
    return address;
  }
  await steps.locked(
    `only ${table.name}`,
    `${create} if not exists ${quoted(made)} on only ${table.name} ${index.definition}`,
  );
  for (const child of await childrenWithout(client, table, address)) {
    const below = await buildIndex(steps, client, child, index, `${child.relation}_`);
    await steps.run(`alter index ${address} attach partition ${below}`);
  }
  return address;
}

/** Returns SQL that renames an index and its partitions' indexes from their `_new` names. */
export const renaming = (made: string): string => `
  do $$
  declare part record;
  begin
    for part in select c.oid::regclass as name, c.relname from pg_class c
       where right(c.relname, ${suffix.length}) = '${suffix}' and (c.oid = '${made}'::regclass
         or c.oid in (select relid from pg_partition_tree('${made}'::regclass)))
    loop
      execute format('alter index %s rename to %I', part.name, left(part.relname, -${suffix.length}));
    end loop;
  end $$;`;

/** Lists the partitions that lack their part of an index. Partitions made from now on get theirs automatically. */
async function childrenWithout(client: pg.Client, { name }: NamedTable, index: string): Promise<NamedTable[]> {
  const { rows } = await client.query<NamedTable>(
    `select ${columns} from pg_inherits t join pg_class c on c.oid = t.inhrelid join pg_namespace n on n.oid = c.relnamespace
      where t.inhparent = $1::regclass and not exists (
        select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
         where i.inhparent = $2::regclass and x.indrelid = c.oid)
      order by c.relname`,
    [name, index],
  );
  return rows;
}

async function isInvalid(client: pg.Client, index: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  );
  return rowCount !== 0;
}
