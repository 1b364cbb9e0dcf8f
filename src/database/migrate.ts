import { setTimeout as delay } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { Log } from '#common/log.js';
import { backOff } from '#scheduling/back-off.js';
import { clientOf } from './client.js';
import { migrationName } from './migration-name.js';
import { isBusy } from './online-steps.js';

/**
 * Advisory lock of migrations. Its digits are "ddp migrate" on a telephone keypad, and a 1. Earlier builds used the
 * number without the 1 and waited for it inside a statement. A concurrent index build waits for such statements to end,
 * so the two must not share a lock.
 */
const LOCK = 337_6474283_1;
/** Interval of the attempts to get the lock, in milliseconds. */
const lockInterval = 250;

/** Log of the progress of migrations, and the interval of its lines, in milliseconds. */
export interface MigrationOptions {
  log?: Log;
  every?: number;
}

/**
 * Runs `work` while no other process migrates the database. If several processes start at once, one gets the lock and
 * the others wait for it.
 */
export async function withMigrationLock<Result>(
  connectionString: string,
  work: (guard: pg.Client) => Promise<Result>,
): Promise<Result> {
  const guard = new (clientOf(connectionString))({ connectionString, application_name: migrationName });
  await guard.connect();
  try {
    // This polls, because a statement that waits has a snapshot, and an index that is built concurrently waits for the
    // end of snapshots.
    while (!(await tryLock(guard))) await delay(lockInterval);
    return await work(guard);
  } finally {
    await guard.end();
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK]);
  return rows[0]?.locked === true;
}

/**
 * Migrates the database to the newest schema and returns the names of the applied migrations. It only goes forward. If
 * several processes start at once, one migrates and the others find nothing left to do. Logs its progress and the
 * sessions that it waits for.
 */
export const migrate = (orm: MikroORM, { log, every = 5000 }: MigrationOptions = {}): Promise<string[]> =>
  withMigrationLock(orm.config.get('clientUrl')!, async (guard) => {
    const before = new Set(await appliedMigrations(orm));
    const watch = log && watchMigration(guard, log, every);
    try {
      await applyAll(orm);
    } finally {
      await watch?.stop();
    }
    return (await appliedMigrations(orm)).filter((name) => !before.has(name));
  });

/** Applies all migrations. Each commits by itself; one that did not get its locks in time is tried again. */
async function applyAll(orm: MikroORM): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await orm.migrator.up();
      return;
    } catch (error) {
      if (!isBusy(error) && !isBusy((error as Error).cause)) throw error;
      await delay(backOff(tries));
    }
  }
}

/** Returns the names of the applied migrations of a database. */
export const appliedMigrations = async (orm: MikroORM): Promise<string[]> =>
  (await orm.migrator.getExecuted()).map(({ name }) => name);

/**
 * Logs the progress of the indexes that a migration builds, and the sessions that it waits for, until it is stopped.
 */
function watchMigration(client: pg.Client, log: Log, every: number): { stop(): Promise<void> } {
  let looking = Promise.resolve();
  const look = async () => {
    const { rows } = await client.query<Progress>(progressQuery, [migrationName]);
    for (const row of rows) log.info(withoutNulls(row), row.phase === null ? waiting : building);
  };
  const timer = setInterval(() => {
    looking = looking.then(look).catch((err: unknown) => log.warn({ err }, 'Progress of migrations cannot be read'));
  }, every);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

const building = 'Building an index for the migration; reading and writing go on.';
const waiting = 'The migration waits for other transactions.';

interface Progress {
  table: string | null;
  index: string | null;
  phase: string | null;
  percent: number | null;
  /** PostgreSQL's processes that it waits for. */
  waitsFor: number[] | null;
}

const withoutNulls = (row: Progress): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

/** Query of the sessions of migrations that build an index or wait for a lock. The percentage is that of the phase. */
const progressQuery = `
  select p.relid::regclass::text as table, nullif(p.index_relid, 0)::regclass::text as index, p.phase,
         case when p.blocks_total > 0 then floor(100.0 * p.blocks_done / p.blocks_total)
              when p.tuples_total > 0 then floor(100.0 * p.tuples_done / p.tuples_total)
              when p.lockers_total > 0 then floor(100.0 * p.lockers_done / p.lockers_total) end::int as percent,
         nullif(pg_blocking_pids(a.pid), '{}') as "waitsFor"
    from pg_stat_activity a left join pg_stat_progress_create_index p on p.pid = a.pid
   where a.datname = current_database() and a.application_name = $1 and a.pid <> pg_backend_pid()
     and (p.pid is not null or a.wait_event_type = 'Lock')`;
