import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { NewestValues, newestRecords } from '#records/answer/latest-answer.js';
import type { PlainObject } from '#records/item.js';
import type { RecordIndex } from '#records/record-index.js';
import { type ProductShape, ProductShapes, type ProductUse } from '#records/scope/product-shape.js';
import { anyAlone, newestAlone } from '../alone-record.js';
import { dayOf } from '../day.js';
import { fieldAlone, longestName, orderTimeSql, searchedBack } from '../newest-field.js';
import { findRecent, type Recent, readWeighed, type Weigh } from './recent-record.js';

/** A device whose newest records may lack some of its values. */
interface Incomplete extends KnownDevice {
  product_id: string | null;
}

/**
 * Creates the read of newest values. The newest measured value is not the last received one: late data does not replace
 * it. A record that is ahead of its arrival counts from then. Values come from a device's newest records. A variable of
 * its products that is not among them is searched for in the hours whose rollups are out of date, where its newest
 * hourly rollup points, and, if the product has hours without rollups by device, on its newest days in rollups or in
 * blocks, whichever product the device had then. Rollups contain no arrays: if there were any, the device's records are
 * scanned. Other fields are found by {@link otherFields}.
 */
export const createLatest = (pool: Pool): RecordIndex['latest'] => {
  const shapes = new ProductShapes();
  return async (deviceIds, weigh) => {
    const found = new Map(deviceIds.map((id) => [id, new NewestValues()]));
    const recent = await findRecent(pool, deviceIds, weigh);
    // Records ahead of now may hide those that came after them.
    const ahead = [...new Set(recent.flatMap(({ device_id, future }) => (future ? [device_id] : [])))];
    if (ahead.length > 0) recent.push(...(await findRecent(pool, ahead, weigh, sql` and ts <= clock_timestamp()`)));
    const products = recent.flatMap((row) =>
      row.product_version === null ? [] : [{ ...useOf(row)!, version: row.product_version }],
    );
    await shapes.load(pool, products);
    for (const row of recent) found.get(row.device_id)!.take(row.data, row, shapeOf(row, shapes));
    const incomplete = incompleteOf(recent, found);
    const rowOf = new Map(recent.map((row) => [row.device_id, row]));
    for (const row of await findRare(pool, incomplete, weigh))
      found.get(row.device_id)!.take(row.data, row, shapeOf(rowOf.get(row.device_id)!, shapes));
    return new Map([...found].map(([id, values]) => [id, values.byName()]));
  };
};

const useOf = ({ product_id: id, foreign }: Recent): ProductUse | undefined =>
  id === null ? undefined : { id, foreign: foreign === true };

const shapeOf = (row: Recent, shapes: ProductShapes): ProductShape | undefined => {
  const use = useOf(row);
  return use && shapes.get(use);
};

const incompleteOf = (recent: readonly Recent[], found: ReadonlyMap<string, NewestValues>): Incomplete[] =>
  [...Map.groupBy(recent, ({ device_id }) => device_id)].flatMap(([device_id, records]) => {
    const { organization_id, product_id } = records[0]!;
    // Fewer records than requested means that these are all.
    if (records.length < newestRecords) return [];
    return { organization_id, device_id, product_id, found: found.get(device_id)!.certainNames() };
  });

interface Rare {
  device_id: string;
  id: string;
  ts: number;
  data: PlainObject;
}

const findRare = async (pool: Pool, devices: readonly Incomplete[], weigh: Weigh): Promise<Rare[]> => {
  if (devices.length === 0) return [];
  const rows = await Promise.all([
    readWeighed<Rare>(pool, weigh, rareVariables(devices)),
    readWeighed<Rare>(pool, weigh, otherFields(devices)),
  ]);
  return rows.flat();
};

const at = orderTimeSql(sql`r.id`, sql`r.ts`);
const newest = sql`at desc, r.ts desc, r.seq desc`;

/** Selects the record with the greatest `ts` of the device of `p` that meets a condition. */
const greatest = (condition: Sql): Sql => sql`
    select r.ts, ${at} as at from record r where r.device_id = p.device_id and ${condition}
    order by r.ts desc, r.seq desc limit 1`;

/**
 * Selects the newest record of the device of `p` that meets a condition. If the record with the greatest `ts` was ahead,
 * it may hide those after its arrival, so these are read too.
 * @param last selects the record with the greatest `ts`
 */
const withoutLeap = (condition: Sql, last: Sql = greatest(condition)): Sql => sql`
  select back.* from (${last}) n
  cross join lateral (
    select r.id, r.ts, r.seq, r.data, ${at} as at from record r
    where r.device_id = p.device_id and r.ts between n.at and n.ts and ${condition}
    order by r.ts desc, r.seq desc limit ${searchedBack}) back
  order by back.at desc, back.ts desc, back.seq desc limit 1`;

/**
 * Selects the record with the greatest `ts` that meets a condition, if the product has hours without rollups by device.
 * It looks on the days that have a daily rollup for the slot, and on those whose rollups are out of date.
 */
const ofSparseDays = (condition: Sql, slot: Sql): Sql => sql`
    select r.* from (
      select day from record_day y where y.device_id = p.device_id and y.product_id = p.product_id and y.slot = ${slot} and p.sparse
      union
      select day from record_dirty_day y where y.organization_id = p.organization_id and y.product_id = p.product_id and p.sparse
      order by day desc) d
    cross join lateral (${greatest(sql`${condition} and r.ts >= d.day and r.ts < d.day + interval '24 hours'`)}) r
    order by d.day desc limit 1`;

/**
 * Selects the record with the greatest `ts` that meets a condition, no later than the newest day in blocks with a value
 * in the slot.
 */
const ofBlocks = (condition: Sql, slot: Sql): Sql => sql`
    select r.* from record_block_device v
    join record_block_source s on s.organization_id = p.organization_id and s.product_id = p.product_id
    join record_seen n on n.device = v.device and n.source = s.source and n.col = ${slot}
    cross join lateral (${greatest(sql`${condition} and r.ts < (n.day + 1)::timestamptz`)}) r
    where v.device_id = p.device_id and p.sparse`;

/**
 * Selects the newest record that is in a block alone and has a value in the slot, no later than the newest day in blocks
 * that has one, or has the variable as an array.
 */
const ofAlone = (slot: Sql): Sql => {
  const day = sql`
    select (n.day + 1)::timestamp at time zone 'UTC' from record_block_device v
    join record_block_source s on s.organization_id = p.organization_id and s.product_id = p.product_id
    join record_seen n on n.device = v.device and n.source = s.source and n.col = ${slot}
    where v.device_id = p.device_id`;
  const device = { deviceId: sql`p.device_id` };
  return sql`
    select b.id, b.ts, b.seq, b.data, n.order_ts as at from (
      select * from (${day}) seen (until) cross join lateral ${newestAlone({ ...device, productId: sql`p.product_id`, column: slot, to: sql`seen.until` })} m
      union all
      select null, m.* from ${newestAlone({ ...device, part: 'many', field: sql`p.name` })} m where p.multi) n
    cross join lateral record_block_rows(n.block, n.place, n.place, '{data}') b
    where ${anyAlone}`;
};

/** Selects the newest values of variables of the devices' present and earlier products that are not known. */
const rareVariables = (devices: readonly Incomplete[]): Sql => {
  const slot = sql`case p.kind when 'number' then p.slot else -p.slot end`;
  const filled = sql`case p.kind when 'number' then r.numbers[p.slot] is not null else r.texts[p.slot] is not null end`;
  const ours = sql`r.product_id = p.product_id and ${filled}`;
  return sql`
    with device as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(devices)}::jsonb)
        d (organization_id uuid, device_id uuid, product_id uuid, found text[])
    ), wanted as materialized (
      select distinct d.organization_id, d.device_id, d.product_id, s.name
      from device d cross join lateral (
        select d.product_id union select o.product_id from record_source o where o.device_id = d.device_id) had
      join product_slot s on s.product_id = had.product_id and s.name <> all(d.found)
    ), dirty as materialized (
      select distinct organization_id, product_id, hour from record_dirty
      where organization_id in (select organization_id from wanted) and product_id is not null
    ), place as materialized (
      select w.organization_id, w.device_id, w.name, s.product_id, s.kind, s.slot, exists (
        select from record_field f where f.organization_id = w.organization_id and f.path = 'data.' || w.name and f.multi) as multi, exists (
        select from record_total t where t.organization_id = w.organization_id and t.product_id = s.product_id and not t.apart) as sparse
      from wanted w cross join lateral (
        select w.product_id
        union select o.product_id from record_source o where o.device_id = w.device_id
        union select d.product_id from dirty d where d.organization_id = w.organization_id) had
      join product_slot s on s.product_id = had.product_id and s.name = w.name
    )
    select p.device_id, value.id, extract(epoch from value.ts)::float8 as ts,
      jsonb_build_object(p.name, value.data -> p.name) as data
    from place p cross join lateral (
      (select r.id, r.ts, r.seq, r.data, ${at} as at from dirty join record r on r.device_id = p.device_id and r.product_id = p.product_id
          and r.ts >= dirty.hour and r.ts < dirty.hour + interval '1 hour'
        where dirty.product_id = p.product_id and ${filled} order by ${newest} limit 1)
      union all
      (${withoutLeap(
        ours,
        greatest(sql`${ours} and r.ts = (
          select last_ts from record_rollup u
          where u.device_id = p.device_id and u.product_id = p.product_id and u.slot = ${slot}
          order by ${dayOf(sql`u.hour`)} desc, u.hour desc limit 1)`),
      )})
      union all
      (${withoutLeap(ours, ofSparseDays(ours, slot))})
      union all
      (${withoutLeap(ours, ofBlocks(ours, slot))})
      union all
      (${withoutLeap(sql`p.multi and r.many ? p.name`)})
      union all
      (${ofAlone(slot)})
      order by at desc, ts desc, seq desc limit 1
    ) value`;
};

/** A device, and the names of its values that are known. */
interface KnownDevice {
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
const otherFields = (devices: readonly KnownDevice[]): Sql => sql`
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
      select * from (
        (select id, ts, data from (
          select id, ts, seq, data from record where device_id = n.device_id and ts <= n.ts
          order by ts desc, seq desc limit ${searchedBack}) back
        where data -> n.name <> 'null' limit 1)
        union all
        select b.id, b.ts, b.data from ${fieldAlone(sql`n`, sql`n.ts`)} a
        cross join lateral record_block_rows(a.block, a.place, a.place, '{data}') b where ${anyAlone}) found
      order by ts desc limit 1) r
  )
  select device_id, id, extract(epoch from ts)::float8 as ts, jsonb_build_object(name, value) as data
  from (select * from fresh union all select * from noted) field`;
