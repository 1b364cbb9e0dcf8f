import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { dayMs } from '#common/time.js';

/** Maximum age of a heartbeat in milliseconds. An older one shows that no process has taken records since. */
export const maxPause = 15_000;
/** Retention of outages in milliseconds: the maximum wait of a silence rule, plus a day. */
const keptFor = 91 * dayMs;

/**
 * Writes the heartbeat of the processes that take records. If the last heartbeat is too old, notes an outage, which
 * does not count towards any silence.
 */
export async function beat(tx: PoolClient, now: Date): Promise<void> {
  const { rows } = await tx.query<{ at: string }>(sql`select at from alert_heartbeat for update`);
  const last = rows[0] && Date.parse(rows[0].at);
  if (last === undefined) {
    await tx.query(sql`insert into alert_heartbeat (at) values (${now}) on conflict do nothing`);
    return;
  }
  // Another process wrote the heartbeat meanwhile, or a process whose clock is ahead.
  if (last >= now.getTime()) return;
  if (now.getTime() - last > maxPause) {
    await tx.query(sql`
      insert into alert_outage (begun_at, ended_at) values (${new Date(last)}, ${now}) on conflict do nothing`);
    await tx.query(sql`delete from alert_outage where ended_at < ${new Date(now.getTime() - keptFor)}`);
  }
  await tx.query(sql`update alert_heartbeat set at = ${now}`);
}

/** A period in which no process took records, in milliseconds since 1970. */
export interface Outage {
  begunAt: number;
  endedAt: number;
}

/** Reads the outages, in order of time. */
export async function outagesOf(tx: PoolClient): Promise<Outage[]> {
  const { rows } = await tx.query<Outage>(sql`
    select extract(epoch from begun_at)::float8 * 1000 "begunAt", extract(epoch from ended_at)::float8 * 1000 "endedAt"
      from alert_outage order by begun_at`);
  return rows;
}

/** Returns the time at which a duration will have passed since a time, not counting outages. All are milliseconds. */
export function dueAfter(since: number, milliseconds: number, outages: readonly Outage[]): number {
  let due = since + milliseconds;
  for (const { begunAt, endedAt } of outages) {
    if (endedAt <= since || begunAt >= due) continue;
    due += endedAt - Math.max(begunAt, since);
  }
  return due;
}
