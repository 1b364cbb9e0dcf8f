import { DatabaseError, type Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import type { PoolOrClient } from '#records/scope/product-shape.js';

/** Bounds of a partition of `record` in Unix seconds. The upper bound is excluded. */
interface PartitionBounds {
  lower: number;
  upper: number;
}

/**
 * Makes partitions before records need them. Its cache may be stale, because retention drops partitions: see {@link
 * forget}.
 */
export class Partitions {
  private bounds: PartitionBounds[] = [];

  /**
   * Makes sure that each time (Unix seconds) has a partition. `now`, in the same unit, decides between weekly and
   * yearly ones.
   */
  async ensure(database: PoolOrClient, times: Iterable<number>, now: number): Promise<void> {
    // Making one, even in vain, keeps all others from making one until the end of the transaction.
    if (this.bounds.length === 0) this.bounds = await loadBounds(database);
    for (const time of times) {
      if (this.covers(time)) continue;
      await database.query(sql`select record_partition(to_timestamp(${time}), to_timestamp(${now}))`);
      this.bounds = await loadBounds(database);
    }
  }

  /** Drops the cache after PostgreSQL reported a missing partition. */
  forget(): void {
    this.bounds = [];
  }

  private covers(time: number): boolean {
    return this.bounds.some(({ lower, upper }) => time >= lower && time < upper);
  }
}

/** Size from which the indexes of an empty partition are made again, in bytes. */
const large = 2 ** 20;

/**
 * SQL: partitions without any page whose indexes still have some. PostgreSQL truncates a table whose rows are
 * deleted once no snapshot sees them, and keeps those of its indexes.
 */
const emptied = sql`
  select inhrelid::regclass::text as name from pg_inherits
  where inhparent = 'record'::regclass and pg_relation_size(inhrelid) = 0 and pg_indexes_size(inhrelid) > ${large}`;

/** SQL condition: there are partitions for {@link shrinkPartitions}. */
export const isToShrink: Sql = sql`exists (${emptied})`;

/** Frees the space of the indexes of partitions that have become empty. Leaves out those that are in use for long. */
export const shrinkPartitions = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ name: string }>(emptied);
  for (const { name } of rows) {
    // Nothing is to be indexed, so the lock is held for milliseconds. Searches wait as long as it does.
    await transaction(pool, async (tx) => {
      await tx.query(`set local lock_timeout = '200ms'`);
      await tx.query(`reindex table ${name}`);
    }).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
    });
  }
};

const isLockTimeout = (error: unknown): boolean => error instanceof DatabaseError && error.code === '55P03';

const loadBounds = async (database: PoolOrClient): Promise<PartitionBounds[]> => {
  const { rows } = await database.query<PartitionBounds>(sql`
    select extract(epoch from bound[1]::timestamptz)::float8 as lower, extract(epoch from bound[2]::timestamptz)::float8 as upper
    from pg_inherits, regexp_match(
      pg_get_expr((select relpartbound from pg_class where oid = inhrelid), inhrelid), 'FROM \\(''(.+)''\\) TO \\(''(.+)''\\)') bound
    where inhparent = 'record'::regclass order by 1 desc`);
  return rows;
};
