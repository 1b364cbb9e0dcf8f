import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { dayMs, hourMs, minuteMs } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { firstId } from '#entities/id.js';
import { isAlone } from '../upkeep/alone-day.js';
import { isDue, type Owner, ownedBy } from '../upkeep/rollup-day.js';
import { isFleetWanted } from './fleet-table.js';

/*
 * Blocks hold the records of an owner's day in columns (tables record_block, record_block_column, record_block_sum). A
 * day is valid if it has a row in record_blocked, none in record_dirty_block, and none of its hours has one in
 * record_dirty, seen in the same snapshot.
 */

/** A day of one owner whose blocks are missing or differ from its records. */
export interface NotedDay extends Owner {
  /** Days since 1970. */
  readonly day: number;
  /** Time of its last note, as PostgreSQL writes it. */
  readonly noted_at: string;
}

/** Returns the ISO 8601 form of a day, given as days since 1970. */
export const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** SQL expression of the start of a day (UTC), given as days since 1970. */
export const startOf = (day: number): Sql => sql`to_timestamp(${day * 86_400}::float8)`;

/** SQL condition: a row of `record_dirty_block` is the note of a day. */
export const noteOf = (owner: Owner, day: number): Sql => sql`${ownedBy(owner)} and day = ${startOf(day)}`;

/** SQL condition: an hour of the day that is noted in a row `d` waits for its rollup. */
export const hasDirtyHour = sql`exists (
  select from record_dirty h
  where h.organization_id = d.organization_id and h.product_id is not distinct from d.product_id
    and h.hour >= d.day and h.hour < d.day + interval '24 hours')`;

/**
 * SQL condition: the day that is noted in a row `d` has been over for two hours, and retention does not delete records
 * of it yet. A day that loses an hour of records each hour would be made again each hour.
 */
export const isFinished = (now: Date): Sql => sql`
  d.day <= ${now}::timestamptz - interval '26 hours' and coalesce(d.day >= ${now}::timestamptz - (
    select keep from record_retention r
    where r.organization_id = d.organization_id and (r.product_id = d.product_id or r.product_id is null)
    order by r.product_id nulls last limit 1), true)`;

const noted = (where: Sql): Sql => sql`
  select organization_id, product_id, (extract(epoch from d.day) / 86400)::int as day, noted_at::text
  from record_dirty_block d where ${where}`;

/**
 * Time for which late records of days in blocks alone stay rows, in milliseconds: subscribers that resume read them by the
 * transaction that wrote them, for an hour.
 */
const resumed = hourMs + 10 * minuteMs;

/** SQL condition: subscribers may need rows of the day in blocks alone that is noted in a row `d`. */
const needsRows = (now: Date): Sql => sql`(${isAlone(sql`d.day`)} and exists (
  select from record r
  where r.organization_id = d.organization_id and (r.product_id = d.product_id or d.product_id is null and r.product_id is null)
    and r.ts >= d.day and r.ts < d.day + interval '24 hours' and r.id >= ${firstId(now.getTime() - resumed)}::uuid))`;

const isToMake = (now: Date): Sql =>
  sql`fault is null and ${isFinished(now)} and ${isDue(now)} and not ${hasDirtyHour} and not ${needsRows(now)}`;

/** Number of days that one query finds. */
const daysAtOnce = 100;

/** Finds the days that are to be made next, the newest first, because they are queried most. */
export const findDueDays = async (database: Queryable, now: Date): Promise<NotedDay[]> =>
  (await database.query<NotedDay>(sql`${noted(isToMake(now))} order by d.day desc limit ${daysAtOnce}`)).rows;

/**
 * Finds all finished days whose hours have their rollups and whose rows no subscriber needs, whether or not they keep
 * changing or have a fault, the newest first.
 */
export const findFinishedDays = async (database: Queryable, now: Date): Promise<NotedDay[]> =>
  (
    await database.query<NotedDay>(
      sql`${noted(sql`${isFinished(now)} and not ${hasDirtyHour} and not ${needsRows(now)}`)} order by d.day desc`,
    )
  ).rows;

/** Number of days that are cut again at a time: until they are made, searches read their rows. */
const cutAtOnce = 10;

/** SQL: the sources whose blocks were cut in another time zone than that of their organization. */
const inOtherZone = sql`
  select s.source, s.organization_id, s.product_id, a.time_zone
  from record_block_source s join account a on a.id = s.organization_id where a.time_zone <> s.time_zone`;

/**
 * Notes the newest days whose blocks were cut in another time zone than that of their organization, as due. Returns
 * whether there were any.
 */
export const noteOtherZones = async (database: Queryable): Promise<boolean> => {
  // In one statement, so that a zone that is set meanwhile changes neither part.
  const { rows } = await database.query<{ noted: boolean }>(sql`
    with other as materialized (${inOtherZone}), noted as (
      insert into record_dirty_block (organization_id, product_id, day, since, noted_at)
      select organization_id, product_id, day, '-infinity', '-infinity'
      from (
        select s.organization_id, s.product_id, b.day::timestamp at time zone 'UTC' as day
        from other s join record_blocked b on b.source = s.source and b.time_zone <> s.time_zone) d
      where not exists (
        select from record_dirty_block n
        where n.organization_id = d.organization_id and n.product_id is not distinct from d.product_id and n.day = d.day)
      order by day desc limit ${cutAtOnce}
      on conflict do nothing returning 1
    ), cut as (
      update record_block_source s set time_zone = o.time_zone from other o
      where o.source = s.source and not exists (select from noted)
    )
    select exists (select from noted) as noted`);
  return rows[0]!.noted;
};

const key = sql`hashtextextended('record blocks', 0)`;
const lock = sql`pg_try_advisory_xact_lock(${key})`;

/** Whether days are to be made or cut again. */
export const isMakerWanted = async (database: Queryable, now: Date): Promise<boolean> => {
  const { rows } = await database.query<{ wanted: boolean }>(sql`
    select exists (select from record_dirty_block d where ${isToMake(now)}) or exists (${inOtherZone}) or ${isFleetWanted} as wanted`);
  return rows[0]!.wanted;
};

/** Whether no transaction makes blocks. */
export const isMakerFree = async (database: Queryable): Promise<boolean> => {
  const { rows } = await database.query<{ free: boolean }>(sql`select ${lock} as free`);
  return rows[0]!.free;
};

/** Makes the transaction the only one that makes blocks. Returns false if there is another one. */
export const lockMaking = async (tx: PoolClient): Promise<boolean> =>
  (await tx.query<{ locked: boolean }>(sql`select ${lock} as locked`)).rows[0]!.locked;

/** Waits until no other transaction makes blocks, and keeps others from it. */
export const waitForMaker = async (tx: PoolClient): Promise<void> => {
  await tx.query(sql`select pg_advisory_xact_lock(${key})`);
};

/** Whether a day still has its note, and all its hours have their rollups, in the snapshot of the transaction. */
export const isUnchanged = async (tx: PoolClient, { day, noted_at, ...owner }: NotedDay): Promise<boolean> => {
  const { rowCount } = await tx.query(sql`
    select from record_dirty_block d where ${noteOf(owner, day)} and noted_at = ${noted_at}::timestamptz and not ${hasDirtyHour}`);
  return rowCount === 1;
};

/** Deletes the note of a day. Returns false if the day was noted again meanwhile. */
export const deleteNote = async (tx: PoolClient, { day, noted_at, ...owner }: NotedDay): Promise<boolean> => {
  const { rowCount } = await tx.query(
    sql`delete from record_dirty_block where ${noteOf(owner, day)} and noted_at = ${noted_at}::timestamptz`,
  );
  return rowCount === 1;
};

/**
 * Restarts the wait of a day that was noted again while it was made. Otherwise it would be due at once, again and again
 * while late records keep coming.
 */
export const postpone = async (database: Queryable, { day, ...owner }: NotedDay): Promise<void> => {
  await database.query(sql`update record_dirty_block set since = clock_timestamp() where ${noteOf(owner, day)}`);
};
