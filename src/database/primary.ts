import pg from 'pg';

/** A server of the database: name or address, and port. */
interface Host {
  host: string;
  port: number;
}

/** Maximum time for a server to answer whether it takes writes, in milliseconds. */
const lookTimeout = 3000;

/** Returns the servers that an address lists in `hosts` (`a:5432,b:5432`), or undefined without a list. */
export const hostsOf = (connectionString: string): readonly Host[] | undefined => {
  const text = new URL(connectionString).searchParams.get('hosts');
  return text?.split(',').map((each) => {
    const { hostname, port } = new URL(`postgresql://${each}`);
    return { host: hostname, port: Number(port || 5432) };
  });
};

/**
 * Creates a function that finds the primary (libpq: `target_session_attrs=read-write`). Concurrent calls share one
 * search. After a fail-over the connections to the old server break, and new ones go to the new primary.
 */
export function lookForPrimary(connectionString: string, hosts: readonly Host[]): () => Promise<Host> {
  let looking: Promise<Host> | undefined;
  return () =>
    (looking ??= Promise.any(hosts.map((each) => requirePrimary(connectionString, each)))
      .catch((cause: unknown) => {
        throw new Error('No server of the database accepts writes.', { cause });
      })
      .finally(() => {
        looking = undefined;
      }));
}

async function requirePrimary(connectionString: string, { host, port }: Host): Promise<Host> {
  const url = new URL(connectionString);
  url.hostname = host;
  url.port = String(port);
  const client = new pg.Client({
    connectionString: url.toString(),
    application_name: 'ddp look',
    connectionTimeoutMillis: lookTimeout,
    query_timeout: lookTimeout,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() standby');
    if (rows[0]?.standby !== false) throw new Error(`${host}:${port} is a standby.`);
    return { host, port };
  } finally {
    void client.end().catch(() => undefined);
  }
}
