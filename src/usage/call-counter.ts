import sql from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';

/** Length of a day in milliseconds. */
export const dayLength = dayMs;

/** Returns the beginning of the day (UTC) of a time. Both are milliseconds since 1970. */
export const dayOf = (time: number): number => Math.floor(time / dayLength) * dayLength;

/**
 * Counts calls by organization and day in memory, and writes the counts periodically. A killed process loses the counts
 * since the last write; a stopped process does not.
 */
export class CallCounter {
  private counted = new Map<number, Map<string, number>>();

  /** @param clock milliseconds since 1970 */
  constructor(private readonly clock: () => number) {}

  /** Counts calls of an organization. */
  count(organizationId: string, calls = 1): void {
    this.add(dayOf(this.clock()), organizationId, calls);
  }

  /** Writes the counts. Counts that cannot be written are kept for the next time. */
  async flush(database: Queryable): Promise<void> {
    const { counted } = this;
    if (counted.size === 0) return;
    this.counted = new Map();
    const rows = [...counted].flatMap(([day, calls]) =>
      [...calls].map(([organizationId, n]) => ({ day, organizationId, n })),
    );
    try {
      await database.query(sql`
        insert into usage_delta (at, organization_id, calls)
        select to_timestamp(at), organization_id, calls from unnest(
          ${rows.map(({ day }) => day / 1000)}::float8[], ${rows.map(({ organizationId }) => organizationId)}::uuid[],
          ${rows.map(({ n }) => n)}::int[]) w (at, organization_id, calls)`);
    } catch (error) {
      for (const { day, organizationId, n } of rows) this.add(day, organizationId, n);
      throw error;
    }
  }

  private add(day: number, organizationId: string, calls: number): void {
    let organizations = this.counted.get(day);
    if (organizations === undefined) this.counted.set(day, (organizations = new Map<string, number>()));
    organizations.set(organizationId, (organizations.get(organizationId) ?? 0) + calls);
  }
}
