import { availableParallelism } from 'node:os';
import type { Pool } from 'pg';
import type { Config } from '../config.js';
import { connectionsOfProcess } from '../connections.js';
import type { Log } from '../log.js';

/** How many processes are to serve, before it is known what the database allows. */
export const wantedWorkers = (
  { workers, databaseUrl }: Pick<Config, 'workers' | 'databaseUrl'>,
  processors = availableParallelism(),
): number => {
  if (typeof workers === 'number') return workers;
  // There PostgreSQL takes its share of the same processors.
  return workers === undefined && databaseUrl === undefined && processors <= 2 ? 1 : processors;
};

/** Connections that so many workers open at most: while they are replaced, there is one more. */
export const connectionsOfWorkers = (config: Pick<Config, 'ingestGrouping' | 'recordIndex'>, workers: number): number =>
  connectionsOfProcess(config) * (workers === 1 ? 1 : workers + 1);

/** Left to commands and to whoever else uses the database. */
export const spareConnections = 10;

/**
 * As many of the wanted workers as the database has connections for.
 * @throws a sentence for the operator where WORKERS names more
 */
export async function fitWorkers(
  config: Pick<Config, 'workers' | 'ingestGrouping' | 'recordIndex'>,
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
  const needed = connectionsOfWorkers(config, wanted);
  // One process alone is the least that there can be.
  if (wanted === 1 || needed <= room) return wanted;
  const fitting = Math.max(1, Math.floor(room / connectionsOfProcess(config)) - 1);
  const sentence = `${wanted} workers may open ${needed} connections, one worker more while they are replaced among them; the database allows ${allowed} (max_connections), of which ${spareConnections} are left to others.`;
  if (config.workers === wanted)
    throw new Error(`${sentence} Set WORKERS=${fitting}, or max_connections to ${needed - room} more.`);
  log.warn({ workers: fitting }, `${sentence} Fewer are started.`);
  return fitting;
}
