import sql from 'sql-template-tag';
import { type DayFull, dayFull, quotaExceeded } from '#common/errors.js';
import type { Queryable } from '#database/queryable.js';
import { dayLength, dayOf } from './call-counter.js';
import { claimRecords, type HeldClaim, renewClaims, type StoredCount, settleClaims } from './quota-claims.js';

/** Quotas of an organization and their use, as far as this process knows. */
interface Standing {
  recordsPerDay: number | null;
  storedBytes: number | null;
  /** Beginning of the day that the claims belong to, in milliseconds since 1970. */
  day: number;
  /** Number of claimed records that no call uses. */
  free: number;
  /** Number of records reserved by calls in progress. */
  reserved: number;
  /** Whether a call came since the last refresh. */
  isBusy: boolean;
  /** Number of unclaimed records when a call was refused; valid until the next refresh. */
  left?: number | undefined;
  /** Number of stored bytes. */
  stored: number;
}

interface Row extends StoredCount {
  recordsPerDay: number | null;
  storedBytes: number | null;
  stored: number;
}

/** Releases a call's reservation, given the number of records that it has stored. */
export type Settle = (stored: number) => void;

/**
 * The quotas of records and of stored bytes. Each process claims records of the day before it stores them, a part of
 * the remainder at a time, so that all processes together never exceed a quota. Each refresh releases what the process
 * does not need. Stored bytes are only known from refreshes.
 */
export class Quotas {
  private readonly standings = new Map<string, Standing>();
  /** Organizations whose records were refused since the last refresh. */
  private refused = new Set<string>();

  /** @param clock milliseconds since 1970 */
  constructor(
    private readonly database: Queryable,
    private readonly clock: () => number,
  ) {}

  /**
   * Reserves records for a call of `items` items. Returns a promise only if records have to be claimed first.
   * @throws ApiError if the records of the day or the stored bytes are used up
   */
  reserve(organizationId: string, items: number): Settle | Promise<Settle> {
    const standing = this.standings.get(organizationId);
    if (standing === undefined) return unlimited;
    this.turnOver(standing);
    this.requireStorage(organizationId);
    if (standing.recordsPerDay === null) return unlimited;
    standing.isBusy = true;
    if (items <= standing.free) return this.take(standing, items);
    return this.claim(organizationId, standing, items, standing.recordsPerDay);
  }

  /** Reserves claimed records for a call. */
  private take(standing: Standing, items: number): Settle {
    const { day } = standing;
    standing.free -= items;
    standing.reserved += items;
    return (kept) => {
      standing.reserved -= items;
      this.turnOver(standing);
      if (standing.day === day) standing.free += items - kept;
    };
  }

  private async claim(organizationId: string, standing: Standing, items: number, limit: number): Promise<Settle> {
    const { day, free } = standing;
    const refuse = (left: number) => recordsFull({ quota: limit, left, items, day }, this.clock());
    if (standing.left !== undefined && items > standing.left + free) throw refuse(standing.left + free);
    // This call takes all free records; concurrent calls claim their own.
    standing.free = 0;
    let claim: Awaited<ReturnType<typeof claimRecords>>;
    try {
      claim = await claimRecords(this.database, { organizationId, day, limit }, items - free);
    } catch (error) {
      if (standing.day === day) standing.free += free;
      throw error;
    }
    if ('left' in claim) {
      if (standing.day === day) standing.free += free;
      standing.left = claim.left;
      throw refuse(claim.left + free);
    }
    if (standing.day === day) standing.free += free + claim.granted;
    else standing.free += items;
    return this.take(standing, items);
  }

  /** @throws ApiError if the stored bytes are used up */
  requireStorage(organizationId: string): void {
    const standing = this.standings.get(organizationId);
    if (standing === undefined || standing.storedBytes === null || standing.stored < standing.storedBytes) return;
    throw storageFull(standing.storedBytes);
  }

  /** Notes that records were refused. The next refresh writes it: alert rules then know why a device may be silent. */
  noteRefused(organizationId: string): void {
    this.refused.add(organizationId);
  }

  private async writeRefused(): Promise<void> {
    if (this.refused.size === 0) return;
    const [ids, at] = [[...this.refused].sort(), new Date(this.clock())];
    this.refused = new Set();
    await this.database.query(sql`update quota set refused_at = ${at} where organization_id = any(${ids}::uuid[])`);
  }

  /** Refreshes the quotas, releases claims that are not needed, and renews the others. */
  async look(): Promise<void> {
    await this.writeRefused();
    const day = dayOf(this.clock());
    const rows = await readQuotas(this.database, day);
    await settleClaims(
      this.database,
      day,
      rows.filter(({ recordsPerDay }) => recordsPerDay !== null),
    );
    const back = new Set<string>();
    const found = new Set(rows.map(({ organizationId }) => organizationId));
    for (const { organizationId, used: _used, ...row } of rows) {
      const standing = this.standings.get(organizationId);
      if (standing === undefined) {
        this.standings.set(organizationId, { ...row, day, free: 0, reserved: 0, isBusy: false });
        continue;
      }
      this.turnOver(standing);
      if (!standing.isBusy || row.recordsPerDay !== standing.recordsPerDay) back.add(organizationId);
      Object.assign(standing, row, { isBusy: false, left: undefined });
    }
    await this.renew((organizationId) => back.has(organizationId));
    for (const id of this.standings.keys()) if (!found.has(id)) this.standings.delete(id);
  }

  /** Releases all claims that no call uses. */
  close(): Promise<void> {
    return this.renew(() => true);
  }

  private renew(givesBack: (organizationId: string) => boolean): Promise<void> {
    const held = [...this.standings].flatMap(([organizationId, standing]): HeldClaim[] => {
      const { day, free, reserved } = standing;
      if (free + reserved === 0) return [];
      const back = givesBack(organizationId) ? free : 0;
      // This comes before the write. If the write fails, the claims are released like those of a killed process.
      standing.free -= back;
      return [{ organizationId, day, back }];
    });
    return renewClaims(this.database, held);
  }

  private turnOver(standing: Standing): void {
    const today = dayOf(this.clock());
    if (today > standing.day) Object.assign(standing, { day: today, free: 0, left: undefined });
  }
}

/** Reads all quotas, and what all processes have stored. */
const readQuotas = async (database: Queryable, day: number): Promise<Row[]> => {
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
  return rows;
};

const unlimited: Settle = () => undefined;

/**
 * SQL expression of the bytes that the organization of a quota `q` has stored: the last measurement (its row `s` of
 * storage, if any), what was stored since (`pending`), and files that are not imported.
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

const recordsFull = ({ day, ...full }: Omit<DayFull, 'until'> & { day: number }, now: number) => {
  const end = day + dayLength;
  return quotaExceeded(
    dayFull('records', { ...full, until: new Date(end).toISOString() }),
    Math.max(1, Math.ceil((end - now) / 1000)),
  );
};
