import sql from 'sql-template-tag';
import type { Database } from '../log/product.js';

/** A partition of `record`: Unix seconds, the upper bound excluded. */
interface Bounds {
  lower: number;
  upper: number;
}

/** Makes partitions before records need them. What it knows may be stale (retention drops some): see {@link forget}. */
export class Partitions {
  private bounds: Bounds[] = [];

  /** Makes sure that each moment (Unix seconds) has its partition; `now` in the same unit decides between weeks and years. */
  async ensure(database: Database, moments: Iterable<number>, now: number): Promise<void> {
    for (const moment of moments) {
      if (this.covers(moment)) continue;
      await database.query(sql`select record_partition(to_timestamp(${moment}), to_timestamp(${now}))`);
      this.bounds = await loadBounds(database);
    }
  }

  /** Forgets what is known, after PostgreSQL has said that a partition is missing. */
  forget(): void {
    this.bounds = [];
  }

  private covers(moment: number): boolean {
    return this.bounds.some(({ lower, upper }) => moment >= lower && moment < upper);
  }
}

const loadBounds = async (database: Database): Promise<Bounds[]> => {
  const { rows } = await database.query<Bounds>(sql`
    select extract(epoch from bound[1]::timestamptz)::float8 as lower, extract(epoch from bound[2]::timestamptz)::float8 as upper
    from pg_inherits, regexp_match(
      pg_get_expr((select relpartbound from pg_class where oid = inhrelid), inhrelid), 'FROM \\(''(.+)''\\) TO \\(''(.+)''\\)') bound
    where inhparent = 'record'::regclass order by 1 desc`);
  return rows;
};
