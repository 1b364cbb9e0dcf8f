import { availableParallelism } from 'node:os';
import type { Pool } from 'pg';
import type { Log } from '#common/log.js';
import type { Config } from '#config/config.js';
import { connectionsOfProcess } from '#database/pool-size.js';

/** Returns the number of processes to start, before the limits of the database are known. */
export const wantedWorkers = (
  { workers, databaseUrl }: Pick<Config, 'workers' | 'databaseUrl'>,
  processors = availableParallelism(),
): number => {
  if (typeof workers === 'number') return workers;
  // Here PostgreSQL takes its share of the same processors.
  return workers === undefined && databaseUrl === undefined && processors <= 2 ? 1 : processors;
};

/** Returns the maximum number of connections of the workers. During a replacement there is one worker more. */
export const connectionsOfWorkers = (workers: number): number =>
  connectionsOfProcess * (workers === 1 ? 1 : workers + 1);

/** Connections left for commands and other users of the database. */
export const spareConnections = 10;

/**
 * Reduces the number of workers to what the database has connections for.
 * @throws an explanation for the operator when WORKERS sets a higher number.
 */
export async function fitWorkers(
  { workers }: Pick<Config, 'workers'>,
  wanted: number,
  pool: Pool,
  log: Log,
): Promise<number> {
  const { rows } = await pool.query<{ allowed: number }>(
    `select sum(setting::int * case name when 'max_connections' then 1 else -1 end)::int as allowed from pg_settings
      where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
  );
  const { allowed } = rows[0]!;
  const room = allowed - spareConnections;
  const needed = connectionsOfWorkers(wanted);
  // A single process is the minimum.
  if (wanted === 1 || needed <= room) return wanted;
  const fitting = Math.max(1, Math.floor(room / connectionsOfProcess) - 1);
  const sentence = `${wanted} workers may open ${needed} connections, one worker more while they are replaced among them; the database allows ${allowed} (max_connections), of which ${spareConnections} are left to others.`;
  if (workers === wanted)
    throw new Error(`${sentence} Set WORKERS=${fitting}, or max_connections to ${needed - room} more.`);
  log.warn({ workers: fitting }, `${sentence} Fewer are started.`);
  return fitting;
}
