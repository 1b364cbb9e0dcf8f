import { availableParallelism } from 'node:os';
import type { Pool } from 'pg';
import type { Log } from '#common/log.js';
import type { Config } from '#config/config.js';
import { leastConnections, usualConnections } from '#database/pool-size.js';

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
export const connectionsOfWorkers = (workers: number, each = usualConnections): number =>
  each * (workers === 1 ? 1 : workers + 1);

/** Connections left for commands and other users of the database. */
export const spareConnections = 10;

/** Number of processes, and the connections that each may open. */
export interface Fitted {
  workers: number;
  databaseConnections: number;
}

/**
 * Reduces the number of workers, and of the connections of a single process, to what the database allows.
 * @throws an explanation for the operator when WORKERS or DATABASE_CONNECTIONS sets a higher number.
 */
export async function fitWorkers(
  { workers, databaseConnections }: Pick<Config, 'workers' | 'databaseConnections'>,
  wanted: number,
  pool: Pool,
  log: Log,
): Promise<Fitted> {
  const { rows } = await pool.query<{ allowed: number }>(
    `select sum(setting::int * case name when 'max_connections' then 1 else -1 end)::int as allowed from pg_settings
      where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
  );
  const { allowed } = rows[0]!;
  const each = databaseConnections ?? usualConnections;
  const room = allowed - spareConnections;
  const needed = connectionsOfWorkers(wanted, each);
  if (needed <= room) return { workers: wanted, databaseConnections: each };
  if (wanted === 1) return fitOne({ databaseConnections, allowed }, log);
  const fitting = Math.max(1, Math.floor(room / each) - 1);
  const sentence = `${wanted} workers may open ${needed} connections, including those of one more worker during a replacement; the database allows ${allowed} (max_connections), and ${spareConnections} of them stay free for others.`;
  if (workers === wanted)
    throw new Error(
      `${sentence} Set WORKERS=${fitting}, a lower DATABASE_CONNECTIONS, or a max_connections that is higher by ${needed - room}.`,
    );
  log.warn({ workers: fitting }, `${sentence} Fewer workers are started.`);
  return fitting === 1
    ? fitOne({ databaseConnections, allowed }, log)
    : { workers: fitting, databaseConnections: each };
}

/**
 * Reduces the connections of a single process on a small database, such as a hosting provider's smallest plan. A tenth
 * is left for commands and `psql`.
 */
function fitOne(
  { databaseConnections, allowed }: { databaseConnections: number | undefined; allowed: number },
  log: Log,
): Fitted {
  if (databaseConnections !== undefined && databaseConnections <= allowed) return { workers: 1, databaseConnections };
  const has = `The database allows ${allowed} connections (max_connections).`;
  if (databaseConnections !== undefined)
    throw new Error(`${has} Set DATABASE_CONNECTIONS to ${allowed} or less, or raise max_connections.`);
  if (allowed < leastConnections)
    throw new Error(`${has} The service needs ${leastConnections} of them: raise max_connections.`);
  const most = Math.max(leastConnections, Math.min(usualConnections, Math.floor(allowed * 0.9)));
  if (most < usualConnections)
    log.warn(
      { connections: most },
      `${has} This process opens at most ${most}. If several processes share it, set DATABASE_CONNECTIONS.`,
    );
  return { workers: 1, databaseConnections: most };
}
