import type pg from 'pg';
import type { Log } from '#common/log.js';
import { migrationName } from './migration-name.js';

/**
 * Logs the progress of the indexes that a migration builds, and the sessions that it waits for, until it is stopped.
 */
export function watchMigration(client: pg.Client, log: Log, every: number): { stop(): Promise<void> } {
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
const waiting = 'The migration waits for others.';

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
