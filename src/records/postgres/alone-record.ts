import sql, { type Sql } from 'sql-template-tag';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';

/*
 * Records of days that are in blocks alone (`record_blocked.alone`). No row is one of them, so that readers add both.
 */

/** Whether an organization has such records. PostgreSQL finds out once for a statement, and skips what depends on it. */
export const hasAlone = (organizationId: string | Sql): Sql => sql`(select exists (
  select from record_block_source s join record_blocked a using (source)
  where s.organization_id = ${organizationId}::uuid and a.alone))`;

/** Whether anybody has such records. */
export const anyAlone: Sql = sql`(select exists (select from record_blocked where alone))`;

/** Part of a list of records by time. Times are expressions; without a limit they are infinite. */
export interface PageReach {
  readonly from: Sql;
  readonly to: Sql;
  /** Time and `seq` of the record before the page. */
  readonly after?: { readonly ts: Sql; readonly seq: Sql };
  readonly isNewestFirst: boolean;
  readonly skipped: number;
  readonly limit: number;
}

/**
 * Selects a page of the records of devices, whose days may be in blocks alone.
 * @param rows selects the first `skipped + limit` rows of the list, with the columns id, seq, device_id, product_id, ts,
 * metadata, data and frame
 * @param devices array of identifiers
 */
export const pageWithAlone = (rows: Sql, devices: Sql, reach: PageReach): Sql => {
  const { from, to, after, isNewestFirst, skipped, limit } = reach;
  const enough = skipped + limit;
  const order = isNewestFirst ? sql`ts desc, seq desc` : sql`ts, seq`;
  // Rows that fill the page exclude records behind the last one.
  const [low, high] = isNewestFirst
    ? [sql`greatest(${from}, l.ts)`, sql`least(${to}, ${after?.ts ?? sql`null`})`]
    : [sql`greatest(${from}, ${after?.ts ?? sql`null`})`, sql`least(${to}, l.ts)`];
  return sql`
    with stored as materialized (${rows}),
    last as (select case when count(*) >= ${enough}::bigint then ${isNewestFirst ? sql`min(ts)` : sql`max(ts)`} end as ts from stored),
    alone as materialized (
      select p.* from last l cross join lateral record_block_places(
        ${devices}, ${low}, ${high}, ${after?.ts ?? sql`null`}, ${after?.seq ?? sql`null`}, ${isNewestFirst}, ${enough}::int) p
      order by ${order} limit ${enough}),
    page as materialized (
      select block, place, ts, seq from (
        select null::int as block, null::int as place, ts, seq from stored union all select block, place, ts, seq from alone) k
      order by ${order} limit ${limit} offset ${skipped})
    select r.* from (
      select s.id, s.seq, s.device_id, s.product_id, s.ts, s.metadata, s.data, s.frame
        from stored s join page k on k.ts = s.ts and k.seq = s.seq and k.block is null
      union all
      select id, seq, device_id, product_id, ts, metadata, data, frame
        from ${recordsAt(sql`(select block, place from page where block is not null)`, ['metadata', 'data', 'frame'])} b) r`;
};

/** Parts of a record that are JSON, and need not be restored. */
type Part = 'metadata' | 'data' | 'frame' | 'many';

/**
 * Selects records in blocks, with the columns of `record` and those parts that are wanted.
 * @param places selects the columns `block` and `place`
 * @param withSlots whether the columns `numbers` and `texts` are wanted, too
 */
export const recordsAt = (places: Sql, parts: readonly Part[], withSlots = false): Sql => sql`(
  select r.* from (
    -- Records that follow one another are restored together.
    select block, min(place) as first_place, max(place) as last_place
      from (select block, place, place - row_number() over (partition by block order by place) as island from ${places} p) i
     group by block, island) i
  cross join lateral ${
    withSlots
      ? sql`rows from (
    record_block_rows(i.block, i.first_place, i.last_place, ${parts}::text[]),
    record_block_slots(i.block, i.first_place, i.last_place)) r (
      place, id, seq, organization_id, device_id, product_id, ts, metadata, data, frame, many, place_of_slots, numbers, texts)`
      : sql`record_block_rows(i.block, i.first_place, i.last_place, ${parts}::text[]) r`
  })`;

/** Whether an organization has days in blocks alone in a range of Unix seconds. */
export const hasAloneWithin = async (
  rows: Rows,
  organizationId: string,
  { from, to }: { from: number; to: number },
): Promise<boolean> => {
  const found = await rows(
    sql`
      select from record_block_source s join record_blocked a using (source)
       where s.organization_id = ${organizationId}::uuid and a.alone
         and a.day between (to_timestamp(${from}::float8) at time zone 'UTC')::date and (to_timestamp(${to}::float8) at time zone 'UTC')::date
       limit 1`,
    'alone',
  );
  return found.length > 0;
};

/**
 * Selects the runs of a device on days in blocks alone that have a part of a range of time: the columns `block`, `day`,
 * `product_id`, `first_place` and `last_place`.
 * @param where condition on `b`, with its keyword
 */
export const runsAlone = (deviceId: Sql, low: Sql, high: Sql, where: Sql): Sql =>
  sql`(select * from record_block_device_runs(${deviceId}, ${low}, ${high}) b ${where} offset 0)`;

/**
 * Selects the values of a run `b` of a device: the columns `ts`, `seq`, `product_id` and `value`.
 * @param values array of the values of the run
 */
export const valuesAlone = (values: Sql): Sql => sql`(
  select m.ts, m.seq, b.product_id, m.value
    -- Both are in the order of the records.
    from rows from (record_block_moments(b.block, b.first_place, b.last_place, false), unnest(${values}))
      m (place, device, ts, seq, id, value))`;

/**
 * Selects the values in `data` of the field `name` of the device of a row `d` on days in blocks alone: the columns `ts`,
 * `seq` and `value`.
 * @param within condition on the time of a record `r`, which lies between `low` and `high`
 */
export const fieldsAlone = (low: Sql, high: Sql, within: Sql): Sql => sql`
  select r.ts, r.seq, r.value -> d.name as value from record_block_device_runs(d.device_id, ${low}, ${high}) b
    cross join lateral ${valuesAlone(sql`record_block_json(b.block, 'data', array[d.name], b.first_place, b.last_place)`)} r
   where ${within}`;

/** Requirements of the newest record of a device. */
interface Newest {
  readonly deviceId: Sql;
  readonly productId?: Sql;
  /** Column of the block with its value. */
  readonly column?: Sql;
  /** Part and key with a value other than null. */
  readonly part?: Part;
  readonly field?: Sql;
  readonly from?: Sql;
  readonly to?: Sql;
}

/** Selects the newest record by its order time: the columns `block`, `place`, `ts`, `seq` and `order_ts`, or no row. */
export const newestAlone = ({ deviceId, productId, column, part, field, from, to }: Newest): Sql => sql`
  record_block_newest(${deviceId}, ${productId ?? sql`null`}, ${column ?? sql`null`}, ${part ?? sql`null`}, ${field ?? sql`null`},
    ${from ?? sql`'-infinity'`}, ${to ?? sql`'infinity'`}, ${clockTolerance / 1000})`;
