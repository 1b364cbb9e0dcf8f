import type { Pool, PoolClient } from 'pg';

/**
 * Runs work in a transaction, which is committed when the work is done and rolled back when it throws. A connection
 * whose rollback fails is removed from the pool. Statements that the work sends before it first waits go out together
 * with `begin`, in one packet on a pipelined connection.
 * @param isKept whether to commit what the work returned; otherwise the transaction is rolled back
 */
export const transaction = async <Result>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<Result>,
  isKept: (result: Result) => boolean = always,
): Promise<Result> => {
  const tx = await pool.connect();
  const { stream } = tx.connection;
  try {
    stream.cork();
    const begun = tx.query('begin');
    // The async function turns a throw before the first await into a rejection, so that the stream does not stay
    // corked.
    const working = (async () => work(tx))();
    stream.uncork();
    const [begin, result] = await Promise.allSettled([begun, working]);
    if (begin.status === 'rejected') throw begin.reason;
    if (result.status === 'rejected') throw result.reason;
    await tx.query(isKept(result.value) ? 'commit' : 'rollback');
    tx.release();
    return result.value;
  } catch (error) {
    await tx.query('rollback').then(
      () => tx.release(),
      (fault: Error) => tx.release(fault),
    );
    throw error;
  }
};

const always = () => true;

/**
 * Whether work failed only because a concurrent transaction changed the same rows (serialization failure, deadlock).
 * Repeating it succeeds.
 */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');
