import type { Pool } from 'pg';
import sql from 'sql-template-tag';

interface Row {
  now: string;
  id: string | null;
  at: string | null;
}

/** Finds devices whose desired state has changed, whichever process changed it. */
export class StateChanges {
  /** Time of the last search, in PostgreSQL's text form. */
  private since: string | null = null;
  /** Times of the changes that the last search found, by device. */
  private found = new Map<string, string>();

  constructor(private readonly pool: Pool) {}

  /**
   * Returns those of the devices whose desired state changed since the last search. A search looks 30 seconds further
   * back, because a change becomes visible at its commit, which is later than its time.
   */
  async next(devices: readonly string[]): Promise<string[]> {
    const { rows } = await this.pool.query<Row>(sql`
      with now as (select clock_timestamp() as now)
      select now.now::text, s.device_id as id, max(s.desired_at)::text as at
        from now left join device_state s
          on s.desired_at > coalesce(${this.since}::timestamptz, now.now) - interval '30 seconds'
         and s.device_id = any(${devices}::uuid[])
       group by now.now, s.device_id`);
    const found = new Map(rows.flatMap(({ id, at }) => (id === null ? [] : [[id, at!] as const])));
    const changed = [...found].filter(([id, at]) => this.found.get(id) !== at);
    this.since = rows[0]!.now;
    this.found = found;
    return changed.map(([id]) => id);
  }
}
