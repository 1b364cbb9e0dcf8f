import type { Pool } from 'pg';
import type { Sql } from 'sql-template-tag';
import type { ReadingCall } from '../entities/caller.js';
import { createBoundedRead } from './bounded.js';
import type { Reader } from './reader.js';
import { createSharedRead } from './shared-read.js';

/** How calls read from the database. */
export interface CallReads {
  /** Point reads and lists of known, small cost: on the pipelined connection, those of a heavy call where they can be cancelled. */
  read: <Row extends object>(call: ReadingCall, query: Sql) => Promise<Row[]>;
  /**
   * A read that may turn out expensive: on a pool that organizations share fairly, cancelled after `milliseconds` or by the
   * signal, which is that of the call unless given. @throws timedOut, rateLimited
   */
  readWithin: (call: ReadingCall, query: Sql, milliseconds: number, signal?: AbortSignal) => Promise<object[]>;
}

/** @param slowPool for reads that may take their time */
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
