import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { transaction } from '../transaction.js';

/*
 * Rollups by day (table record_day), made of the hourly ones. A day of an (organization, product) is right where it has no row
 * in record_dirty_day and none of its hours has one in record_dirty, seen in the same snapshot.
 */

/** One transaction that makes rollups at a time: hours are not made anew while days are made of them. */
export const lockRollups: Sql = sql`select pg_try_advisory_xact_lock(hashtextextended('record rollups', 0)) as locked`;

/** A day of one organization's product whose rollup is out of date. */
interface DirtyDay {
  organization_id: string;
  product_id: string | null;
  /** ISO 8601. */
  day: string;
}

const daysAtOnce = 50;

/** How long no hour of a day was made anew before it is worth making; where hours keep changing, when it is made at the latest. Seconds. */
const quiet = 60;
const atMost = 900;

/** Notes, in the transaction that changes hourly rollups, the days that they are of. `hours`: rows of organization_id, product_id and hour. */
export const noteDays = (hours: Sql): Sql => sql`
  insert into record_dirty_day (organization_id, product_id, day)
  select distinct organization_id, product_id, date_trunc('day', hour, 'UTC') from (${hours}) h
  on conflict (organization_id, product_id, day) do update set noted_at = clock_timestamp()`;

/** Makes the rollups of some days that are over anew, and says how many. */
export const rollUpDays = (pool: Pool, now: Date): Promise<number> =>
  transaction(pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    const { rows: locked } = await tx.query<{ locked: boolean }>(lockRollups);
    if (!locked[0]?.locked) return 0;
    const { rows: days } = await tx.query<DirtyDay>(sql`
      delete from record_dirty_day where ctid = any(array(
        select ctid from record_dirty_day
        where day <= ${now}::timestamptz - interval '1 day'
          and (noted_at <= ${now}::timestamptz - make_interval(secs => ${quiet})
            or since <= ${now}::timestamptz - make_interval(secs => ${atMost}))
        order by since limit ${daysAtOnce}))
      returning organization_id, product_id, day`);
    const ofOne = Map.groupBy(days, ({ organization_id, product_id }) => `${organization_id}/${product_id}`);
    for (const some of ofOne.values()) await makeDays(tx, some);
    return days.length;
  });

/** Makes the days of one organization's product. */
const makeDays = async (tx: PoolClient, some: readonly DirtyDay[]): Promise<void> => {
  const { organization_id, product_id } = some[0]!;
  const days = some.map(({ day }) => day);
  const product = product_id === null ? sql`product_id is null` : sql`product_id = ${product_id}`;
  const whose = sql`organization_id = ${organization_id} and ${product}`;
  await tx.query(sql`delete from record_day where ${whose} and day = any(${days}::timestamptz[])`);
  await tx.query(sql`
    insert into record_day (organization_id, product_id, device_id, slot, day, n, sum, min, max, sum_squares)
    select ${organization_id}, ${product_id}::uuid, device_id, slot, d.day, sum(n), sum(sum), min(min), max(max), sum(sum_squares)
    from unnest(${days}::timestamptz[]) d (day)
    join record_rollup on ${whose} and hour >= d.day and hour < d.day + interval '24 hours'
    group by slot, d.day, device_id order by d.day, slot, device_id`);
};
