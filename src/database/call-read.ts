import type { Pool } from 'pg';
import type { Sql } from 'sql-template-tag';
import type { ReadingCall } from '#entities/caller.js';
import { type BoundedRead, createBoundedRead } from './bounded.js';
import type { Reader } from './reader.js';
import { createSharedRead } from './shared-read.js';
import { primaryOnly, type ReadServers } from './standby/read-servers.js';

/** Database reads of calls. */
export interface CallReads {
  /**
   * Runs point reads and lists of known, small cost on the pipelined connection. Reads of a heavy call run where they
   * can be cancelled.
   */
  read: <Row extends object>(call: ReadingCall, query: Sql) => Promise<Row[]>;
  /** Runs a list of known, small cost on a standby if there is one, else like `read`. */
  readList: <Row extends object>(call: ReadingCall, query: Sql) => Promise<Row[]>;
  /**
   * Runs a read that may be expensive, on a pool that organizations share fairly, and on a standby if there is one. The
   * read is cancelled after `milliseconds`, or when the signal aborts (by default that of the call).
   * @throws ApiError 504 or 429
   */
  readWithin: (call: ReadingCall, query: Sql, milliseconds: number, signal?: AbortSignal) => Promise<object[]>;
}

/** Maximum duration of a list of small cost on a standby, in milliseconds. */
const listTimeout = 5000;

/**
 * Creates the reads of calls.
 * @param slowPool pool of the primary for reads that may be slow
 */
export const createCallReads = (
  reader: Pick<Reader, 'read'>,
  slowPool: Pool,
  servers: Pick<ReadServers, 'run'> = primaryOnly,
): CallReads => {
  const readBounded = createBoundedRead(slowPool);
  const readShared = createSharedRead(reader.read, readBounded);
  const boundedBy =
    (read: BoundedRead): CallReads['readWithin'] =>
    (call, query, milliseconds, signal) =>
      read(call.caller.organizationId, query, milliseconds, call.weighRows, signal ?? call.signal);
  const onPrimary = boundedBy(readBounded);
  const read = async <Row extends object>(call: ReadingCall, query: Sql) => {
    const left = call.timeLeft();
    if (left !== undefined) return (await onPrimary(call, query, left)) as Row[];
    const { caller, weighRows, timeLeft } = call;
    return readShared<Row>(caller.organizationId, query, weighRows, timeLeft);
  };
  return {
    read,
    readList: <Row extends object>(call: ReadingCall, query: Sql) =>
      servers.run(
        call.position,
        (standby) => boundedBy(standby.readBounded)(call, query, call.timeLeft() ?? listTimeout) as Promise<Row[]>,
        () => read<Row>(call, query),
      ),
    readWithin: (call, ...rest) =>
      servers.run(
        call.position,
        (standby) => boundedBy(standby.readBounded)(call, ...rest),
        () => onPrimary(call, ...rest),
      ),
  };
};
