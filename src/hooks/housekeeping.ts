import type pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { longestWait, recoverQuery } from './claim.js';

const day = 24 * 3600_000;
/** Partitions are made for this many days ahead. */
const daysAhead = 3;
/** Deliveries of deleted hooks are swept this many at a time. */
const sweepSize = 5000;
/** A transaction that saw a hook before it was deleted has stored its deliveries by then, in milliseconds. */
const sweepDelay = 60_000;

/** After the database was away, leases are not taken back for so many rounds. */
const restRounds = 3;

/** Settings of the housekeeping. */
export interface HousekeepingOptions {
  pool: pg.Pool;
  clock: () => number;
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

/** The work, each with how often it is done, in milliseconds. */
export function createHousekeeping({ pool, clock, log, retention, onRecovered }: HousekeepingOptions): Housekeeping {
  let rest = 0;
  const recover = async () => {
    try {
      // After an outage every lease has run out: who holds one, and has its result, writes it in the meantime.
      if (rest > 0) {
        await pool.query('select');
        rest--;
        return;
      }
      await takeBack();
    } catch (error) {
      rest = restRounds;
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
  const sweep = async () => {
    while (!closing && (await sweepDeleted(pool, clock() - sweepDelay)) > 0);
  };
  const lanes = async () => {
    if ((await fillLanes(pool, clock())) > 0) onRecovered();
  };
  const partition = () => makePartitions(pool, clock());
  const retire = async () => {
    const dropped = await retirePartitions(pool, clock(), retention);
    if (dropped > 0) log.info({ partitions: dropped }, 'old deliveries dropped');
  };

  const timers: NodeJS.Timeout[] = [];
  const running = new Set<Promise<void>>();
  let closing = false;
  const every = (milliseconds: number, name: string, work: () => Promise<void>) => {
    let busy = false;
    const go = () => {
      if (busy || closing) return;
      busy = true;
      const done: Promise<void> = work()
        .catch((error: unknown) => log.warn({ err: error, work: name }, 'housekeeping failed; it will be done again'))
        .finally(() => {
          busy = false;
          running.delete(done);
        });
      running.add(done);
    };
    timers.push(setInterval(go, milliseconds));
  };

  return {
    async start() {
      await partition();
      every(5000, 'recover', recover);
      every(5000, 'lanes', lanes);
      every(60_000, 'sweep', sweep);
      every(3600_000, 'partition', partition);
      every(3600_000, 'retire', retire);
    },
    async close() {
      closing = true;
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
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
export async function retirePartitions(pool: pg.Pool, now: number, retention: number): Promise<number> {
  const waitingSince = new Date(now - Math.max(retention, longestWait));
  const [row] = await briefly<{ dropped: number }>(
    pool,
    sql`select delivery_retire(${dateOf(now - retention)}::date, ${waitingSince}) dropped`,
  );
  return row?.dropped ?? 0;
}

/** Deletes some deliveries of a hook that was deleted before a moment; answers whether to go on. */
export async function sweepDeleted(pool: pg.Pool, before: number): Promise<number> {
  const { rows } = await pool.query<{ deleted: number }>(sql`
    with gone as materialized (
      select hook_id from deleted_hook where deleted_at < ${new Date(before)}
       order by deleted_at limit 1 for update skip locked
    ),
    swept as (
      delete from delivery d using (
        select d.hook_id, d.id from gone g join delivery d on d.hook_id = g.hook_id limit ${sweepSize}
      ) s
       where d.hook_id = s.hook_id and d.id = s.id
      returning 1
    ),
    finished as (
      delete from deleted_hook h using gone g
       where h.hook_id = g.hook_id and not exists (select from swept)
      returning 1
    )
    select ((select count(*) from swept) + (select count(*) from finished))::integer deleted`);
  return rows[0]?.deleted ?? 0;
}

/** How long after a change of a hook deliveries without a lane may still be committed, in milliseconds. */
const laneDelay = 600_000;

/**
 * Gives the deliveries of hooks that became ordered their lanes, without which they are not claimed. Whoever stored
 * them may have seen the hook before it changed, and commit after, so this is done for a while.
 */
export async function fillLanes(pool: Pick<pg.Pool, 'query'>, now: number): Promise<number> {
  const { rowCount } = await pool.query(sql`
    update delivery d set lane = d.device_id
      from hook h
     where h.ordered and h.updated_at > ${new Date(now - laneDelay)} and not d.done and d.hook_id = h.id
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
