import sql from 'sql-template-tag';
import { firstId } from '../../../entities/id.js';
import type { Database } from '../../postgres/log/product.js';

/** Time of arrival that one partition of the journal holds, in milliseconds. */
export const partitionLength = 4 * 3_600_000;

/** Makes partitions of the journal before records need them. They hold what arrived in a time, whenever it was measured. */
export class JournalPartitions {
  /** The end of the last partition that is known to be there. Milliseconds. */
  private known = 0;

  /** Makes sure that what arrives now, and for one partition longer, has its place. */
  async ensure(database: Database): Promise<void> {
    // Identifiers have the time of the process that made them.
    const now = Date.now();
    if (now + partitionLength / 2 < this.known) return;
    const first = Math.floor(now / partitionLength) * partitionLength;
    // One more on each side: the clock of another process may differ.
    for (const lower of [-1, 0, 1].map((step) => first + step * partitionLength))
      await database.query(sql`
        select journal.add_partition(${nameOf(lower)}, ${firstId(lower)}::uuid, ${firstId(lower + partitionLength)}::uuid)`);
    this.known = first + 2 * partitionLength;
  }

  /** Forgets what is known, after PostgreSQL has said that a partition is missing. */
  forget(): void {
    this.known = 0;
  }
}

/** Such as `record_2026112208`. */
const nameOf = (lower: number): string => `record_${new Date(lower).toISOString().slice(0, 13).replaceAll(/\D/g, '')}`;
