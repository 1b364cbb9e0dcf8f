import pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { rateLimited, timedOut } from '../errors.js';
import type { WeighRows } from '../schema/context.js';
import { timeSlices } from '../time-slice.js';
import { fairQueueFor } from './pool-queue.js';
import { weighedTypes } from './row-weight.js';

/** Runs a read that may be slow for an organization. */
export type BoundedRead = (
  organizationId: string,
  query: Sql,
  milliseconds: number,
  weigh: WeighRows,
  signal?: AbortSignal,
) => Promise<object[]>;

/** How many reads of one organization may wait for a connection, and how long each may wait, in milliseconds. */
const waiting = 1000;
const queueTimeout = 10_000;

/** `query_canceled`: by the statement timeout or by request. */
export const isCancelled = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '57014';

/**
 * Reads on a connection of a pipelining pool that organizations share fairly. PostgreSQL cancels the statement after so
 * many milliseconds, or when the signal is aborted because nobody waits for the answer any more.
 * The read throws TIMEOUT when the statement was cancelled, and RATE_LIMITED where the organization has too many waiting.
 */
export const createBoundedRead = (pool: pg.Pool): BoundedRead => {
  const turns = fairQueueFor(pool, { waiting, what: 'slow reads' });
  const waitTurn = async (organizationId: string, signal: AbortSignal | undefined) => {
    const late = AbortSignal.timeout(queueTimeout);
    try {
      return await turns.take(organizationId, signal ? AbortSignal.any([signal, late]) : late);
    } catch (error) {
      // Very many may give up at once, and telling each takes time.
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
  let broken: Error | undefined;
  const stop = () => {
    // A cancellation may arrive late and would hit the next statement on the connection.
    broken = new Error('cancelled');
    void cancel(pool, client);
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    // The three statements are sent together; a failure shows at the second or the third.
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

/** Ends the running statement through another connection: the pool's may all be busy. */
async function cancel(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const { processID } = client as unknown as { processID: number };
  const other = new pg.Client(pool.options);
  try {
    await other.connect();
    await other.query('select pg_cancel_backend($1::int)', [processID]);
  } catch {
    // The statement ends by its own timeout then.
  } finally {
    await other.end().catch(() => undefined);
  }
}
