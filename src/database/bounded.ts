import pg from 'pg';
import type { Sql } from 'sql-template-tag';

/**
 * Reads on a connection of its own; PostgreSQL cancels the statement (57014) after so many milliseconds, or when the
 * signal is aborted because nobody waits for the answer any more.
 */
export const createBoundedRead =
  (pool: pg.Pool) =>
  async (query: Sql, milliseconds: number, signal?: AbortSignal): Promise<object[]> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    const stop = () => {
      // A cancellation may arrive late and would hit the connection's next user.
      broken = new Error('cancelled');
      void cancel(pool, client);
    };
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await client.query(`begin read only; set local statement_timeout = ${Math.max(1, Math.round(milliseconds))}`);
      const { rows } = await client.query<object>(query.text, query.values);
      return rows;
    } finally {
      signal?.removeEventListener('abort', stop);
      await client.query('rollback').catch((error: Error) => {
        broken = error;
      });
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
