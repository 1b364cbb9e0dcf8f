import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { hourMs } from '#common/time.js';
import { variablesFor } from '#records/scope/variable.js';
import { anyAlone } from '../alone-record.js';
import { fieldAlone, longestName, orderTimeSql, searchedBack } from '../newest-field.js';
import { byOwner, makeRollups, type Owner, ownedBy, timeWithin } from './rollup-day.js';

/*
 * The newest record of each field that the product of a record does not declare (table record_newest). Declared
 * variables have their newest records in the hourly rollups.
 */

/** Maximum number of fields that are kept of a device: those with the newest records. */
export const mostFields = 200;

/** Number of hours of one transaction. */
const hoursAtOnce = 24;

/** An hour of one organization's product, as ISO 8601. */
interface Hour extends Owner {
  readonly hour: string;
}

/** Notes the fields of the records of some hours of one owner, in the transaction that makes their rollups. */
export const noteNewest = async (tx: PoolClient, owner: Owner, hours: readonly string[]): Promise<void> => {
  const whose = ownedBy(owner);
  const { rows } = await tx.query<{ device_id: string }>(sql`
    with noted as (
      insert into record_newest (device_id, name, ts, at)
      select device_id, name, ts, at from (
        select device_id, f.key as name, max(at) as at,
          -- Few records are ahead of their arrival, so that times differ.
          case when max(at) filter (where ts <> at) >= coalesce(max(at) filter (where ts = at), '-infinity')
            then (array_agg(ts order by at desc, ts desc) filter (where ts <> at))[1] else max(at) end as ts,
          row_number() over (partition by device_id order by max(at) desc) as place
        from (
          select device_id, ts, data - ${declaredBy(owner)} as data, ${orderTimeSql(sql`id`, sql`ts`)} as at
          from unnest(${hours}::timestamptz[]) h (hour)
          join record on ${whose} and ts >= h.hour and ts < h.hour + interval '1 hour'
            and ${timeWithin(sql`ts`, hours, hourMs)}) r
        cross join lateral jsonb_each(data) f
        where f.value <> 'null' and length(f.key) <= ${longestName}
        group by device_id, f.key) newest
      where place <= ${mostFields} and exists (select from device d where d.id = device_id)
      order by device_id, name
      on conflict (device_id, name) do update set ts = excluded.ts, at = excluded.at
        where (record_newest.at, record_newest.ts) < (excluded.at, excluded.ts)
      returning device_id, xmax = 0 as is_new
    )
    select distinct device_id from noted where is_new`);
  if (rows.length === 0) return;
  await tx.query(sql`
    delete from record_newest where (device_id, name) in (
      select device_id, name from (
        select device_id, name, row_number() over (partition by device_id order by at desc, name) as place
        from record_newest where device_id = any(${rows.map(({ device_id }) => device_id)}::uuid[])) ranked
      where place > ${mostFields})`);
};

/** Selects the names of a product's variables. What a withdrawn product declares depends on the organization. */
const declaredBy = ({ product_id }: Owner): Sql => sql`(
  select coalesce(array_agg(v ->> 'name'), '{}') from product p, jsonb_array_elements(${variablesFor(sql`p.organization_id`)}) v
  where p.id = ${product_id}::uuid and p.withdrawn is null)`;

/**
 * Moves fields whose newest record lay in one of these hours and is gone, or has lost the field, to the newest record
 * that is left. Runs before the old rollups are deleted: they tell which devices had records. In hours without rollups
 * by device, any device of the product may have had some. All of them are looked up, once for the span of these hours.
 */
export const mendNewest = async (tx: PoolClient, owner: Owner, hours: readonly string[]): Promise<void> => {
  await tx.query(sql`
    with had as materialized (
      select device_id, hour as start, hour + interval '1 hour' as until from record_rollup
      where ${ownedBy(owner)} and slot = 0 and hour = any(${hours}::timestamptz[])
      union all
      select device_id, start, until from (
        select min(hour) as start, max(hour) + interval '1 hour' as until from record_total
        where ${ownedBy(owner)} and not apart and hour = any(${hours}::timestamptz[])) t
      cross join (select device_id from record_source where ${ownedBy(owner)}) s
      where start is not null
    ), stale as materialized (
      select distinct n.device_id, n.name, n.ts
      -- OFFSET makes PostgreSQL look up each device, instead of reading the whole table.
      from had h cross join lateral (
        select * from record_newest where device_id = h.device_id and ts >= h.start and ts < h.until
        offset 0) n
      where not exists (
        select from record r where r.device_id = n.device_id and r.ts = n.ts and r.data -> n.name <> 'null')
        and not exists (select from ${fieldAlone(sql`n`, sql`n.ts`)} a where ${anyAlone})
    ), left_over as (
      select s.device_id, s.name, r.ts, r.at from stale s left join lateral (${newestWith(sql`s`)}) r on true
    ), moved as (
      update record_newest n set ts = l.ts, at = l.at from left_over l
      where n.device_id = l.device_id and n.name = l.name and l.ts is not null
    )
    delete from record_newest n using left_over l
    where n.device_id = l.device_id and n.name = l.name and l.ts is null`);
};

/** Selects the time of the newest record of a device with a field, no later than a time, of `row`. */
const newestWith = (row: Sql): Sql => sql`
  select * from (
    (select r.ts, ${orderTimeSql(sql`r.id`, sql`r.ts`)} as at from (
      select id, ts, data from record where device_id = ${row}.device_id and ts <= ${row}.ts
      order by ts desc limit ${searchedBack}) r
    where r.data -> ${row}.name <> 'null' limit 1)
    union all
    select a.ts, a.order_ts from ${fieldAlone(row)} a where ${anyAlone}) found
  order by ts desc limit 1`;

/** Notes the fields of a batch of hours whose rollups were made by earlier versions. Returns the number of hours. */
export const noteEarlier = (pool: Pool): Promise<number> =>
  makeRollups(pool, async (tx) => {
    const { rows } = await tx.query<Hour>(sql`
      delete from record_newest_due where ctid = any(array(
        select ctid from record_newest_due order by hour desc limit ${hoursAtOnce}))
      returning organization_id, product_id, hour`);
    for (const some of byOwner(rows))
      await noteNewest(
        tx,
        some[0]!,
        some.map(({ hour }) => hour),
      );
    return rows.length;
  });
