import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { backOff } from '#scheduling/back-off.js';
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

/** Maximum time that a migration waits for its locks while other statements wait behind it, in milliseconds. */
export const lockLimit = 500;
/** Maximum wait between two tries to get the locks, in milliseconds. */
const maxBackOff = 5000;

/** Steps that a migration may take on tables in use. */
export class OnlineSteps {
  constructor(private readonly client: pg.Client) {}

  /**
   * Runs SQL that locks no table in use for long: new tables, functions, rows. Several statements form one transaction.
   * It waits at most `lockLimit` for a lock; then all of it is tried again.
   */
  run(sql: string): Promise<void> {
    return this.transaction(`set local lock_timeout = ${lockLimit}`, sql);
  }

  /**
   * Runs SQL that changes tables in use and is quick once it has locked them. It locks all of them (including
   * partitions) within `lockLimit`, or releases the locks and tries again, so that statements behind it wait no longer.
   */
  locked(tables: string, sql: string): Promise<void> {
    return this.transaction(
      `set local statement_timeout = ${lockLimit}`,
      `lock table ${tables} in access exclusive mode`,
      'set local statement_timeout = 0',
      sql,
    );
  }

  /** Checks all rows against a constraint that was added `not valid`. Other sessions read and write meanwhile. */
  async validate(table: string, constraint: string): Promise<void> {
    await this.client.query(`alter table ${table} validate constraint ${constraint}`);
  }

  /** Whether a query finds a row. */
  async finds(query: string): Promise<boolean> {
    const { rowCount } = await this.client.query(query);
    return rowCount !== 0;
  }

  /**
   * Updates rows of a table with the key `id uuid`, some thousands per transaction.
   * @param set such as `set a = b`
   * @param where condition of the rows
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

  /** Builds an index while others write, one partition after the other. It replaces an index of the same name. */
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
   * Replaces the primary key of a table, which may be partitioned. Its columns must be `not null` already.
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

  /**
   * Replaces the primary keys from the leaves up: a constraint of a partitioned table is made of those of its
   * partitions, so PostgreSQL reads no rows for it.
   */
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

/** Whether a lock could not be had in time (lock_timeout, statement_timeout) or because of a deadlock. */
export const isBusy = (error: unknown): boolean =>
  ['55P03', '57014', '40P01'].includes(String((error as { code?: unknown } | undefined)?.code));
