import type { Pool } from 'pg';
import type { Sql } from 'sql-template-tag';
import type { ReadingCall } from '#entities/caller.js';
import { type BoundedRead, createBoundedRead } from './bounded-read.js';
import type { Reader } from './reader.js';
import { createSharedRead, slowLimit } from './shared-read.js';
import { primaryOnly, type ReadServers } from './standby/read-servers.js';

/** Database reads of calls. */
export interface CallReads {
  /**
   * Runs point reads and lists of known, small cost on the pipelined connection. Reads of a heavy call run where they
   * can be cancelled.
   */
  read: <Row extends object>(call: ReadingCall, query: Sql) => Promise<Row[]>;
  /**
   * Runs a list of known, small cost on a standby if there is one, else like `read`. The time limit of a slow one is
   * the same on both.
   */
  readList: <Row extends object>(call: ReadingCall, query: Sql) => Promise<Row[]>;
  /**
   * Runs a read that may be expensive, on a pool that organizations share fairly, and on a standby if there is one. The
   * read is cancelled after `milliseconds`, or when the signal aborts (by default that of the call).
   * @throws ApiError 504 or 429
   */
  readWithin: (call: ReadingCall, query: Sql, milliseconds: number, signal?: AbortSignal) => Promise<object[]>;
}

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
    (read: BoundedRead, call: ReadingCall, weigh = call.weighRows) =>
    (query: Sql, milliseconds: number, signal = call.signal) =>
      read(call.caller.organizationId, query, milliseconds, weigh, signal);
  const read = async <Row extends object>(call: ReadingCall, query: Sql) => {
    const left = call.timeLeft();
    if (left !== undefined) return (await boundedBy(readBounded, call)(query, left)) as Row[];
    return readShared<Row>(call, query);
  };
  /** Reads on a standby or on the primary. Rows of a standby whose read is repeated do not count. */
  const readOnOne = <Row extends object>(
    call: ReadingCall,
    onStandby: (bounded: ReturnType<typeof boundedBy>) => Promise<object[]>,
    onPrimary: () => Promise<object[]>,
  ) => {
    let weighed = 0;
    const weigh = (characters: number) => {
      weighed += characters;
      call.weighRows(characters);
    };
    return servers.run(
      call.position,
      (standby) => onStandby(boundedBy(standby.readBounded, call, weigh)),
      () => {
        if (weighed > 0) call.weighRows(-weighed);
        return onPrimary();
      },
    ) as Promise<Row[]>;
  };
  return {
    read,
    readList: (call, query) =>
      readOnOne(
        call,
        (bounded) => bounded(query, call.timeLeft() ?? slowLimit),
        () => read(call, query),
      ),
    readWithin: (call, ...rest) =>
      readOnOne(
        call,
        (bounded) => bounded(...rest),
        () => boundedBy(readBounded, call)(...rest),
      ),
  };
};
