import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { dayMs, hourSeconds } from '#common/time.js';
import { isConflict, transaction } from '#database/transaction.js';
import { instantText } from '#search/query/option/instant.js';
import { squared } from '../squared.js';
import { isAlone } from './alone-day.js';

/*
 * Daily rollups (table record_day), made from the hourly ones, and from the records of hours that have none by device.
 * A day of an (organization, product) is valid if it has no row in record_dirty_day and none of its hours has one in
 * record_dirty, seen in the same snapshot. A day in blocks has none if `record_blocked.apart` is false.
 */

/**
 * Makes rollups in one snapshot, and returns the number of hours or days. Only one transaction at a time does so, so
 * that hours do not change while days are made from them. Returns 0 if another one does, or if the maker of blocks has
 * changed the same rows since the snapshot: the next run makes them.
 */
export const makeRollups = async (pool: Pool, make: (tx: PoolClient) => Promise<number>): Promise<number> => {
  try {
    return await transaction(pool, async (tx) => {
      await tx.query('set transaction isolation level repeatable read');
      const { rows: locked } = await tx.query<{ locked: boolean }>(
        sql`select pg_try_advisory_xact_lock(${key}) as locked`,
      );
      if (!locked[0]?.locked) return 0;
      // Compiling hundreds of sums takes longer than running them.
      await tx.query('set local jit = off');
      return make(tx);
    });
  } catch (error) {
    if (isConflict(error)) return 0;
    throw error;
  }
};

const key = sql`hashtextextended('record rollups', 0)`;

/** Waits until no transaction makes rollups, and keeps others from it. */
export const waitForRollups = async (tx: PoolClient): Promise<void> => {
  await tx.query(sql`select pg_advisory_xact_lock(${key})`);
};

/** Owner of rollups: an organization, with a product or with null for records without one. */
export interface Owner {
  readonly organization_id: string;
  readonly product_id: string | null;
}

/**
 * SQL condition of an owner's rows. It is an equality so that the index serves it, which it would not for "is not
 * distinct from".
 */
export const ownedBy = ({ organization_id, product_id }: Owner): Sql =>
  product_id === null
    ? sql`organization_id = ${organization_id} and product_id is null`
    : sql`organization_id = ${organization_id} and product_id = ${product_id}`;

/** Groups rows by owner. */
export const byOwner = <T extends Owner>(rows: readonly T[]): T[][] => [
  ...Map.groupBy(rows, ({ organization_id, product_id }) => `${organization_id}/${product_id}`).values(),
];

/**
 * SQL condition: a time lies between the first of some starts and the end of the last, whose length is in milliseconds.
 * Beside a join with the starts it changes nothing but the plan: the planner leaves out the other partitions of
 * `record`. To plan them takes longer than to read the hour of a small product.
 */
export const timeWithin = (time: Sql, starts: readonly string[], length: number): Sql => {
  // `isoTimestamp` leaves years outside of 1 to 9999 as PostgreSQL writes them.
  if (!starts.every((start) => start.endsWith('Z'))) return sql`true`;
  const times = starts.map((start) => Date.parse(start));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return sql`${time} >= ${instantText(first)}::timestamptz and ${time} < ${instantText(last + length)}::timestamptz`;
};

/**
 * SQL of a lateral table `value` with a row for each value of a record: its `slot`, and the number `v`. Slot 0 is the
 * record itself.
 */
export const slotValues: Sql = sql`lateral (
        select 0 as slot, null::float8 as v
        union all
        select place, value from unnest(numbers) with ordinality as number (value, place) where value is not null
        union all
        select -place, null from unnest(texts) with ordinality as text (value, place) where value is not null
      ) value`;

/** A day of one organization's product whose rollup is stale. */
export interface DirtyDay extends Owner {
  /** ISO 8601. */
  readonly day: string;
}

const daysAtOnce = 50;

/**
 * Time without changes of a day's hours after which the day is made, and maximum delay while its hours keep changing: in
 * seconds, with the seconds that each record of the day adds when it is made again, and the limit of the sum. A day is
 * made from all its records, below 100 microseconds each, so that late records keep at most a twentieth of a processor
 * busy.
 */
const quiet = { least: 60, each: 0.002, most: 900 };
const atMost = { least: 900, each: 0.02, most: hourSeconds };

/** SQL condition: a stale day, noted in a row `d`, is over and due. */
export const isDue = (now: Date): Sql => {
  const made = sql`coalesce((
    select max(t.n) from record_digest_total t
    where t.organization_id = d.organization_id and t.product_id = d.product_id and t.day = d.day and t.slot = 0), 0)`;
  const ago = ({ least, each, most }: typeof quiet) =>
    sql`${now}::timestamptz - make_interval(secs => greatest(${least}::float8, least(${most}::float8, ${made} * ${each}::float8)))`;
  return sql`d.day <= ${now}::timestamptz - interval '1 day'
    and (d.noted_at <= ${ago(quiet)} or d.since <= ${ago(atMost)})`;
};

/**
 * Notes the days of changed hourly rollups, in the transaction that changes them. `hours` selects rows of
 * organization_id, product_id and hour.
 */
export const noteDays = (hours: Sql): Sql => sql`
  insert into record_dirty_day (organization_id, product_id, day)
  select distinct organization_id, product_id, date_trunc('day', hour, 'UTC') from (${hours}) h
  on conflict (organization_id, product_id, day) do update set noted_at = clock_timestamp()`;

/**
 * Notes the days of changed records whose blocks become stale, in the transaction that makes their hourly rollups again.
 * `hours` selects rows of organization_id, product_id and hour.
 */
export const noteBlocks = (hours: Sql): Sql => sql`
  insert into record_dirty_block (organization_id, product_id, day)
  select distinct organization_id, product_id, date_trunc('day', hour, 'UTC') from (${hours}) h
  on conflict (organization_id, product_id, day) do update set noted_at = clock_timestamp(), fault = null`;

/** Makes the rollups of a batch of stale days that are over. Returns their number. */
export const rollUpDays = (pool: Pool, now: Date): Promise<number> =>
  makeRollups(pool, async (tx) => {
    const { rows: days } = await tx.query<DirtyDay>(sql`
      delete from record_dirty_day where ctid = any(array(
        select ctid from record_dirty_day d where ${isDue(now)} and not ${isAlone(sql`d.day`)} order by since limit ${daysAtOnce}))
      returning organization_id, product_id, day`);
    for (const some of byOwner(days)) await makeDays(tx, some);
    return days.length;
  });

/** Makes the days of one organization's product, apart from those that blocks replace. */
export const makeDays = async (tx: PoolClient, some: readonly DirtyDay[]): Promise<void> => {
  const { organization_id, product_id } = some[0]!;
  const whose = ownedBy(some[0]!);
  const { rows: apart } = await tx.query<{ day: string }>(sql`
    select day from unnest(${some.map(({ day }) => day)}::timestamptz[]) d (day)
    where day not in (
      select day::timestamp at time zone 'UTC' from record_blocked join record_block_source using (source)
      where ${whose} and not apart)`);
  const days = apart.map(({ day }) => day);
  if (days.length === 0) return;
  await tx.query(sql`delete from record_day where ${whose} and day = any(${days}::timestamptz[])`);
  await tx.query(sql`
    insert into record_day (organization_id, product_id, device_id, slot, day, n, sum, min, max, sum_squares)
    select ${organization_id}, ${product_id}::uuid, device_id, slot, day, sum(n), sum(sum), min(min), max(max), sum(sum_squares)
    from (
      select device_id, slot, d.day, n, sum, min, max, sum_squares
      from unnest(${days}::timestamptz[]) d (day)
      join record_rollup on ${whose} and hour >= d.day and hour < d.day + interval '24 hours'
      union all
      select device_id, slot, t.day, count(*), sum(v), min(v), max(v), sum(${squared(sql`v`)})
      from (
        select d.day, hour from unnest(${days}::timestamptz[]) d (day)
        join record_total on ${whose} and not apart and hour >= d.day and hour < d.day + interval '24 hours') t
      join record on ${whose} and ts >= t.hour and ts < t.hour + interval '1 hour' and ${timeWithin(sql`ts`, days, dayMs)},
      ${slotValues} group by 1, 2, 3) part
    group by slot, day, device_id order by day, slot, device_id`);
};
