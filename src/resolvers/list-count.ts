import sql, { type Sql } from 'sql-template-tag';
import type { Context, CountedList } from '../schema/context.js';

/** Time for which a total may be reused, in milliseconds. Conditions may depend on the time, so it is short. */
const validFor = 1000;
/** Maximum number of totals that a process remembers. */
const maxRemembered = 1000;

/**
 * Value of the column of {@link countUnlessKnown}: the snapshot and the total counted in it; null when the total is
 * known.
 */
export type CountedText = string | null;

/** The column that replaces a count, and the function that reads the total from it. */
export interface RememberedCount {
  column: Sql;
  totalOf(counted: CountedText): number;
}

/**
 * Counts a list only if something was committed since the last count. Two statements whose snapshots have the same text
 * see the same rows (PostgreSQL, "Transaction ID and Snapshot Information Functions"), so the total is always exact.
 * @param counts remembered totals; without them nothing is remembered.
 * @param count a statement that returns one `total`.
 */
export function countUnlessKnown(counts: Context['counts'] | undefined, count: Sql): RememberedCount {
  const key = `${count.text} ${JSON.stringify(count.values)}`;
  const found = counts?.get(key);
  const known = found !== undefined && found.until > performance.now() ? found : undefined;
  return {
    column: sql`(select case when snapshot <> ${known?.snapshot ?? ''} then snapshot || ' ' || (select total from (${count}) counted) end
                   from (select pg_current_snapshot()::text as snapshot) now)`,
    totalOf(counted) {
      if (counted === null) return known!.total;
      const [snapshot = '', text] = counted.split(' ');
      const total = Number(text);
      if (counts !== undefined) remember(counts, key, { snapshot, total, until: performance.now() + validFor });
      return total;
    },
  };
}

function remember(counts: Context['counts'], key: string, counted: CountedList): void {
  counts.delete(key);
  counts.set(key, counted);
  // Maps iterate over the oldest entries first.
  for (const oldest of counts.keys()) {
    if (counts.size <= maxRemembered) return;
    counts.delete(oldest);
  }
}
