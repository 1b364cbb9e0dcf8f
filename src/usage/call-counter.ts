import type { Pool } from 'pg';
import sql from 'sql-template-tag';

type Database = Pick<Pool, 'query'>;

/** Milliseconds. */
export const dayLength = 86_400_000;

/** When the day (UTC) of a moment began; both in milliseconds since 1970. */
export const dayOf = (moment: number): number => Math.floor(moment / dayLength) * dayLength;

/**
 * Counts calls by organization and day, in memory, and writes them down now and then. A process that is killed loses those
 * since; one that is stopped does not.
 */
export class CallCounter {
  private counted = new Map<number, Map<string, number>>();

  /** @param clock milliseconds since the epoch */
  constructor(private readonly clock: () => number) {}

  /** Counts calls of an organization. */
  count(organizationId: string, calls = 1): void {
    this.add(dayOf(this.clock()), organizationId, calls);
  }

  /** Writes down what was counted. What cannot be written is counted on, and written the next time. */
  async flush(database: Database): Promise<void> {
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
