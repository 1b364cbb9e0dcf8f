import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { unavailable } from '../errors.js';
import type { WeighRows } from '../schema/context.js';
import { clientOf } from './client.js';
import { type FollowStatement, followClient } from './follow-statement.js';
import { isConnectionLoss } from './loss.js';
import { withSession } from './pools.js';
import { type PreparedStatement, readPrepared } from './read-query.js';
import { weighedTypes } from './row-weight.js';
import { typeParsers } from './types.js';

/** Runs one statement and gives its rows, whose characters it counts where it is told how. */
export type WeighedRead = <Row extends object>(query: Sql, weigh?: WeighRows) => Promise<Row[]>;

/** The quick road to the database for point reads. */
export interface Reader {
  /**
   * Sends the statement at once, behind those already under way on the same connection. Each is a transaction of its
   * own. A lost connection answers {@link unavailable}; the next call makes a new one.
   */
  read: WeighedRead;
  /** How many statements were sent since the start, and how many of them are not answered yet. */
  figures(): { sent: number; pending: number };
  /** Waits for the statements under way and closes the connection. */
  close(): Promise<void>;
}

/** Texts that are kept prepared. What comes after these is parsed each time, so a server never holds more. */
const PREPARED = 500;

/** Point reads and pages have one good plan whatever their values are; planning them anew costs twice what they do. */
const pointReads = '-c plan_cache_mode=force_generic_plan -c jit=off -c statement_timeout=';

/**
 * Opens one pipelined connection (measured: more of them are slower). A slow statement holds up all that is queued
 * behind it, so only reads of known, small cost may go here. Every text is prepared once and then called by name.
 * @param follow told of each statement
 * @param limit how long a statement may run, or wait for a lock, before PostgreSQL cancels it (57014). Milliseconds.
 */
export function createReader(connectionString: string, limit: number, follow?: FollowStatement): Reader {
  const address = withSession(connectionString, `${pointReads}${limit}`);
  const Client = clientOf(connectionString);
  const statements = new Map<string, PreparedStatement>();
  let made = 0;
  let sent = 0;
  let pending = 0;
  let current: Promise<pg.Client> | undefined;

  const connect = (): Promise<pg.Client> => {
    const client = new Client({
      connectionString: address,
      application_name: 'ddp read',
      types: typeParsers,
      pipeline: true,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    if (follow) followClient(client, follow);
    const opening = client.connect().then(() => client);
    const forget = () => {
      if (current === opening) current = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    opening.catch(forget);
    return opening;
  };

  const statementOf = (text: string): PreparedStatement | undefined => {
    const prepared = statements.get(text);
    if (prepared !== undefined || statements.size >= PREPARED) return prepared;
    const statement = { name: `r${++made}`, text, columns: new WeakMap() };
    statements.set(text, statement);
    return statement;
  };

  const send = async <Row>(text: string, values: unknown[], weigh?: WeighRows): Promise<Row[]> => {
    sent += 1;
    pending += 1;
    try {
      const client = await (current ??= connect());
      gather(client.connection.stream);
      const statement = statementOf(text);
      if (statement !== undefined) return (await readPrepared(client, statement, values, weigh)) as Row[];
      const types = weigh && { types: weighedTypes(weigh) };
      return (await client.query<pg.QueryResultRow>({ text, values, ...types })).rows as Row[];
    } finally {
      pending -= 1;
    }
  };

  const read = async <Row extends object>({ text, values }: Sql, weigh?: WeighRows): Promise<Row[]> => {
    try {
      return await send<Row>(text, values, weigh);
    } catch (error) {
      if (isConnectionLoss(error)) throw unavailable(undefined, error);
      if (!isStalePlan(error)) throw error;
      // A migration changed the columns under a prepared statement: prepare it anew under another name.
      statements.delete(text);
      return send<Row>(text, values, weigh);
    }
  };

  return {
    read,
    figures: () => ({ sent, pending }),
    async close() {
      const client = await current?.catch(() => undefined);
      await client?.end();
    },
  };
}

/** Sends what is asked for in one turn of the event loop as one packet: the calls that cost most are those of the socket. */
function gather(stream: Duplex): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** "cached plan must not change result type" (feature_not_supported), or a statement the server no longer knows. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code === '26000' || (error.code === '0A000' && error.message.startsWith('cached plan')));
