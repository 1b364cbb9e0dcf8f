import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { quotaExceeded } from '../errors.js';
import { dayLength, dayOf } from './call-counter.js';

type Database = Pick<Pool, 'query'>;

/** What an organization may store, and what it has, as far as this process has learnt. */
interface Standing {
  recordsPerDay: number | null;
  storedBytes: number | null;
  /** When the day began that `used` is of, in milliseconds. */
  day: number;
  /** Records of the day. */
  used: number;
  /** Records of calls that are under way. */
  reserved: number;
  /** Bytes that are stored. */
  stored: number;
}

interface Row {
  organizationId: string;
  recordsPerDay: number | null;
  storedBytes: number | null;
  used: number;
  stored: number;
}

/** Takes back what a call has reserved, and counts the records that it has stored. */
export type Settle = (stored: number) => void;

/**
 * The quotas of records and stored bytes. This process's own calls are counted as they come: alone it stores no record too
 * many. What other processes store it learns when it looks, so all together may pass a quota by what the others store between
 * two looks. Stored bytes are learnt by looking alone.
 */
export class Quotas {
  private readonly standings = new Map<string, Standing>();

  /** @param clock milliseconds since the epoch */
  constructor(private readonly clock: () => number) {}

  /**
   * Lets a call of so many items begin.
   * @throws quotaExceeded where the records of the day are used up, or the stored bytes are
   */
  reserve(organizationId: string, items: number): Settle {
    const standing = this.standings.get(organizationId);
    if (standing === undefined) return unlimited;
    this.turnOver(standing);
    this.requireStorage(organizationId);
    const { recordsPerDay, used, reserved, day } = standing;
    if (recordsPerDay !== null && used + reserved + items > recordsPerDay) {
      throw dayFull(
        { quota: recordsPerDay, left: Math.max(0, recordsPerDay - used - reserved), items, day },
        this.clock(),
      );
    }
    standing.reserved += items;
    return (kept) => {
      standing.reserved -= items;
      this.turnOver(standing);
      standing.used += kept;
    };
  }

  /** @throws quotaExceeded where the stored bytes are used up */
  requireStorage(organizationId: string): void {
    const standing = this.standings.get(organizationId);
    if (standing === undefined || standing.storedBytes === null || standing.stored < standing.storedBytes) return;
    throw storageFull(standing.storedBytes);
  }

  /** Looks which quotas there are, and what was stored by all processes. */
  async look(database: Database): Promise<void> {
    const day = dayOf(this.clock());
    const { rows } = await database.query<Row>(sql`
      with pending as materialized (
        select organization_id, (at at time zone 'UTC')::date as day, sum(records) as records, sum(bytes) as bytes
          from usage_delta group by 1, 2
      )
      select q.organization_id as "organizationId", q.records_per_day::float8 as "recordsPerDay",
             q.stored_bytes::float8 as "storedBytes",
             (coalesce((select d.records from usage_day d where d.organization_id = q.organization_id and d.day = t.day
                          and d.product_id is null and d.application_id is null), 0)
              + coalesce((select p.records from pending p where p.organization_id = q.organization_id and p.day = t.day), 0)
             )::float8 as used,
             case when q.stored_bytes is null then 0 else ${storedNow} end::float8 as stored
        from quota q cross join (select (${new Date(day)}::timestamptz at time zone 'UTC')::date as day) t
        left join storage s on s.organization_id = q.organization_id
       where q.records_per_day is not null or q.stored_bytes is not null`);
    const found = new Set<string>();
    for (const row of rows) {
      found.add(row.organizationId);
      const standing = this.standings.get(row.organizationId) ?? { day, used: 0, reserved: 0 };
      const own = standing.day === day ? standing.used : 0;
      // Calls that ended meanwhile may be in neither of the two; the next look has them.
      this.standings.set(row.organizationId, Object.assign(standing, row, { day, used: Math.max(own, row.used) }));
    }
    for (const id of this.standings.keys()) if (!found.has(id)) this.standings.delete(id);
  }

  private turnOver(standing: Standing): void {
    const today = dayOf(this.clock());
    if (today > standing.day) Object.assign(standing, { day: today, used: 0 });
  }
}

const unlimited: Settle = () => undefined;

/**
 * Bytes that the organization of a quota `q` has stored, by its row `s` of storage, where it has one, and `pending`: what was
 * last counted, what has come since, and files that are not imported.
 */
const storedNow = sql`(
  coalesce(s.bytes, 0) - coalesce(s.total_bytes, 0)
  + coalesce((select sum(d.bytes) from usage_day d where d.organization_id = q.organization_id
                and d.product_id is null and d.application_id is null), 0)
  + coalesce((select sum(p.bytes) from pending p where p.organization_id = q.organization_id), 0)
  + coalesce((select sum(f.bytes + f.unpacked) from file_import f
               where f.organization_id = q.organization_id and f.state <> 'done'), 0))`;

const storageFull = (quota: number) =>
  quotaExceeded(
    `The quota of ${quota} stored bytes is reached, until records are deleted: delete devices or files that are not imported, or ask the operator for a shorter retention or a larger quota.`,
  );

const dayFull = (
  { quota, left, items, day }: { quota: number; left: number; items: number; day: number },
  now: number,
) => {
  const end = day + dayLength;
  const reached = left === 0 ? 'is reached' : `leaves ${left}, and this call has ${items}`;
  return quotaExceeded(
    `The quota of ${quota} records a day ${reached}, until ${new Date(end).toISOString()}.`,
    Math.max(1, Math.ceil((end - now) / 1000)),
  );
};
