import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { dayMs, daySeconds, hourSeconds } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import type { Block } from '#records/blocks/block.js';
import { type BlockColumn, cellAt } from '#records/blocks/block-column.js';
import { fixedColumns } from '#records/blocks/column-number.js';
import { JoinedSegments, Segment } from '#records/blocks/fleet-segment.js';
import { encodeFleet, type FleetLevel } from '#records/blocks/fleet-sum.js';
import { decodeLines } from '#records/blocks/line.js';
import { powers } from '#records/blocks/number-column.js';
import { readColumn, readHead } from '#records/blocks/read-block.js';
import { midnightsOf } from '#records/blocks/run.js';
import { columnColumns, headColumns } from '#records/blocks/write-block.js';
import { utc, zoneOf } from '#search/date/zone.js';
import { CopyRows, copyIn } from '../log/copy.js';
import { allOf, copyOut } from './block-store.js';
import { deleteFleet, isToSum } from './fleet-table.js';
import { lockMaking } from './noted-day.js';
import { prepareLong } from './snapshot.js';

/*
 * Sums of all devices of a product's day, in one row for each slot and part, so that lines over thousands of devices read
 * few rows. They are made from the blocks of the day, and are valid as long as these: `record_blocked.summed_at` equals
 * its `made_at`.
 */

/** Number of devices of a day from which it has such sums. Sums by run answer for fewer. */
const leastDevices = 100;

/** A day that has blocks. */
export interface FleetDay {
  readonly source: number;
  /** Days since 1970. */
  readonly day: number;
}

/** Finds days whose sums are missing or differ from their blocks, the newest first. */
export const findFleetDays = async (database: Queryable): Promise<FleetDay[]> => {
  const { rows } = await database.query<FleetDay>(sql`
    select source, day - 'epoch'::date as day from record_blocked where ${isToSum} order by record_blocked.day desc limit 100`);
  return rows;
};

/** A block without its columns, and the index of the segment of each record. */
interface Placed {
  readonly head: Omit<Block, 'columns' | 'sums'> & { block: number };
  readonly segments: Uint8Array;
}

/**
 * Makes the sums of all devices of a day from its blocks. Returns false if another transaction makes blocks.
 * @param least number of devices below which the day gets none
 */
export const makeFleetDay = (pool: Pool, { source, day }: FleetDay, least = leastDevices): Promise<boolean> =>
  transaction(pool, async (tx) => {
    if (!(await lockMaking(tx))) return false;
    await prepareLong(tx);
    const { rows } = await tx.query<{ timeZone: string; isOfProduct: boolean }>(sql`
      select b.time_zone as "timeZone", product_id is not null as "isOfProduct" from record_blocked b join record_block_source using (source)
       where b.source = ${source} and b.day = 'epoch'::date + ${day}::int for update of b`);
    const [blocked] = rows;
    if (blocked === undefined) return true;
    await tx.query(deleteFleet(sql`select ${source}::int as source, 'epoch'::date + ${day}::int as day`));
    const heads = await allOf(
      copyOut(
        tx,
        `select ${headColumns} from record_block where source = ${source} and day = 'epoch'::date + ${day} order by block`,
        readHead,
      ),
    );
    const isLarge =
      blocked.isOfProduct && new Set(heads.flatMap(({ runs }) => runs.map(({ device }) => device))).size >= least;
    if (isLarge) await writeSlots(tx, { source, day }, heads, blocked.timeZone);
    await tx.query(sql`
      update record_blocked set summed_at = ${isLarge ? sql`made_at` : sql`'-infinity'`}
       where source = ${source} and day = 'epoch'::date + ${day}::int`);
    return true;
  });

const writeSlots = async (
  tx: PoolClient,
  { source, day }: FleetDay,
  heads: readonly Placed['head'][],
  timeZone: string,
): Promise<void> => {
  const midnights = midnightsOf(zoneOf(timeZone) ?? utc, day * dayMs, (day + 1) * dayMs);
  const days = [...new Set([day * daySeconds, ...midnights.map((cut) => cut / 1e6)])].toSorted((a, b) => a - b);
  const hours = Array.from({ length: 24 }, (_, hour) => day * daySeconds + hour * hourSeconds);
  const starts = [...new Set([...hours, ...days])].toSorted((a, b) => a - b);
  const placed = await placeRecords(tx, heads, starts);
  const blocks = heads.map(({ block }) => block);
  const { rows: slots } = await tx.query<{ col: number }>(sql`
    select distinct col from record_block_column where block = any(${blocks}::int[]) and col between 1 and ${fixedColumns.ts - 1}::int order by col`);
  for (const { col } of slots) {
    const segments = await sumSlot(tx, placed, col, starts);
    const byDay = days.map((start, index) =>
      joined(
        start,
        segments.filter((each) => each.start >= start && each.start < (days[index + 1] ?? Number.POSITIVE_INFINITY)),
      ),
    );
    await writeFleet(tx, { source, day }, col, { h: segments, d: byDay });
  }
};

const joined = (start: number, segments: readonly Segment[]): Segment => {
  const all = new JoinedSegments(start);
  for (const segment of segments) all.add(segment);
  return all.finish();
};

/** Finds the segment of each record, block by block. */
const placeRecords = async (
  tx: PoolClient,
  heads: readonly Placed['head'][],
  starts: readonly number[],
): Promise<Placed[]> => {
  const placed: Placed[] = [];
  const bounds = starts.map((start) => start * 1e6);
  for (const head of heads) {
    const query = `select ${columnColumns} from record_block_column where block = ${head.block} and col = ${fixedColumns.ts}`;
    const [found] = await allOf(copyOut(tx, query, readColumn));
    const times = decodeLines({ ...head.ts, residuals: found!.column }, head.runs);
    const segments = new Uint8Array(times.length);
    for (const { from, count } of head.runs) {
      let segment = 0;
      for (let index = from; index < from + count; index++) {
        while (segment + 1 < bounds.length && bounds[segment + 1]! <= times[index]!) segment++;
        segments[index] = segment;
      }
    }
    placed.push({ head, segments });
  }
  return placed;
};

/** Sums the values of a slot by segment and device. */
const sumSlot = async (
  tx: PoolClient,
  placed: readonly Placed[],
  slot: number,
  starts: readonly number[],
): Promise<Segment[]> => {
  const segments = starts.map((start) => new Segment(start));
  for (const { head, segments: places } of placed) {
    // A column may be that of another slot.
    const names = columnColumns.split(', ').map((name) => `c.${name}`);
    const query = `
      select ${names.join()} from record_block_column a join record_block_column c on c.block = a.block and c.col = coalesce(a.same, a.col)
       where a.block = ${head.block} and a.col = ${slot}`;
    const [found] = await allOf(copyOut(tx, query, readColumn));
    if (found) sumBlock(found.column, head, places, segments);
  }
  return segments;
};

const sumBlock = (
  column: BlockColumn,
  { runs }: Placed['head'],
  places: Uint8Array,
  segments: readonly Segment[],
): void => {
  const { base = 0, scale = 0 } = column;
  const power = powers[scale]!;
  for (const { device, from, count } of runs) {
    for (let index = from; index < from + count; ) {
      const place = places[index]!;
      let [n, sum, lowest, highest] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      let [first, last, increase, falls] = [0, 0, 0, 0];
      for (; index < from + count && places[index] === place; index++) {
        const cell = cellAt(column, index);
        if (cell === null) continue;
        const value = base + cell;
        if (n === 0) first = value;
        else {
          falls += Number(value < last);
          increase += value < last ? value : value - last;
        }
        n++;
        sum += value;
        if (value < lowest) lowest = value;
        if (value > highest) highest = value;
        last = value;
      }
      if (n === 0) continue;
      const [s, l, h, f, t, i] = [
        sum / power,
        lowest / power,
        highest / power,
        first / power,
        last / power,
        increase / power,
      ];
      // The records of a device may go on in the next block.
      segments[place]!.add(device, { n, s, l, h, f, t, i });
      segments[place]!.falls += falls;
    }
  }
};

/** Writes the sums of a slot. */
export const writeFleet = async (
  tx: PoolClient,
  { source, day }: FleetDay,
  slot: number,
  levels: Partial<Record<FleetLevel, readonly Segment[]>>,
): Promise<void> => {
  const rows = new CopyRows(7);
  for (const [level, segments] of Object.entries(levels)) {
    const used = segments.filter(({ devices }) => devices.length > 0);
    if (used.length === 0) continue;
    for (const { part, same, cells } of encodeFleet(used)) {
      rows
        .row()
        .integer('int4', source)
        .integer('int2', slot)
        .integer('char', level.charCodeAt(0))
        .integer('int4', day - epochDays)
        .integer('char', part.charCodeAt(0))
        .integer('char', same?.charCodeAt(0))
        .raw(cells);
    }
  }
  await copyIn(tx, 'record_fleet_sum (source, slot, level, day, part, same, cells)', rows.finish());
};

/** Days from 1970-01-01 to 2000-01-01, from which PostgreSQL counts. */
const epochDays = Date.UTC(2000, 0, 1) / dayMs;
