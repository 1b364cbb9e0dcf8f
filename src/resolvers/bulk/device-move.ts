import sql, { type Sql } from 'sql-template-tag';
import { notFound } from '#common/errors.js';
import { textArray } from '#database/text-array.js';
import type { Read } from '#schema/context.js';

/** A move of devices. */
export interface DeviceMove {
  /** Null takes the devices away from all sites. */
  siteId: string | null;
  /** Time of the move, ISO 8601. */
  at: string;
  /** Whether `at` only stands for now. A device that moved later, by another clock, then moves at that time. */
  isNow: boolean;
}

/** The present site of `device d`; null if there is none. */
export const presentSite: Sql = sql`(select ds.site_id from device_site ds where ds.device_id = d.id and ds.ended_at is null)`;

const lastMove: Sql = sql`(select max(coalesce(ds.ended_at, ds.started_at)) from device_site ds where ds.device_id = d.id)`;

/** Returns the condition that the time of a move is before the last move of `device d`. */
export const isBeforeLastMove = ({ at, isNow }: DeviceMove): Sql =>
  isNow ? sql`false` : sql`coalesce(${lastMove} > ${at}::timestamptz, false)`;

/**
 * Moves devices that this transaction has locked.
 * @throws notFound (404) when the site was deleted meanwhile
 */
export async function moveTo(run: Read, { siteId, at }: DeviceMove, deviceIds: readonly string[]): Promise<void> {
  // Locked before rows of device_site, as deleteSite does.
  if (siteId !== null && (await run(sql`select id from site where id = ${siteId} for key share`)).length === 0)
    throw notFound('site');
  const moves = await run<{ id: string; at: string }>(sql`
    select d.id, greatest(${at}::timestamptz, ${lastMove}) as at from device d where d.id = any(${textArray(deviceIds)}::uuid[])`);
  const moved = sql`unnest(${textArray(moves.map(({ id }) => id))}::uuid[], ${textArray(moves.map((move) => move.at))}::timestamptz[]) m (id, at)`;
  await run(sql`
    delete from device_site ds using ${moved} where ds.device_id = m.id and ds.ended_at is null and ds.started_at = m.at`);
  await run(sql`
    update device_site ds set ended_at = m.at from ${moved} where ds.device_id = m.id and ds.ended_at is null`);
  if (siteId !== null)
    await run(sql`
      insert into device_site (organization_id, device_id, site_id, started_at)
      select d.organization_id, d.id, ${siteId}::uuid, m.at from ${moved} join device d on d.id = m.id`);
  await run(sql`
    update device d set updated_at = greatest(clock_timestamp(), d.updated_at + interval '1 ms')
     where d.id = any(${textArray(deviceIds)}::uuid[])`);
}
