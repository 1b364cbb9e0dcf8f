import sql, { type Sql } from 'sql-template-tag';
import type { Context, CountedList } from '../schema/context.js';

/** How long a number may be given again, in milliseconds: conditions may depend on the time. */
const validFor = 1000;
/** Numbers that a process remembers. */
const maxRemembered = 1000;

/** A number as the column of {@link countUnlessKnown} says it: with the snapshot that it was counted in; null where it is known. */
export type CountedText = string | null;

/** What is asked for in place of a count, and what its answer means. */
export interface RememberedCount {
  column: Sql;
  totalOf(counted: CountedText): number;
}

/**
 * Counts a list only where something was committed since it was last counted: two statements whose snapshots have the same
 * text see the same rows (PostgreSQL, "Transaction ID and Snapshot Information Functions"). So the number is always exact.
 * @param counts what is remembered; nothing unless given
 * @param count a statement that gives one `total`
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
  // Maps give the oldest first.
  for (const oldest of counts.keys()) {
    if (counts.size <= maxRemembered) return;
    counts.delete(oldest);
  }
}
