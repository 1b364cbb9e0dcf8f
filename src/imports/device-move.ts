import sql, { type Sql } from 'sql-template-tag';
import { notFound } from '#common/errors.js';
import { textArray } from '#database/text-array.js';
import type { Read } from '#schema/context.js';

/** The time of a move of devices. */
export interface MoveTime {
  /** ISO 8601. */
  at: string;
  /** Whether `at` only stands for now. A device that moved later, by another clock, then moves at that time. */
  isNow: boolean;
}

/** A device and the site at which it is to be. */
export interface DeviceMove {
  id: string;
  /** Null for no site. */
  siteId: string | null;
}

/** The present site of `device d`; null if there is none. */
export const presentSite: Sql = sql`(select ds.site_id from device_site ds where ds.device_id = d.id and ds.ended_at is null)`;

const lastMove: Sql = sql`(select max(coalesce(ds.ended_at, ds.started_at)) from device_site ds where ds.device_id = d.id)`;

/** Returns the condition that the time of a move is before the last move of `device d`. */
export const isBeforeLastMove = ({ at, isNow }: MoveTime): Sql =>
  isNow ? sql`false` : sql`coalesce(${lastMove} > ${at}::timestamptz, false)`;

/**
 * Moves devices that this transaction has locked, each to another site than its present one.
 * @param run runs a statement. Lists are passed as JSON, because not every runner takes arrays.
 * @param at time of the move, ISO 8601; a device that moved later moves at that time
 * @throws notFound (404) when a site was deleted meanwhile
 */
export async function moveDevices(run: Read, moves: readonly DeviceMove[], at: string): Promise<void> {
  const sites = [...new Set(moves.flatMap(({ siteId }) => siteId ?? []))];
  // Locked before rows of device_site, as deleteSite does.
  const there = sql`select id from site where id = any(${textArray(sites)}::uuid[]) order by id for key share`;
  if (sites.length > 0 && (await run(there)).length < sites.length) throw notFound('site');
  const timed = await run<DeviceMove & { at: string }>(sql`
    select d.id, m."siteId", greatest(${at}::timestamptz, ${lastMove}) as at
      from ${listOf(moves)} join device d on d.id = m.id`);
  const moved = listOf(timed);
  await run(sql`
    delete from device_site ds using ${moved} where ds.device_id = m.id and ds.ended_at is null and ds.started_at = m.at`);
  await run(
    sql`update device_site ds set ended_at = m.at from ${moved} where ds.device_id = m.id and ds.ended_at is null`,
  );
  await run(sql`
    insert into device_site (organization_id, device_id, site_id, started_at)
    select d.organization_id, d.id, m."siteId", m.at from ${moved} join device d on d.id = m.id where m."siteId" is not null`);
  await run(sql`
    update device d set updated_at = greatest(clock_timestamp(), d.updated_at + interval '1 ms')
      from ${moved} where d.id = m.id`);
}

const listOf = (moves: readonly DeviceMove[]): Sql =>
  sql`jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) as m (id uuid, "siteId" uuid, at timestamptz)`;
