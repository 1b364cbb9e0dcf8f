import sql from 'sql-template-tag';
import { hourMs } from '#common/time.js';
import { firstId } from '#entities/id.js';
import type { PoolOrClient } from '#records/scope/product-shape.js';

/** Time span that one partition of the journal covers, by the arrival of records. Milliseconds. */
export const partitionLength = 4 * hourMs;

/**
 * Makes partitions of the journal before records need them. A partition holds the records that arrived in its period,
 * whenever they were measured.
 */
export class JournalPartitions {
  /** End of the last known partition, in milliseconds since 1970. */
  private known = 0;

  /** Makes the partitions for records that arrive now and during one more partition. */
  async ensure(database: PoolOrClient): Promise<void> {
    // Identifiers contain the time of the process that made them.
    const now = Date.now();
    if (now + partitionLength / 2 < this.known) return;
    const first = Math.floor(now / partitionLength) * partitionLength;
    // One more on each side, because the clock of another process may differ.
    for (const lower of [-1, 0, 1].map((step) => first + step * partitionLength))
      await database.query(sql`
        select journal.add_partition(${partitionName(lower)}, ${firstId(lower)}::uuid, ${firstId(lower + partitionLength)}::uuid)`);
    this.known = first + 2 * partitionLength;
  }

  /** Forgets the known partitions after PostgreSQL reported a missing one. */
  forget(): void {
    this.known = 0;
  }
}

/** Returns a name such as `record_2026112208`. */
const partitionName = (lower: number): string =>
  `record_${new Date(lower).toISOString().slice(0, 13).replaceAll(/\D/g, '')}`;
