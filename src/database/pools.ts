import pg from 'pg';
import { clientOf } from './client.js';
import { type FollowStatement, followPool } from './follow-statement.js';
import { giveWay, type StatementPriority } from './priority.js';
import { typeParsers } from './types.js';

/** Settings of a pool. Durations are in milliseconds. */
export interface PoolOptions {
  /** Maximum number of connections. */
  max?: number;
  /** Session settings, as the `options` of a connection (`-c name=value ...`). */
  session?: string;
  /** Whether statements are sent without waiting for earlier answers. */
  pipeline?: boolean;
  /** Processor priority of the pool's statements, if the server is on this machine. */
  priority?: StatementPriority;
  /** Application name in `pg_stat_activity`, by which an operator recognizes the connections. */
  name?: string;
  /** Maximum time for a connection to open; 10 seconds by default. */
  connectTimeout?: number;
  /** Called once per statement. */
  follow?: FollowStatement | undefined;
}

/**
 * Settings that the SQL of the service relies on, whatever the role, the database or the server sets: timestamps in UTC
 * and in ISO style, quotes and numbers in their usual form, transactions that need not be repeated, and statements that
 * are not compiled, which takes seconds where one reads blocks.
 */
const reliedOn = [
  'TimeZone=UTC',
  'DateStyle=ISO',
  'IntervalStyle=postgres',
  'bytea_output=hex',
  'extra_float_digits=1',
  'standard_conforming_strings=on',
  'array_nulls=on',
  'transform_null_equals=off',
  'default_transaction_isolation=read\\ committed',
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * Returns the address of a database with the session settings that the service relies on. They are start-up options and
 * so cost no round trip.
 */
export function withSession(connectionString: string, session?: string): string {
  const url = new URL(connectionString);
  url.searchParams.set('options', sessionOptions(connectionString, session));
  return url.toString();
}

/** Returns only the start-up options, those of the address first, for callers that take an address in parts. */
export const sessionOptions = (connectionString: string, session?: string): string =>
  [new URL(connectionString).searchParams.get('options'), reliedOn, session].filter(Boolean).join(' ');

/**
 * Creates a pool of connections for transactions and slow statements. `timestamptz` reads as ISO text. An idle
 * connection that breaks is dropped and replaced; a query in flight on it fails with its own error.
 */
export function createPool(
  connectionString: string,
  {
    max = 10,
    name = 'ddp',
    session,
    pipeline = false,
    priority = 'usual',
    connectTimeout = 10_000,
    follow,
  }: PoolOptions = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSession(connectionString, session),
    Client: clientOf(connectionString),
    max,
    application_name: name,
    types: typeParsers,
    pipeline,
    connectionTimeoutMillis: connectTimeout,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  pool.on('error', () => undefined);
  // pg-pool removes its own listener from a connection in use, and an error without a listener ends the process.
  // Queries on the connection are rejected nonetheless.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    giveWay(client, connectionString, priority);
  });
  if (follow) followPool(pool, follow);
  return pool;
}
