import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { backOff } from '../back-off.js';
import {
  buildIndex,
  descendantsOf,
  type Index,
  isEmpty,
  type NamedTable,
  quoted,
  renaming,
  tableOf,
} from './online-index.js';

/** How long a migration may wait for its locks while others wait behind it, in milliseconds. */
export const lockLimit = 500;
/** The longest wait between two tries to get them, in milliseconds. */
const maxBackOff = 5000;

/** What a migration may do to tables that are in use. */
export class OnlineSteps {
  constructor(private readonly client: pg.Client) {}

  /**
   * SQL that locks no table in use for long: new tables, functions, rows. Several statements are one transaction, and wait
   * for a lock no longer than `lockLimit`; then all of it is tried again.
   */
  run(sql: string): Promise<void> {
    return this.transaction(`set local lock_timeout = ${lockLimit}`, sql);
  }

  /**
   * SQL that changes tables in use and is quick once it has them to itself. It gets all of them (of partitioned tables,
   * the partitions too) within `lockLimit`, or lets go and tries again, so that statements behind it wait no longer.
   */
  locked(tables: string, sql: string): Promise<void> {
    return this.transaction(
      `set local statement_timeout = ${lockLimit}`,
      `lock table ${tables} in access exclusive mode`,
      'set local statement_timeout = 0',
      sql,
    );
  }

  /** Looks whether all rows satisfy a constraint that was added `not valid`; others read and write meanwhile. */
  async validate(table: string, constraint: string): Promise<void> {
    await this.client.query(`alter table ${table} validate constraint ${constraint}`);
  }

  /** Whether a query finds a row. */
  async finds(query: string): Promise<boolean> {
    const { rowCount } = await this.client.query(query);
    return rowCount !== 0;
  }

  /**
   * Changes rows of a table that has `id uuid` for its key, some thousands in each transaction.
   * @param set such as `set a = b`
   * @param where which rows
   */
  async rows(table: string, set: string, where: string, atOnce = 5000): Promise<void> {
    for (let after: string | undefined; ; ) {
      const { rows }: { rows: { id: string }[] } = await this.client.query(
        `with part as materialized (
           select id from ${table} where $1::uuid is null or id > $1 order by id limit ${atOnce}),
         changed as (update ${table} t ${set} from part where t.id = part.id and (${where}))
         select id from part order by id desc limit 1`,
        [after],
      );
      if (rows.length === 0) return;
      after = rows[0]?.id;
    }
  }

  /** Builds an index while others write, of partitioned tables one partition after the other. One of that name is replaced. */
  async index(index: Index): Promise<void> {
    const { name, unique, definition } = index;
    const table = await tableOf(this.client, index.table);
    if (await isEmpty(this.client, index.table)) {
      const create = `create ${unique ? 'unique ' : ''}index ${name} on ${index.table} ${definition}`;
      return this.locked(index.table, `drop index if exists ${name}; ${create}`);
    }
    const made = await buildIndex(this, this.client, table, index);
    await this.locked(index.table, `drop index if exists ${name}; ${renaming(made)}`);
  }

  /**
   * Replaces the primary key of a table, also of a partitioned one, whose columns are all not null already.
   * @param definition such as `(hook_id, id) include (state)`
   */
  async primaryKey(table: string, definition: string): Promise<void> {
    const root = await tableOf(this.client, table);
    const tables = [root, ...(await descendantsOf(this.client, root))];
    const built = new Map<string, string>();
    for (const leaf of tables.filter(({ partitioned }) => !partitioned)) {
      if (await isEmpty(this.client, leaf.name)) continue;
      const index = { name: `${leaf.relation}_key`, table, definition, unique: true };
      built.set(leaf.relation, await buildIndex(this, this.client, leaf, index));
    }
    await this.replaceKey(root, definition, built);
  }

  /** A constraint of a partitioned table is made of those of its partitions, from the leaves up; nothing is read for it. */
  private async replaceKey(root: NamedTable, definition: string, built: ReadonlyMap<string, string>): Promise<void> {
    const tables = [root, ...(await descendantsOf(this.client, root))].toReversed();
    const key = ({ name, relation }: NamedTable): string => {
      const using = built.get(relation);
      const what =
        using === undefined
          ? `primary key ${definition}`
          : `primary key using index ${using.slice(using.lastIndexOf('.') + 1)}`;
      return `alter table ${name} add constraint ${quoted(`${relation}_pkey`)} ${what};`;
    };
    const drop = `alter table ${root.name} drop constraint if exists ${quoted(`${root.relation}_pkey`)};`;
    await this.locked(root.name, [drop, ...tables.map(key)].join(' '));
  }

  private async transaction(...statements: string[]): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await this.client.query('begin');
        for (const statement of statements) await this.client.query(statement);
        await this.client.query('commit');
        return;
      } catch (error) {
        await this.client.query('rollback');
        if (!isBusy(error)) throw error;
        await delay(backOff(tries, maxBackOff));
      }
    }
  }
}

/** Whether locks were not to be had in time (lock_timeout, statement_timeout), or only against another's. */
export const isBusy = (error: unknown): boolean =>
  ['55P03', '57014', '40P01'].includes(String((error as { code?: unknown } | undefined)?.code));
