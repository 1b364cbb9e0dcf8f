import type { Client } from 'pg';
import sql from 'sql-template-tag';
import { clientOf } from '../client.js';
import { namedStatement } from '../named-statement.js';
import { bytesOf, currentPosition, type WalPosition } from './position.js';

/** Identity of a database, which a standby has in common with its primary. */
export interface Identity {
  readonly system: string;
  readonly database: string;
}

const identity = sql`(select system_identifier::text from pg_control_system()) as system, current_database() as database`;

/** Reads the identity of the primary's database, and the log position up to which commits are acknowledged. */
export const primaryQuery = sql`select ${identity}, ${currentPosition} as position`;

/** Result of {@link primaryQuery}. */
export interface PrimaryRow extends Identity {
  position: string | null;
}

/**
 * Reads what a standby has replayed. The timeline is that of the log that it receives. A standby that reads an archive
 * alone, or whose login may not see the receiver, has that of its last restart point.
 */
const replayQuery = namedStatement(
  'replayed',
  sql`
    select pg_is_in_recovery() as standby, pg_last_wal_replay_lsn()::text as replayed,
           coalesce((select received_tli from pg_stat_wal_receiver where status = 'streaming'),
                    (select timeline_id from pg_control_checkpoint())) as timeline`,
);

/** Time within which a standby must answer, in milliseconds. A busy event loop of this process counts too. */
const answerTimeout = 3000;

/** A connection that asks a standby how far it is. */
export interface StandbyConnection {
  /** Whether the primary keeps rows that reads of the standby need (hot_standby_feedback). */
  readonly givesFeedback: boolean;
  /** @throws Error if the server does not answer or is no standby any more */
  replayed(): Promise<WalPosition>;
  close(): void;
}

/**
 * Connects to a standby.
 * @param lost called when the connection breaks
 * @throws Error if the server is not reached, or is no standby of the primary's database
 */
export const connectToStandby = async (
  connectionString: string,
  primary: Identity,
  lost: (cause: Error) => void,
): Promise<StandbyConnection> => {
  const client: Client = new (clientOf(connectionString))({
    connectionString,
    application_name: 'ddp standby',
    connectionTimeoutMillis: answerTimeout,
    query_timeout: answerTimeout,
    keepAlive: true,
  });
  client.on('error', lost);
  client.on('end', () => lost(new Error('The connection has ended.')));
  // A server that hangs would not answer a farewell.
  const close = () => void client.connection.stream.destroy();
  let givesFeedback: boolean;
  try {
    await client.connect();
    const { rows } = await client.query<Identity & { feedback: boolean }>(
      sql`select ${identity}, current_setting('hot_standby_feedback')::bool as feedback`,
    );
    const { system, database, feedback } = rows[0]!;
    givesFeedback = feedback;
    if (system !== primary.system || database !== primary.database)
      throw new Error('The server has another database than the primary.');
  } catch (error) {
    close();
    throw error;
  }
  return {
    givesFeedback,
    async replayed() {
      const { rows } = await client.query<{ standby: boolean; replayed: string | null; timeline: number }>(replayQuery);
      const { standby, replayed, timeline } = rows[0]!;
      if (!standby) throw new Error('The server is not a standby.');
      return { timeline, bytes: replayed === null ? 0 : bytesOf(replayed) };
    },
    close,
  };
};
