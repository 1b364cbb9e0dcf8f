import type { Pool } from 'pg';
import type { Sql } from 'sql-template-tag';
import type { ReadingCall } from '#entities/caller.js';
import { createBoundedRead } from './bounded.js';
import type { Reader } from './reader.js';
import { createSharedRead } from './shared-read.js';

/** Database reads of calls. */
export interface CallReads {
  /**
   * Runs point reads and lists of known, small cost on the pipelined connection. Reads of a heavy call run where they
   * can be cancelled.
   */
  read: <Row extends object>(call: ReadingCall, query: Sql) => Promise<Row[]>;
  /**
   * Runs a read that may be expensive, on a pool that organizations share fairly. It is cancelled after `milliseconds`
   * or by the signal, which is the call's by default.
   * @throws ApiError 504 or 429
   */
  readWithin: (call: ReadingCall, query: Sql, milliseconds: number, signal?: AbortSignal) => Promise<object[]>;
}

/**
 * Creates the reads of calls.
 * @param slowPool pool for reads that may be slow
 */
export const createCallReads = (reader: Pick<Reader, 'read'>, slowPool: Pool): CallReads => {
  const readBounded = createBoundedRead(slowPool);
  const readShared = createSharedRead(reader.read, readBounded);
  const readWithin: CallReads['readWithin'] = (call, query, milliseconds, signal) =>
    readBounded(call.caller.organizationId, query, milliseconds, call.weighRows, signal ?? call.signal);
  return {
    async read<Row extends object>(call: ReadingCall, query: Sql) {
      const left = call.timeLeft();
      if (left !== undefined) return (await readWithin(call, query, left)) as Row[];
      const { caller, weighRows, timeLeft } = call;
      return readShared<Row>(caller.organizationId, query, weighRows, timeLeft);
    },
    readWithin,
  };
};
