import type { Pool, PoolClient } from 'pg';

/** Session settings of a transaction that reads or writes a day of blocks, which may take minutes. */
const settings = `
  set local jit = off; set local work_mem = '64MB';
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/** Prepares a transaction for the statements of a day. */
export const prepareLong = (tx: PoolClient): Promise<unknown> => tx.query(settings);

/**
 * Reads in one snapshot. If the work fails, its connection is closed, because a COPY may be under way.
 * @param id a snapshot that another transaction exported
 */
export const inSnapshot = async <Result>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<Result>,
  id?: string,
): Promise<Result> => {
  const tx = await pool.connect();
  try {
    await tx.query('begin isolation level repeatable read, read only');
    if (id !== undefined) await tx.query(`set transaction snapshot '${id}'`);
    await prepareLong(tx);
    const result = await work(tx);
    await tx.query('commit');
    tx.release();
    return result;
  } catch (error) {
    tx.release(true);
    throw error;
  }
};
