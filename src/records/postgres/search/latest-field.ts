import sql, { type Sql } from 'sql-template-tag';
import { longestName, orderTimeSql, searchedBack } from '../newest-field.js';

/** A device, and the names of its values that are known. */
export interface KnownDevice {
  organization_id: string;
  device_id: string;
  found: readonly string[];
}

/**
 * Maximum number of hours without rollups, the newest ones, in which fields are searched for. Upkeep notes the fields
 * of an hour when it makes its rollup, so more hours wait only while it catches up.
 */
const mostHours = 24;

/** Maximum number of a device's records with further fields that are read in these hours. */
const mostRecords = 1000;

/**
 * Selects the newest values of the devices' other fields: from the records that upkeep noted (table record_newest), and
 * in the hours that it has yet to read. Rows are `device_id`, the record's `id` and
 * `ts` in Unix seconds, and `data` with the one field.
 */
export const otherFields = (devices: readonly KnownDevice[]): Sql => sql`
  with wanted as materialized (
    select * from jsonb_to_recordset(${JSON.stringify(devices)}::jsonb)
      w (organization_id uuid, device_id uuid, found text[])
  ), waiting as materialized (
    select organization_id, hour from (
      select organization_id, hour, row_number() over (partition by organization_id order by hour desc) as place
      from (select distinct organization_id, hour from record_dirty
        where organization_id in (select organization_id from wanted)) dirty) ranked
    where place <= ${mostHours}
  ), fresh as (
    select distinct on (w.device_id, f.key) w.device_id, f.key as name, r.id, r.ts, f.value
    from wanted w cross join lateral (
      select r.id, r.ts, r.seq, r.data - w.found as data
      from waiting h join record r
        on r.device_id = w.device_id and r.ts >= h.hour and r.ts < h.hour + interval '1 hour'
      where h.organization_id = w.organization_id and r.data - w.found <> '{}'
      order by r.ts desc, r.seq desc limit ${mostRecords}) r
    cross join lateral jsonb_each(r.data) f
    where f.value <> 'null' and length(f.key) <= ${longestName}
    order by w.device_id, f.key, ${orderTimeSql(sql`r.id`, sql`r.ts`)} desc, r.ts desc, r.seq desc
  ), noted as (
    select n.device_id, n.name, r.id, r.ts, r.data -> n.name as value
    from wanted w join record_newest n on n.device_id = w.device_id and n.name <> all(w.found)
    cross join lateral (
      select id, ts, data from (
        select id, ts, seq, data from record where device_id = n.device_id and ts <= n.ts
        order by ts desc, seq desc limit ${searchedBack}) back
      where data -> n.name <> 'null' limit 1) r
  )
  select device_id, id, extract(epoch from ts)::float8 as ts, jsonb_build_object(name, value) as data
  from (select * from fresh union all select * from noted) field`;
