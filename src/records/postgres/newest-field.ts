import sql, { empty, type Sql } from 'sql-template-tag';
import { clockTolerance } from '#scheduling/clock-tolerance.js';

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
 * Selects the greatest order time `at` of a device's records that meet a condition (` and …`). No record has a greater
 * order time than its `ts`. So if the record with the greatest `ts` was ahead, only those after its arrival are read.
 */
export const newestAt = (deviceId: Sql, condition: Sql = empty): Sql => sql`
  select case when n.at = n.ts then n.at else (
    select max(later.at) from (
      select ${orderTimeSql(sql`id`, sql`ts`)} as at from record
       where device_id = ${deviceId} and ts > n.at ${condition} order by record.ts desc limit ${searchedBack}) later) end as at
    from (
      select ts, ${orderTimeSql(sql`id`, sql`ts`)} as at from record
       where device_id = ${deviceId} ${condition} order by record.ts desc limit 1) n`;
