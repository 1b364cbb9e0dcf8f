import sql, { empty, type Sql } from 'sql-template-tag';
import { clockTolerance } from '#scheduling/clock-tolerance.js';
import { anyAlone, newestAlone } from './alone-record.js';

/** Maximum length of a field's name in the table record_newest, so that its index can hold the name. */
export const longestName = 512;

/** Number of a device's records before a time that are searched for a field whose noted record is gone. */
export const searchedBack = 10_000;

/** SQL of the time by which the newest record is found (see `orderTime`). The identifier has the time of arrival. */
export const orderTimeSql = (id: Sql, ts: Sql): Sql => {
  const arrived = sql`to_timestamp(('x' || replace(left(${id}::text, 13), '-', ''))::bit(48)::bigint / 1000.0)`;
  return sql`case when ${ts} > ${arrived} + make_interval(secs => ${clockTolerance / 1000}) then ${arrived} else ${ts} end`;
};

/**
 * Selects the greatest order time `at` of a device's records; no row without records.
 * @param condition of rows (` and …`), which all records meet whose day is in blocks alone
 * @param alone whether there may be such records
 */
export const newestAt = (deviceId: Sql, condition: Sql = empty, alone: Sql = anyAlone): Sql => sql`
  -- OFFSET makes PostgreSQL plan and run the subquery once, though it is used twice.
  select newest.at from (select (${newestRowAt(deviceId, condition)}) as at offset 0) stored
    cross join lateral (
      select greatest(stored.at, case when ${alone} then (
        select order_ts from ${newestAlone({ deviceId, from: sql`coalesce(stored.at, '-infinity')` })} n) end) as at) newest
   where newest.at is not null`;

/**
 * No record has a greater order time than its `ts`. So if the record with the greatest `ts` was ahead, only those after
 * its arrival are read.
 */
const newestRowAt = (deviceId: Sql, condition: Sql): Sql => sql`
  select case when n.at = n.ts then n.at else (
    select max(later.at) from (
      select ${orderTimeSql(sql`id`, sql`ts`)} as at from record
       where device_id = ${deviceId} and ts > n.at ${condition} order by record.ts desc limit ${searchedBack}) later) end as at
    from (
      select ts, ${orderTimeSql(sql`id`, sql`ts`)} as at from record
       where device_id = ${deviceId} ${condition} order by record.ts desc limit 1) n`;

/**
 * Selects the newest record that is in a block alone and has a noted field, no later than the noted time.
 * @param noted alias of a row with the columns of record_newest
 * @param from lower end of the time
 */
export const fieldAlone = (noted: Sql, from = sql`'-infinity'`): Sql =>
  newestAlone({
    deviceId: sql`${noted}.device_id`,
    part: 'data',
    field: sql`${noted}.name`,
    from,
    to: sql`${noted}.ts`,
  });
