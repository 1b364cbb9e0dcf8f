import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import type { HandedCommand } from '#entities/command.js';

/** Options of a road that hands commands over. */
export interface HandOver {
  /** Maximum number of commands at once. */
  limit: number;
  /** Milliseconds after which a command without an answer is handed over again; undefined: never. */
  again: number | undefined;
  /** Detail of the evidence. */
  detail?: object;
}

/** An open command. */
interface OpenRow extends HandedCommand {
  state: string;
  isInFlight: boolean;
  isDue: boolean;
}

/**
 * Hands the oldest open commands of a device over, the first sent first: those that wait, and those that were handed over and
 * not answered in time. While one is in flight there are none, so that a device gets them in order. The lock on the rows
 * lets one of several callers have them.
 */
export const handOver = (pool: Pool, deviceId: string, how: HandOver): Promise<HandedCommand[]> =>
  transaction(pool, (tx) => handOverIn(tx, deviceId, how));

/** Hands commands over as {@link handOver} does, in the caller's transaction. */
export const handOverIn = async (
  tx: PoolClient,
  deviceId: string,
  { limit, again, detail }: HandOver,
): Promise<HandedCommand[]> => {
  const { rows } = await tx.query<OpenRow>(sql`
      select id, name, parameters, encode(payload, 'hex') as payload, stream_id as "streamId", expires_at as "expiresAt", state,
             -- Also a waiting one, which a network server is being given.
             again_at > clock_timestamp() and again_at < 'infinity' as "isInFlight",
             expires_at > clock_timestamp() and (state = 'waiting' or again_at <= clock_timestamp()) as "isDue"
        from command where device_id = ${deviceId} and open and state in ('waiting', 'handed') order by id limit 1000 for update`);
  if (rows.some(({ isInFlight }) => isInFlight)) return [];
  const due = rows.filter(({ isDue }) => isDue).slice(0, limit);
  if (due.length === 0) return [];
  const ids = due.map(({ id }) => id);
  await tx.query(sql`
      with given as (
        update command set state = 'handed', open = true,
               state_at = case when state = 'waiting' then clock_timestamp() else state_at end,
               again_at = case when ${again ?? null}::float8 is null then 'infinity'
                               else clock_timestamp() + ${again ?? null}::float8 * interval '1 ms' end
         where id = any(${ids}::uuid[]) returning id
      )
      insert into command_evidence (command_id, source, kind, detail)
      select id, 'service', 'handed', ${detail === undefined ? null : JSON.stringify(detail)}::json from given
       where (select count(*) from command_evidence e where e.command_id = given.id) < ${maxHandOvers}`);
  return due.map(({ state: _state, isInFlight: _flight, isDue: _due, ...command }) => command);
};

/** Number of pieces of evidence above which a further hand-over leaves none. */
const maxHandOvers = 50;
