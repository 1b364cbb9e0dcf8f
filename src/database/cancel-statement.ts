import pg, { type Pool, type PoolClient } from 'pg';

/**
 * Cancels the running statement of a connection, over a new connection to the same server, because all connections of
 * the pool may be busy. If that fails, the statement ends by its own timeout.
 */
export async function cancelStatement(pool: Pool, client: PoolClient): Promise<void> {
  const { processID, host, port } = client as PoolClient & Pick<pg.Client, 'host' | 'port'> & { processID: number };
  const other = new pg.Client(pool.options);
  // Of an address with several servers, only the connection knows which one runs the statement.
  Object.assign(other, { host, port });
  // An error without a listener, as when the server dies meanwhile, would end the process.
  other.on('error', () => undefined);
  try {
    await other.connect();
    await other.query('select pg_cancel_backend($1::int)', [processID]);
  } catch {
    // The timeout of the statement ends it.
  } finally {
    await other.end().catch(() => undefined);
  }
}
