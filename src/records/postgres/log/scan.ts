import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import type { PlainJson } from '#json/json.js';
import type { DeviceRange, DevicesRange, ScannedPage } from '#records/record-log.js';
import type { StoredRecord } from '#records/stored-record.js';
import { anyAlone, hasAlone, pageWithAlone } from '../alone-record.js';

/** Number of records of one page. */
const pageSize = 1000;

/** Position of the end of a page. */
type After = { ts: string; seq: string };

/**
 * Reads a page of the stored records of a device, in order of time, in a range of Unix seconds (both included). The
 * product is that of the record; the location is the device's current one.
 */
export async function scanRecords(
  tx: PoolClient,
  { deviceId, from, to }: DeviceRange,
  after: PlainJson,
): Promise<ScannedPage> {
  const { ts, seq } = (after as After | null) ?? { ts: '-infinity', seq: '0' };
  const [low, high] = limitsOf(from, to);
  const key = { ts: sql`${ts}::timestamptz`, seq: sql`${seq}::bigint` };
  const stored = sql`
    select r.* from record r
     where r.device_id = ${deviceId} and r.ts between ${low} and ${high} and (r.ts, r.seq) > (${key.ts}, ${key.seq})
     order by r.ts, r.seq limit ${pageSize}`;
  const reach = { from: low, to: high, after: key, isNewestFirst: false, skipped: 0, limit: pageSize };
  const page = pageWithAlone(stored, sql`array[${deviceId}::uuid]`, reach);
  const { rows } = await tx.query<StoredRecord & { at: After }>(sql`
    select r.id, extract(epoch from r.ts)::double precision ts, r.metadata, r.data,
           json_strip_nulls(json_build_object('id', d.id, 'serial', d.serial, 'organizationId', d.organization_id,
             'product', case when p.id is not null then json_build_object('id', p.id, 'organizationId', p.organization_id) end,
             'location', case when d.lat is not null then json_build_object('lat', d.lat, 'lon', d.lon) end)) device,
           json_build_object('ts', r.ts::text, 'seq', r.seq::text) "at"
      from (${page}) r join device d on d.id = r.device_id left join product p on p.id = r.product_id
     order by r.ts, r.seq`);
  const last = rows.at(-1);
  return {
    records: rows.map(({ id, ts: seconds, metadata, data, device }) => ({ id, ts: seconds, metadata, data, device })),
    ...(last && rows.length === pageSize && { next: last.at }),
  };
}

/** Counts the stored records of these devices in a range of Unix seconds (both included). */
export async function countRecords(tx: PoolClient, { deviceIds, from, to }: DevicesRange): Promise<number> {
  const [low, high] = limitsOf(from, to);
  const { rows } = await tx.query<{ total: number }>(sql`
    select ((select count(*) from record r where r.device_id = any(${deviceIds}::uuid[]) and r.ts between ${low} and ${high})
      + case when ${anyAlone} then record_block_count(${deviceIds}::uuid[], ${low}, ${high}, null) else 0 end)::float8 as total`);
  return rows[0]?.total ?? 0;
}

/**
 * Counts the stored records of an organization by their rollups. Hours with stale rollups are counted record by record.
 */
export async function countOrganization(pool: Queryable, organizationId: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(sql`
    with dirty as materialized (
      select distinct product_id, hour from record_dirty where organization_id = ${organizationId}
    ), counted as (
      select t.n from record_total t
       where t.organization_id = ${organizationId} and t.slot = 0
         and not exists (select from dirty d where d.hour = t.hour and d.product_id is not distinct from t.product_id)
      union all
      select (select count(*) from record r
               where r.organization_id = ${organizationId} and r.product_id = d.product_id and ${inHour})
        from dirty d where d.product_id is not null
      union all
      select (select count(*) from record r
               where r.organization_id = ${organizationId} and r.product_id is null and ${inHour})
        from dirty d where d.product_id is null
      union all
      select (select count(*) from record_block_runs(array[s.source], null, (d.hour at time zone 'UTC')::date) b
               cross join lateral record_block_moments(b.block, b.first_place, b.last_place, false) r where ${inHour})
        from dirty d join record_block_source s on s.organization_id = ${organizationId} and s.product_id is not distinct from d.product_id
       where ${hasAlone(organizationId)}
    )
    select coalesce(sum(n), 0)::float8 as total from counted`);
  return rows[0]?.total ?? 0;
}

const inHour: Sql = sql`r.ts >= d.hour and r.ts < d.hour + interval '1 hour'`;

const limitsOf = (from: number | null, to: number | null): [low: Sql, high: Sql] => [
  sql`to_timestamp(${from ?? '-infinity'}::double precision)`,
  sql`to_timestamp(${to ?? 'infinity'}::double precision)`,
];
