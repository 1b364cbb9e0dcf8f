import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { unavailable } from '#common/errors.js';
import { clientOf } from './client.js';
import { isConnectionLoss } from './connection-loss.js';
import { type FollowStatement, followClient } from './follow-statement.js';
import { withSession } from './pools.js';
import { type PreparedStatement, readPrepared } from './read-query.js';
import { type WeighRows, weighedTypes } from './row-weight.js';
import { typeParsers } from './types.js';

/** Runs one statement and returns its rows. `weigh` counts their characters. */
export type WeighedRead = <Row extends object>(query: Sql, weigh?: WeighRows) => Promise<Row[]>;

/** Fast path to the database for point reads. */
export interface Reader {
  /**
   * Sends the statement at once, behind those in flight on the same connection. Each is a transaction of its own. A
   * lost connection causes {@link unavailable}; the next call opens a new one.
   */
  read: WeighedRead;
  /** Returns the number of statements sent since the start, and of those that are not answered yet. */
  figures(): { sent: number; pending: number };
  /** Waits for the statements in flight and closes the connection. */
  close(): Promise<void>;
}

/** Maximum number of prepared texts. Further texts are parsed each time, so the server's memory stays bounded. */
const PREPARED = 500;

/** Point reads and pages have one good plan for all values; planning takes twice as long as running them. */
const pointReads = '-c plan_cache_mode=force_generic_plan -c jit=off -c statement_timeout=';

/**
 * Opens one pipelined connection (measured: several are slower). A slow statement delays all statements queued behind
 * it, so it only takes reads of known, small cost. Every text is prepared once and then called by name.
 * @param follow called once per statement
 * @param limit time in milliseconds after which PostgreSQL cancels a statement (57014), whether it runs or waits for a
 * lock
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
      // A migration changed the columns of a prepared statement, so it is prepared again under another name.
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

/**
 * Sends the statements of one turn of the event loop as one packet, because socket writes are the most expensive calls.
 */
function gather(stream: Duplex): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/**
 * Whether PostgreSQL refused the plan: "cached plan must not change result type" (feature_not_supported), or a
 * statement that the server no longer knows.
 */
const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code === '26000' || (error.code === '0A000' && error.message.startsWith('cached plan')));
