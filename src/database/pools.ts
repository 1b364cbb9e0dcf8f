import pg from 'pg';
import { clientOf } from './client.js';
import { type FollowStatement, followPool } from './follow-statement.js';
import { giveWay, type StatementPriority } from './priority.js';
import { typeParsers } from './types.js';

/** What a pool may differ in. Durations in milliseconds. */
export interface PoolOptions {
  /** Most connections at once. */
  max?: number;
  /** Settings of its sessions, as the `options` of a connection (`-c name=value ...`). */
  session?: string;
  /** Whether statements are sent without waiting for the answers to those before them. */
  pipeline?: boolean;
  /** Where the server is on this machine: which pools' statements give way to which. */
  priority?: StatementPriority;
  /** Shown in `pg_stat_activity`, so that an operator sees whose connection it is. */
  name?: string;
  /** Told of each statement. */
  follow?: FollowStatement | undefined;
}

/**
 * The address of a database with the session settings that all our SQL relies on: timestamps are written in UTC and in
 * ISO style. They are sent as start-up options and so cost no round trip.
 */
export function withSession(connectionString: string, session?: string): string {
  const url = new URL(connectionString);
  url.searchParams.set('options', sessionOptions(connectionString, session));
  return url.toString();
}

/** The start-up options alone, those of the address first, for who takes an address in parts. */
export const sessionOptions = (connectionString: string, session?: string): string =>
  [new URL(connectionString).searchParams.get('options'), '-c TimeZone=UTC', '-c DateStyle=ISO', session]
    .filter(Boolean)
    .join(' ');

/**
 * Makes a pool of connections for transactions and whatever may take its time. `timestamptz` reads as ISO text.
 * An idle connection that breaks is dropped and replaced; a query in flight on it fails with its own error.
 */
export function createPool(
  connectionString: string,
  { max = 10, name = 'ddp', session, pipeline = false, priority = 'usual', follow }: PoolOptions = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSession(connectionString, session),
    Client: clientOf(connectionString),
    max,
    application_name: name,
    types: typeParsers,
    pipeline,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  pool.on('error', () => undefined);
  // pg-pool takes its own listener off a connection in use, and an error without a listener ends the process. What was
  // asked of the connection is rejected all the same.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    giveWay(client, connectionString, priority);
  });
  if (follow) followPool(pool, follow);
  return pool;
}
