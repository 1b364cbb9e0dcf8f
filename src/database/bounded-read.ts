import pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { rateLimited, timedOut } from '#common/errors.js';
import { timeSlices } from '#scheduling/time-slice.js';
import { cancelStatement } from './cancel-statement.js';
import { fairQueueFor } from './pool-queue.js';
import { type WeighRows, weighedTypes } from './row-weight.js';

/**
 * Runs a read that may be slow for an organization. It resolves with the rows, and is cancelled after `milliseconds`.
 */
export type BoundedRead = (
  organizationId: string,
  query: Sql,
  milliseconds: number,
  weigh: WeighRows,
  signal?: AbortSignal,
) => Promise<object[]>;

/** Maximum number of waiting reads of one organization, and maximum wait of each for a connection, in milliseconds. */
const waiting = 1000;
const queueTimeout = 10_000;

/** Whether PostgreSQL cancelled the statement (`query_canceled`), by its timeout or on request. */
export const isCancelled = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '57014';

/**
 * Creates reads over a pipelining pool that organizations share fairly. PostgreSQL cancels a statement after its time,
 * or when the signal is aborted because nobody waits for the answer any more.
 * @throws ApiError 504 if the statement was cancelled, 429 if the organization has too many reads waiting
 */
export const createBoundedRead = (pool: pg.Pool): BoundedRead => {
  const turns = fairQueueFor(pool, { waiting, what: 'slow reads' });
  const waitTurn = async (organizationId: string, signal: AbortSignal | undefined) => {
    const late = AbortSignal.timeout(queueTimeout);
    try {
      return await turns.take(organizationId, signal ? AbortSignal.any([signal, late]) : late);
    } catch (error) {
      // Very many reads may give up at once, and rejecting each takes time.
      await timeSlices.ifOver(organizationId);
      if (late.aborted && !signal?.aborted)
        throw rateLimited('Too many slow reads of this organization are under way. Try again later.', 1);
      throw error;
    }
  };
  return async (organizationId, query, milliseconds, weigh, signal) => {
    const release = turns.takeFree(organizationId) ?? (await waitTurn(organizationId, signal));
    try {
      weigh(0);
      return await readOn(pool, query, milliseconds, weigh, signal);
    } catch (error) {
      throw isCancelled(error) ? timedOut(milliseconds) : error;
    } finally {
      release();
    }
  };
};

const readOn = async (
  pool: pg.Pool,
  { text, values }: Sql,
  milliseconds: number,
  weigh: WeighRows,
  signal?: AbortSignal,
): Promise<object[]> => {
  signal?.throwIfAborted();
  const client = await pool.connect();
  if (signal?.aborted) {
    client.release();
    signal.throwIfAborted();
  }
  let broken: Error | undefined;
  const stop = () => {
    // A cancellation may arrive late and would hit the next statement on the connection, so the connection is closed.
    broken = new Error('cancelled');
    void cancelStatement(pool, client);
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    // The three statements go out together, so a failure may show at the second or the third.
    const [, read, end] = await Promise.allSettled([
      client.query(`begin read only; set local statement_timeout = ${Math.max(1, Math.round(milliseconds))}`),
      client.query<object>({ text, values, types: weighedTypes(weigh) }),
      client.query('rollback'),
    ]);
    if (end.status === 'rejected') broken = end.reason as Error;
    if (read.status === 'rejected') throw read.reason;
    return read.value.rows;
  } finally {
    signal?.removeEventListener('abort', stop);
    client.release(broken);
  }
};
