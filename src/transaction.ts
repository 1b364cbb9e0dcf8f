import type { Pool, PoolClient } from 'pg';

/**
 * Does work in a transaction: committed when it is done, rolled back when it throws. A connection whose rollback fails is not
 * given back to the pool.
 */
export const transaction = async <Result>(pool: Pool, work: (tx: PoolClient) => Promise<Result>): Promise<Result> => {
  const tx = await pool.connect();
  try {
    await tx.query('begin');
    const result = await work(tx);
    await tx.query('commit');
    tx.release();
    return result;
  } catch (error) {
    await tx.query('rollback').then(
      () => tx.release(),
      (fault: Error) => tx.release(fault),
    );
    throw error;
  }
};
