import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { dayMs, hourMs } from '#common/time.js';
import { type Owner, ownedBy, timeWithin } from './rollup-day.js';

/*
 * Hours and days without rollups by device. Where devices send little, a row for each device and variable takes more
 * space than the records and is no faster to read. The rollups of all devices of a product together remain.
 */

/** Number of records in an hour, or a day, with which a device alone makes rollups by device worthwhile. */
const busy = { hour: 60, day: 1440 };

/** Mean number of a device's records below which an hour, or a day, has no rollups by device. */
const usual = { hour: 12, day: 192 };

const units = {
  hour: { length: hourMs, interval: sql`interval '1 hour'`, least: sql`least_hour` },
  day: { length: dayMs, interval: sql`interval '24 hours'`, least: sql`least_day` },
};

/**
 * Returns those of an owner's hours or days whose devices have few records on average and none has many: the records of
 * each device are then read as fast as its rollups. The table record_rollup_rule may set another mean.
 */
export const sparseStarts = async (
  tx: PoolClient,
  owner: Owner,
  starts: readonly string[],
  unit: 'hour' | 'day',
): Promise<string[]> => {
  const { length, interval } = units[unit];
  const isSparse = await isSparseWith(tx, unit);
  if (isSparse === undefined) return [];
  const { rows } = await tx.query<{ start: string }>(sql`
    select start from (
      select start, count(*) as n from unnest(${starts}::timestamptz[]) s (start)
      join record on ${ownedBy(owner)} and ts >= start and ts < start + ${interval} and ${timeWithin(sql`ts`, starts, length)}
      group by start, device_id) device
    group by start having ${isSparse}`);
  return rows.map(({ start }) => start);
};

/** Whether the devices of a day have few records, which the transaction has written in blocks. */
export const isSparseDay = async (tx: PoolClient, source: number, day: Sql): Promise<boolean> => {
  const isSparse = await isSparseWith(tx, 'day');
  if (isSparse === undefined) return false;
  const { rowCount } = await tx.query(sql`
    select from (
      select sum(count) as n from record_block b cross join lateral unnest(b.devices, b.counts) r (device, count)
      where b.source = ${source} and b.day = ${day} group by r.device) device
    having ${isSparse}`);
  return rowCount === 1;
};

/** SQL condition of a group of rows, one for each device with its `n` records. Undefined if nothing is left out. */
const isSparseWith = async (tx: PoolClient, unit: keyof typeof units): Promise<Sql | undefined> => {
  const { rows } = await tx.query<{ least: number }>(sql`select ${units[unit].least} as least from record_rollup_rule`);
  const fewest = rows[0]?.least ?? usual[unit];
  return fewest === 0 ? undefined : sql`sum(n) < ${fewest}::int * count(*) and max(n) < ${busy[unit]}::int`;
};
