import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { copyRows } from '#database/copy-out.js';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import { JoinedSegments } from '#records/blocks/fleet-segment.js';
import { decodeFleet, type FleetPart, type ReadPart } from '#records/blocks/fleet-sum.js';
import { roundingOf } from '#search/date/rounding.js';
import { utc, zoneOf } from '#search/date/zone.js';
import { type FleetDay, writeFleet } from './fleet-day.js';
import { deleteMonth, partOf } from './fleet-table.js';
import { lockMaking } from './noted-day.js';
import { prepareLong } from './snapshot.js';

/*
 * Sums of all devices of a product's local month, made from those of its days. They are valid if their version is that of
 * the days, which says when the blocks of each were made.
 */

/** A day of a month, and when its blocks were made, in Unix seconds. */
export interface VersionedDay {
  /** Days since 1970. */
  readonly day: number;
  readonly made: number;
}

/** Returns the version of a month's sums that are made from days in ascending order. */
export const versionOf = (days: readonly VersionedDay[]): string =>
  createHash('sha256')
    .update(days.map(({ day, made }) => `${day} ${made}`).join())
    .digest('base64');

/** A local month: its bounds in Unix seconds, and the UTC days that it has a part of, from the first to the last. */
export interface Month {
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
}

/** Returns the local month in which a UTC day lies at noon. */
export const monthOf = (day: number, timeZone: string): Month => {
  const rounding = roundingOf({ unit: 'month' }, zoneOf(timeZone) ?? utc);
  const start = rounding.round((day + 0.5) * dayMs);
  const end = rounding.next(start);
  return { start: start / 1000, end: end / 1000, first: Math.floor(start / dayMs), last: Math.ceil(end / dayMs) - 1 };
};

/** Returns the first day of a month, as which its sums are stored. */
export const nameOfMonth = ({ start, end }: Month): number => {
  const middle = new Date((start + end) * 500);
  return Date.UTC(middle.getUTCFullYear(), middle.getUTCMonth(), 1) / dayMs;
};

/** Finds months that are over and have no sums, with the fifteenth of each. */
export const findFleetMonths = async (database: Queryable, now: Date): Promise<FleetDay[]> => {
  const { rows } = await database.query<FleetDay>(sql`
    select source, month + 14 - 'epoch'::date as day from (
      select source, date_trunc('month', day)::date as month from record_blocked where summed_at = made_at group by 1, 2) m
     where month + interval '1 month 3 days' <= ${now}::timestamptz
       and not exists (
         select from record_fleet_sum f where f.source = m.source and f.slot = 0 and f.level = 'm' and f.day = m.month)
     order by month desc`);
  return rows;
};

/**
 * Makes the sums of a month from those of its days, if all of these have some. Returns false if another transaction makes
 * blocks.
 */
export const makeFleetMonth = (pool: Pool, { source, day }: FleetDay): Promise<boolean> =>
  transaction(pool, async (tx) => {
    if (!(await lockMaking(tx))) return false;
    await prepareLong(tx);
    const { rows: zones } = await tx.query<{ timeZone: string }>(sql`
      select time_zone as "timeZone" from record_blocked
       where source = ${source} and day between 'epoch'::date + ${day - 14}::int and 'epoch'::date + ${day + 13}::int limit 1`);
    if (zones.length === 0) return true;
    const { timeZone } = zones[0]!;
    const month = monthOf(day, timeZone);
    const { rows: days } = await tx.query<VersionedDay & { isSummed: boolean }>(sql`
      select day - 'epoch'::date as day, extract(epoch from made_at)::float8 as made,
             coalesce(summed_at = made_at, false) and time_zone = ${timeZone} as "isSummed"
        from record_blocked where source = ${source} and day between 'epoch'::date + ${month.first}::int and 'epoch'::date + ${month.last}::int
       order by record_blocked.day for update`);
    if (days.length === 0 || !days.every(({ isSummed }) => isSummed)) return true;
    await writeMonth(tx, source, month, days);
    return true;
  });

const writeMonth = async (
  tx: PoolClient,
  source: number,
  month: Month,
  days: readonly VersionedDay[],
): Promise<void> => {
  const name = nameOfMonth(month);
  await tx.query(deleteMonth(source, name));
  const { rows: slots } = await tx.query<{ slot: number }>(sql`
    select distinct slot from record_fleet_sum where source = ${source} and level = 'd'
       and day between 'epoch'::date + ${month.first}::int and 'epoch'::date + ${month.last}::int`);
  for (const { slot } of slots) {
    const joined = new JoinedSegments(month.start);
    for (const { day } of days)
      for (const segment of await readDay(tx, { source, day }, slot))
        if (segment.start >= month.start && segment.start < month.end) joined.add(segment);
    await writeFleet(tx, { source, day: name }, slot, { m: [joined.finish()] });
  }
  await tx.query(sql`
    insert into record_fleet_sum (source, slot, level, day, part, cells)
    values (${source}, 0, 'm', 'epoch'::date + ${name}::int, 'v', convert_to(${versionOf(days)}, 'UTF8'))`);
};

const readDay = async (tx: PoolClient, { source, day }: FleetDay, slot: number) => {
  const query = `
    select part, same, cells from record_fleet_sum
     where source = ${source} and slot = ${slot} and level = 'd' and day = 'epoch'::date + ${day}`;
  const parts = new Map(
    await copyRows(tx, query, (fields): [FleetPart, ReadPart] => {
      const [part, same, cells] = [fields.integer()!, fields.integer(), fields.raw()!];
      return [partOf(part), { cells, ...(same !== null && { same: partOf(same) }) }];
    }),
  );
  return parts.size === 0 ? [] : decodeFleet(parts);
};
