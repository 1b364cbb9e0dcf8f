import type { Pool, PoolClient } from 'pg';

/**
 * Does work in a transaction: committed when it is done, rolled back when it throws. A connection whose rollback fails is not
 * given back to the pool. What the work asks before it first waits goes out with the begin: in one packet, over a
 * connection that is pipelined.
 */
export const transaction = async <Result>(pool: Pool, work: (tx: PoolClient) => Promise<Result>): Promise<Result> => {
  const tx = await pool.connect();
  const { stream } = tx.connection;
  try {
    stream.cork();
    const begun = tx.query('begin');
    // A work that throws before it waits is a rejection as well: the stream must not stay corked.
    const working = (async () => work(tx))();
    stream.uncork();
    const [begin, result] = await Promise.allSettled([begun, working]);
    if (begin.status === 'rejected') throw begin.reason;
    if (result.status === 'rejected') throw result.reason;
    await tx.query('commit');
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

/** Whether work failed only because others changed the same rows (serialization failure, deadlock): it passes when done again. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');
