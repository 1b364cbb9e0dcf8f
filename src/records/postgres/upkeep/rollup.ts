import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { hourMs, hourSeconds } from '#common/time.js';
import { squared } from '../squared.js';
import { isAlone } from './alone-day.js';
import { mendNewest, noteNewest } from './newest-field.js';
import {
  byOwner,
  makeRollups,
  noteBlocks,
  noteDays,
  type Owner,
  ownedBy,
  slotValues,
  timeWithin,
} from './rollup-day.js';
import { sparseStarts } from './sparse.js';
import { noteSummaries } from './summary.js';

/*
 * Hourly rollups (table record_rollup): count, sum, minimum, maximum, sum of squares, first and last by organization,
 * product, device and slot. record_total holds their sums over devices, and record_source lists the devices. They are
 * valid for every hour of an (organization, product) without a row in record_dirty, seen in the same snapshot; a dirty
 * hour is read from the records. They cover single values only: where record_field.multi is set for a field, its arrays
 * are missing.
 */

/** An hour of one organization's product whose rollup is stale. */
export interface DirtyHour extends Owner {
  /** ISO 8601. */
  readonly hour: string;
}

/**
 * Maximum number of hours of one transaction. Each transaction reads the whole list of dirty hours, so smaller batches
 * make a long list slow.
 */
const hoursAtOnce = 100;

/** Delays before a dirty hour is rolled up, in seconds. */
export interface RollupDelay {
  /** Usual delay after the last record of an hour that is over. */
  afterHour: number;
  /** Delay after the last record of any hour, including the current one. */
  quiet: number;
  /** Maximum delay of an hour that is over while late records keep coming. */
  atMost: number;
}

/** The default delays. */
export const usualDelay: RollupDelay = { afterHour: 10, quiet: 60, atMost: 900 };

/**
 * Makes the rollups of a batch of dirty hours again from their records. Returns their number. One snapshot sees both
 * the deleted notes and their records; records committed meanwhile leave notes of their own.
 */
export const rollUp = (pool: Pool, now: Date, delay: RollupDelay = usualDelay): Promise<number> =>
  makeRollups(pool, async (tx) => {
    await thinOut(tx);
    const hours = await takeDirtyHours(tx, now, delay);
    for (const some of byOwner(hours)) await rollUpHours(tx, some);
    return hours.length;
  });

/**
 * Deletes redundant notes. Every transaction notes the current hour; the first and the last note suffice. Notes of days
 * in blocks alone are locked while their rollups are made, which takes longer than a run of the upkeep may wait.
 */
const thinOut = async (tx: PoolClient): Promise<void> => {
  await tx.query(sql`
    delete from record_dirty where id in (
      select id from record_dirty where id in (
        select id from (
          select id, min(id) over hour as first, max(id) over hour as last
          from record_dirty window hour as (partition by organization_id, product_id, hour)) note
        where id <> first and id <> last)
      for update skip locked)`);
};

const takeDirtyHours = async (
  tx: PoolClient,
  now: Date,
  { afterHour, quiet, atMost }: RollupDelay,
): Promise<DirtyHour[]> => {
  const ago = (seconds: number): Sql => sql`${now}::timestamptz - make_interval(secs => ${seconds})`;
  const { rows } = await tx.query<DirtyHour>(sql`
    with ripe as (
      select organization_id, product_id, hour from record_dirty d where not ${isAlone(sql`d.hour`)}
      group by organization_id, product_id, hour
      having max(noted_at) <= ${ago(quiet)}
        or (hour <= ${ago(hourSeconds)} and (max(noted_at) <= ${ago(afterHour)} or min(noted_at) <= ${ago(atMost)}))
      order by min(id) limit ${hoursAtOnce}
    ), taken as (
      delete from record_dirty d using ripe r
      where d.organization_id = r.organization_id and d.hour = r.hour and d.product_id is not distinct from r.product_id
    )
    select organization_id, product_id, hour from ripe`);
  return rows;
};

/** Makes the rollups of hours of one organization's product. */
const rollUpHours = async (tx: PoolClient, some: readonly DirtyHour[]): Promise<void> => {
  await mendNewest(
    tx,
    some[0]!,
    some.map(({ hour }) => hour),
  );
  await remakeHours(tx, some);
};

/** Makes the rollups of hours of one owner again, from all records of these hours. */
export const remakeHours = async (tx: PoolClient, some: readonly DirtyHour[]): Promise<void> => {
  const { organization_id, product_id } = some[0]!;
  const hours = some.map(({ hour }) => hour);
  const whose = ownedBy(some[0]!);
  await tx.query(sql`delete from record_rollup where ${whose} and hour = any(${hours}::timestamptz[])`);
  await tx.query(sql`delete from record_total where ${whose} and hour = any(${hours}::timestamptz[])`);
  const sparse = new Set(await sparseStarts(tx, some[0]!, hours, 'hour'));
  await makeByDevice(
    tx,
    some[0]!,
    hours.filter((hour) => !sparse.has(hour)),
  );
  await makeTotals(tx, some[0]!, [...sparse]);
  await noteNewest(tx, some[0]!, hours);
  const made = sql`
      select ${organization_id}::uuid as organization_id, ${product_id}::uuid as product_id, unnest(${hours}::timestamptz[]) as hour`;
  await tx.query(noteDays(made));
  await tx.query(noteBlocks(made));
  await tx.query(noteSummaries(made));
};

/** Makes the rollups of hours, by device and of all devices of a product together. */
const makeByDevice = async (tx: PoolClient, owner: Owner, hours: readonly string[]): Promise<void> => {
  if (hours.length === 0) return;
  const { organization_id, product_id } = owner;
  await tx.query(sql`
    with made as (
      insert into record_rollup
        (organization_id, product_id, device_id, slot, hour, n, sum, min, max, sum_squares, first, last, first_ts, last_ts)
      select ${organization_id}, ${product_id}::uuid, device_id, slot, h.hour, count(*), sum(v), min(v), max(v),
        sum(${squared(sql`v`)}), (array_agg(v order by ts, seq))[1], (array_agg(v order by ts desc, seq desc))[1], min(ts), max(ts)
      ${recordsOf(owner, hours)}, ${slotValues}
      -- In the order in which they are read: one slot of many devices and hours.
      group by slot, h.hour, device_id order by slot, h.hour, device_id
      returning *
    ), totals as (
      insert into record_total (organization_id, product_id, slot, hour, n, sum, min, max, sum_squares)
      select organization_id, product_id, slot, hour, sum(n), sum(sum), min(min), max(max), sum(sum_squares)
      from made group by organization_id, product_id, slot, hour
    )
    insert into record_source (organization_id, product_id, device_id)
    select distinct organization_id, product_id, device_id from made on conflict do nothing`);
};

/** Makes the rollups of hours, of all devices of a product together. Searches by device then read the records. */
const makeTotals = async (tx: PoolClient, owner: Owner, hours: readonly string[]): Promise<void> => {
  if (hours.length === 0) return;
  const { organization_id, product_id } = owner;
  await tx.query(sql`
    insert into record_total (organization_id, product_id, slot, hour, n, sum, min, max, sum_squares, apart)
    select ${organization_id}, ${product_id}::uuid, slot, h.hour, count(*), sum(v), min(v), max(v), sum(${squared(sql`v`)}), slot <> 0
    ${recordsOf(owner, hours)}, ${slotValues}
    group by slot, h.hour order by h.hour, slot`);
  await tx.query(sql`
    insert into record_source (organization_id, product_id, device_id)
    select distinct ${organization_id}::uuid, ${product_id}::uuid, device_id ${recordsOf(owner, hours)} on conflict do nothing`);
};

const recordsOf = (owner: Owner, hours: readonly string[]): Sql => sql`
      from unnest(${hours}::timestamptz[]) h (hour)
      join record on ${ownedBy(owner)} and ts >= h.hour and ts < h.hour + interval '1 hour' and ${timeWithin(sql`ts`, hours, hourMs)}`;
