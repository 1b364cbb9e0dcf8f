import type pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { createPeriodicTasks } from '../periodic-tasks.js';
import { maxDisabledWait, recoverQuery } from './claim.js';
import { bringBackTimes, type WatchedClock } from './clock-step.js';

const day = 24 * 3600_000;
/** Partitions are made for this many days ahead. */
const daysAhead = 3;
/** Deliveries of deleted hooks are deleted this many at a time. */
const purgeBatch = 5000;
/** A transaction that saw a hook before it was deleted has stored its deliveries by then, in milliseconds. */
const purgeDelay = 60_000;

/** After the database was away, leases are not taken back this many times. */
const skippedRecoveries = 3;

/** Settings of the housekeeping. */
export interface HousekeepingOptions {
  pool: pg.Pool;
  watched: WatchedClock;
  log: Logger;
  /** How long deliveries are kept, in milliseconds. */
  retention: number;
  /** Called when something has become due again. */
  onRecovered(): void;
}

/** What keeps the deliveries in order. Every process does all of it; none minds that another has. */
export interface Housekeeping {
  /** Makes the partitions that are needed now, and begins. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Makes the housekeeping. */
export function createHousekeeping({ pool, watched, log, retention, onRecovered }: HousekeepingOptions): Housekeeping {
  const { clock } = watched;
  let skip = 0;
  const recover = async () => {
    try {
      // After an outage every lease has run out: who holds one, and has its result, writes it in the meantime.
      if (skip > 0) {
        await pool.query('select');
        skip--;
        return;
      }
      await takeBack();
    } catch (error) {
      skip = skippedRecoveries;
      throw error;
    }
  };
  const takeBack = async () => {
    const { rowCount } = await pool.query(recoverQuery(clock()));
    if (rowCount) {
      log.warn({ deliveries: rowCount }, 'deliveries whose process is gone are due again');
      onRecovered();
    }
  };
  const bringBack = () =>
    watched.look(async (now) => {
      const count = await bringBackTimes(pool, now);
      if (count === 0) return;
      log.warn(
        { deliveries: count },
        'deliveries were stored with a clock that was ahead, and wait no longer than they were to',
      );
      onRecovered();
    });
  let closing = false;
  const purge = async () => {
    while (!closing && (await purgeDeleted(pool, clock() - purgeDelay)) > 0);
  };
  const fillKeys = async () => {
    if ((await fillOrderingKeys(pool, clock())) > 0) onRecovered();
  };
  const partition = () => makePartitions(pool, clock());
  const drop = async () => {
    const dropped = await dropPartitions(pool, clock(), retention);
    if (dropped > 0) log.info({ partitions: dropped }, 'old deliveries dropped');
  };

  const tasks = createPeriodicTasks(
    {
      recover: { every: 5000, run: recover },
      clock: { every: 5000, atStart: true, run: bringBack },
      orderingKeys: { every: 5000, run: fillKeys },
      purge: { every: 60_000, run: purge },
      makePartitions: { every: 3600_000, run: partition },
      dropPartitions: { every: 3600_000, run: drop },
    },
    { log, failed: 'housekeeping failed; it will be done again' },
  );

  return {
    async start() {
      await partition();
      tasks.start();
    },
    async close() {
      closing = true;
      await tasks.close();
    },
  };
}

/** Makes the partitions of today, of the days ahead and, for clocks that differ, of yesterday. */
export async function makePartitions(pool: pg.Pool, now: number): Promise<void> {
  for (let ahead = -1; ahead <= daysAhead; ahead++) {
    await briefly(pool, sql`select delivery_partition(${dateOf(now + ahead * day)}::date)`);
  }
}

/**
 * Drops the partitions of days that lie wholly before the retention, in milliseconds; answers their number. What still
 * waits is kept, save what a disabled hook would not be called with any more.
 */
export async function dropPartitions(pool: pg.Pool, now: number, retention: number): Promise<number> {
  const waitingSince = new Date(now - Math.max(retention, maxDisabledWait));
  const [row] = await briefly<{ dropped: number }>(
    pool,
    sql`select delivery_retire(${dateOf(now - retention)}::date, ${waitingSince}) dropped`,
  );
  return row?.dropped ?? 0;
}

/** Deletes some deliveries of a hook that was deleted before a time; answers how many rows, 0 when none are left. */
export async function purgeDeleted(pool: pg.Pool, before: number): Promise<number> {
  const { rows } = await pool.query<{ deleted: number }>(sql`
    with gone as materialized (
      select hook_id from deleted_hook where deleted_at < ${new Date(before)}
       order by deleted_at limit 1 for update skip locked
    ),
    purged as (
      delete from delivery d using (
        select d.hook_id, d.id from gone g join delivery d on d.hook_id = g.hook_id limit ${purgeBatch}
      ) s
       where d.hook_id = s.hook_id and d.id = s.id
      returning 1
    ),
    finished as (
      delete from deleted_hook h using gone g
       where h.hook_id = g.hook_id and not exists (select from purged)
      returning 1
    )
    select ((select count(*) from purged) + (select count(*) from finished))::integer deleted`);
  return rows[0]?.deleted ?? 0;
}

/** How long after a change of a hook deliveries without an ordering key may still be committed, in milliseconds. */
const orderingKeyDelay = 600_000;

/**
 * Gives the deliveries of hooks that became ordered their ordering keys, without which they are not claimed. Whoever stored
 * them may have seen the hook before it changed, and commit after, so this is done for a while.
 */
export async function fillOrderingKeys(pool: Pick<pg.Pool, 'query'>, now: number): Promise<number> {
  const { rowCount } = await pool.query(sql`
    update delivery d set lane = d.device_id
      from hook h
     where h.ordered and h.updated_at > ${new Date(now - orderingKeyDelay)} and not d.done and d.hook_id = h.id
       and d.state = 'pending' and d.event = 'record' and d.lane is null`);
  return rowCount ?? 0;
}

/** Runs what needs a strong lock, but does not stand in the way: where it cannot have it at once, it fails. */
async function briefly<Row extends object>(pool: pg.Pool, query: ReturnType<typeof sql>): Promise<Row[]> {
  const client = await pool.connect();
  try {
    await client.query("begin; set local lock_timeout = '2s'");
    // One process at a time; the others then find it done.
    await client.query(sql`select pg_advisory_xact_lock(hashtextextended('delivery partitions', 0))`);
    const { rows } = await client.query<Row>(query);
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

const dateOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);
