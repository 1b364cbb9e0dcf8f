import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';

/** A claim takes 1/100 of what a quota has left, or what it needs if that is more. */
const part = 100;

/** Time after which claims that no process has renewed count as those of a killed process. */
const stale = sql`interval '1 minute'`;

/** Number of records that an organization may store in a day. */
export interface DayQuota {
  readonly organizationId: string;
  /** Beginning of the day, in milliseconds since 1970. */
  readonly day: number;
  readonly limit: number;
}

const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10);

/**
 * Claims at least `wanted` records of a day. Returns the number granted, or, if they are not available, the number that
 * nobody has claimed. One statement takes them, so that all processes together never claim more than the quota.
 */
export const claimRecords = async (
  database: Queryable,
  { organizationId, day, limit }: DayQuota,
  wanted: number,
): Promise<{ granted: number } | { left: number }> => {
  const date = dateOf(day);
  // A process whose clock is behind claims from the newer day.
  const claimed = sql`case when day >= ${date}::date then claimed else 0 end`;
  const share = sql`greatest(${wanted}::bigint, (${limit}::bigint - (${claimed})) / ${part})`;
  const { rows } = await database.query<{ granted: number }>(sql`
    update quota_claim
       set claimed = (${claimed}) + ${share}, granted = ${share}, day = greatest(day, ${date}::date), touched_at = now()
     where organization_id = ${organizationId} and (${claimed}) + ${wanted}::bigint <= ${limit}::bigint
    returning granted::float8 as granted`);
  const [claim] = rows;
  if (claim !== undefined) return claim;
  const { rows: stored } = await database.query<{ left: number }>(sql`
    select greatest(0, ${limit}::bigint - (${claimed}))::float8 as left from quota_claim
     where organization_id = ${organizationId}`);
  return stored[0] ?? { left: 0 };
};

/** Records that a process has claimed and not stored. It releases `back` of them and keeps the others. */
export interface HeldClaim extends Pick<DayQuota, 'organizationId' | 'day'> {
  readonly back: number;
}

/** Releases records, and renews the claims to the others. */
export const renewClaims = async (database: Queryable, held: readonly HeldClaim[]): Promise<void> => {
  if (held.length === 0) return;
  await database.query(sql`
    update quota_claim c set claimed = greatest(0, c.claimed - w.back), touched_at = now()
      from unnest(${held.map(({ organizationId }) => organizationId)}::uuid[],
                  ${held.map(({ day }) => dateOf(day))}::date[], ${held.map(({ back }) => back)}::bigint[])
           w (organization_id, day, back)
     where c.organization_id = w.organization_id and c.day = w.day`);
};

/** Number of records that an organization with a quota has stored in the day. */
export interface StoredCount {
  readonly organizationId: string;
  readonly used: number;
}

/**
 * Corrects the claims from the stored records. It starts a count for a new quota or day, adds records that a process
 * stored without a claim before it knew of the quota, and releases the claims of killed processes.
 */
export const settleClaims = async (database: Queryable, day: number, stored: readonly StoredCount[]): Promise<void> => {
  if (stored.length === 0) return;
  await database.query(sql`
    insert into quota_claim as c (organization_id, day, claimed, touched_at)
    select w.organization_id, ${dateOf(day)}::date, w.used, now()
      from unnest(${stored.map(({ organizationId }) => organizationId)}::uuid[],
                  ${stored.map(({ used }) => used)}::bigint[]) w (organization_id, used)
      join account a on a.id = w.organization_id
      left join quota_claim o on o.organization_id = w.organization_id
     where o.organization_id is null or o.day < ${dateOf(day)}::date or o.claimed < w.used
        or (o.claimed > w.used and o.touched_at < now() - ${stale})
    on conflict (organization_id) do update set day = excluded.day, claimed = excluded.claimed, touched_at = now()
     where c.day < excluded.day
        or (c.day = excluded.day
            and (c.claimed < excluded.claimed or c.touched_at < now() - ${stale}))`);
};
