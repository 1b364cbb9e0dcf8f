import sql from 'sql-template-tag';
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

const loadBounds = async (database: PoolOrClient): Promise<PartitionBounds[]> => {
  const { rows } = await database.query<PartitionBounds>(sql`
    select extract(epoch from bound[1]::timestamptz)::float8 as lower, extract(epoch from bound[2]::timestamptz)::float8 as upper
    from pg_inherits, regexp_match(
      pg_get_expr((select relpartbound from pg_class where oid = inhrelid), inhrelid), 'FROM \\(''(.+)''\\) TO \\(''(.+)''\\)') bound
    where inhparent = 'record'::regclass order by 1 desc`);
  return rows;
};
