import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import { waitForMaker } from '../blocks/noted-day.js';
import { forgetDevice } from '../earlier/due.js';
import { keepRows } from './alone-day.js';

/**
 * Time after the deletion of a device before its records are purged, in milliseconds. Transactions that saw the device
 * have stored their records by then.
 */
const sweepDelay = 60_000;
const batchSize = 5000;
const keyAge = '48 hours';
const onceAge = '24 hours';

/** Deletes the data of a deleted device in other stores. Returns false if that has to wait. `deletedAt` is ISO 8601. */
export type Purge = (gone: { deviceId: string; deletedAt: string }) => Promise<boolean>;

/** A deleted device. */
interface Gone {
  device_id: string;
  deleted_at: string;
  alone: 'none' | 'noted';
}

/**
 * Deletes a batch of records of a deleted device. Returns whether more may remain. A device with records in blocks alone
 * waits until these are made again without it.
 */
export const purgeDevices = async (pool: Pool, now: Date, purge?: Purge): Promise<boolean> => {
  const due = sql`deleted_at <= ${new Date(now.getTime() - sweepDelay)}`;
  await noteAlone(pool, due);
  const { rows } = await pool.query<Gone>(sql`
    select device_id, deleted_at, alone from record_sweep where ${due} and alone <> 'waits' order by deleted_at limit 1`);
  const [gone] = rows;
  if (!gone) return release(pool);
  const id = gone.device_id;
  // Rollups over all devices include these records, so their hours are marked to be made again.
  const { rows: deleted } = await pool.query<{ some: boolean }>(sql`
    with deleted as (
      delete from record r using (select id, ts from record where device_id = ${id} limit ${batchSize}) s
      where r.id = s.id and r.ts = s.ts
      returning organization_id, product_id, date_trunc('hour', r.ts) as hour
    ), noted as (
      insert into record_dirty (organization_id, product_id, hour)
      select distinct organization_id, product_id, hour from deleted
    )
    select exists (select from deleted) as some`);
  if (deleted[0]?.some) return true;
  if (gone.alone === 'noted') {
    await pool.query(sql`update record_sweep set alone = 'waits' where device_id = ${id}`);
    return true;
  }
  if (purge && !(await purge({ deviceId: id, deletedAt: gone.deleted_at }))) return false;
  await pool.query(sql`delete from record_rollup where device_id = ${id}`);
  await pool.query(sql`delete from record_day where device_id = ${id}`);
  await pool.query(sql`
    delete from record_seen where device = (select device from record_block_device where device_id = ${id})`);
  await pool.query(sql`delete from record_source where device_id = ${id}`);
  await pool.query(sql`delete from record_newest where device_id = ${id}`);
  await pool.query(sql`delete from record_key where device_id = ${id}`);
  await forgetDevice(pool, id);
  await pool.query(sql`delete from record_sweep where device_id = ${id}`);
  return true;
};

/**
 * SQL: the days in blocks alone that have records of deleted devices.
 * @param which condition on a row `w` of `record_sweep`
 */
const daysOfDeleted = (which: Sql): Sql => sql`
  select v.device_id, s.organization_id, s.product_id, b.day::timestamp at time zone 'UTC' as day
  from (
    select distinct s.* from record_sweep w join record_source o using (device_id)
    join record_block_source s on s.organization_id = o.organization_id and s.product_id is not distinct from o.product_id
    where ${which}) s
  join record_blocked e on e.source = s.source and e.alone
  join record_block b on b.source = e.source and b.day = e.day
  cross join lateral unnest(b.devices) r (device)
  join record_block_device v on v.device = r.device join record_sweep w on w.device_id = v.device_id and ${which}`;

/**
 * Notes the days in blocks alone that have records of deleted devices: their rollups and blocks are made again without
 * these (`deletedDevices`). No further day gets such records, because their rows are kept from now on.
 */
const noteAlone = async (pool: Pool, due: Sql): Promise<void> => {
  const { rowCount } = await pool.query(sql`select from record_sweep where ${due} and alone is null limit 1`);
  if (rowCount === 0) return;
  await transaction(pool, async (tx) => {
    // A maker may be writing blocks with records of these devices. Later ones write none.
    await waitForMaker(tx);
    await keepRows(tx);
    await tx.query(sql`
      with found as materialized (${daysOfDeleted(sql`w.${due} and w.alone is null`)}),
      looked as (
        update record_sweep w set alone = case when device_id in (select device_id from found) then 'noted' else 'none' end
        where ${due} and alone is null
      )
      insert into record_dirty (organization_id, product_id, hour)
      select organization_id, product_id, hour
      from (select distinct organization_id, product_id, day from found) d
      cross join generate_series(day, day + interval '23 hours', interval '1 hour') hour`);
  });
};

/** Lets the devices be purged whose records have gone from all blocks. Returns whether there are any. */
const release = async (pool: Pool): Promise<boolean> => {
  const { rowCount } = await pool.query(sql`
    update record_sweep set alone = 'none'
    where alone = 'waits' and device_id not in (select device_id from (${daysOfDeleted(sql`w.alone = 'waits'`)}) found)`);
  return rowCount! > 0;
};

/** Deletes a batch of expired keys. Returns whether more may remain. */
export const purgeKeys = async (pool: Queryable, now: Date): Promise<boolean> => {
  const keys = await pool.query(sql`
    delete from record_key where ctid = any(array(
      select ctid from record_key where stored_at <= ${now}::timestamptz - ${keyAge}::interval limit ${batchSize}))`);
  const calls = await pool.query(sql`
    delete from idempotency_key where ctid = any(array(
      select ctid from idempotency_key where created_at <= ${now}::timestamptz - ${onceAge}::interval limit ${batchSize}))`);
  return keys.rowCount === batchSize || calls.rowCount === batchSize;
};
