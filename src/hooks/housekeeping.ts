import type pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { dayMs, hourMs } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { createPeriodicTasks } from '#scheduling/periodic-tasks.js';
import { maxDisabledWait, recoverQuery } from './claim.js';
import { bringBackTimes, type WatchedClock } from './clock-step.js';

/** Number of days ahead for which partitions are made. */
const daysAhead = 3;
/** Maximum number of deliveries of deleted hooks that one statement deletes. */
const purgeBatch = 5000;
/**
 * Time after the deletion of a hook before its deliveries are purged, in milliseconds. Transactions that saw the hook
 * have stored their deliveries by then.
 */
const purgeDelay = 60_000;

/** Number of lease recoveries to skip after the database was unreachable. */
const skippedRecoveries = 3;

export interface HousekeepingOptions {
  pool: pg.Pool;
  watched: WatchedClock;
  log: Logger;
  /** Retention of deliveries, in milliseconds. */
  retention: number;
  /** Called when deliveries became due again. */
  onRecovered(): void;
}

/**
 * Maintains the deliveries: leases, partitions, purges. Every process does all of it, and repeating it does no harm.
 */
export interface Housekeeping {
  /** Makes the partitions that are needed now, then starts the periodic work. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export function createHousekeeping({ pool, watched, log, retention, onRecovered }: HousekeepingOptions): Housekeeping {
  const { clock } = watched;
  let skip = 0;
  const recover = async () => {
    try {
      // After an outage every lease has ended. The pause lets processes that hold results write them first.
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
      log.warn({ deliveries: rowCount }, 'Deliveries of ended processes are due again');
      onRecovered();
    }
  };
  const bringBack = () =>
    watched.look(async (now) => {
      const count = await bringBackTimes(pool, now);
      if (count === 0) return;
      log.warn({ deliveries: count }, 'Deliveries stored by a fast clock are due at the right time');
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
    if (dropped > 0) log.info({ partitions: dropped }, 'Old deliveries dropped');
  };

  const tasks = createPeriodicTasks(
    {
      recover: { every: 5000, run: recover },
      clock: { every: 5000, atStart: true, run: bringBack },
      orderingKeys: { every: 5000, run: fillKeys },
      purge: { every: 60_000, run: purge },
      makePartitions: { every: hourMs, run: partition },
      dropPartitions: { every: hourMs, run: drop },
    },
    { log, failed: 'Housekeeping of deliveries failed; it will be repeated' },
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
    await briefly(pool, sql`select delivery_partition(${dateOf(now + ahead * dayMs)}::date)`);
  }
}

/**
 * Drops the partitions of days that lie wholly before the retention (milliseconds) and returns their number. Keeps
 * deliveries that still wait, except those of disabled hooks that waited too long to be called.
 */
export async function dropPartitions(pool: pg.Pool, now: number, retention: number): Promise<number> {
  const waitingSince = new Date(now - Math.max(retention, maxDisabledWait));
  const [row] = await briefly<{ dropped: number }>(
    pool,
    sql`select delivery_retire(${dateOf(now - retention)}::date, ${waitingSince}) dropped`,
  );
  return row?.dropped ?? 0;
}

/**
 * Deletes a batch of deliveries of one hook that was deleted before a time. Returns the number of rows, 0 when none are
 * left.
 */
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

/**
 * Time after a change of a hook in which deliveries without an ordering key may still be committed, in milliseconds.
 */
const orderingKeyDelay = 600_000;

/**
 * Gives the deliveries of hooks that became ordered their ordering keys, without which they are not claimed. A
 * transaction may have read the hook before it changed and commit afterwards, so this runs for a while after the
 * change.
 */
export async function fillOrderingKeys(pool: Queryable, now: number): Promise<number> {
  const { rowCount } = await pool.query(sql`
    update delivery d set lane = d.device_id
      from hook h
     where h.ordered and h.updated_at > ${new Date(now - orderingKeyDelay)} and not d.done and d.hook_id = h.id
       and d.state = 'pending' and d.event = 'record' and d.lane is null`);
  return rowCount ?? 0;
}

/**
 * Runs a statement that needs a strong lock, and fails after 2 s without it, so that nothing queues up behind the lock.
 */
async function briefly<Row extends object>(pool: pg.Pool, query: ReturnType<typeof sql>): Promise<Row[]> {
  const client = await pool.connect();
  try {
    await client.query("begin; set local lock_timeout = '2s'");
    // One process at a time; the others then find the work done.
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
