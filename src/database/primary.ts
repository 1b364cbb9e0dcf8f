import pg from 'pg';

/** A server of the database, by name or address, and port. */
interface Host {
  host: string;
  port: number;
}

/** How long a server may take to say whether it takes writes, in milliseconds. */
const lookTimeout = 3000;

/** The servers that an address names in `hosts` (`a:5432,b:5432`), where it names several. */
export const hostsOf = (connectionString: string): readonly Host[] | undefined => {
  const text = new URL(connectionString).searchParams.get('hosts');
  return text?.split(',').map((each) => {
    const { hostname, port } = new URL(`postgresql://${each}`);
    return { host: hostname, port: Number(port || 5432) };
  });
};

type ClientClass = typeof pg.Client;
type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/**
 * What connects to an address: pg's own client, or, where the address names several servers, one that asks all of them before
 * each connection, and takes the one that is no standby (libpq: `target_session_attrs=read-write`). After a fail-over the
 * connections to the old server break, and the next ones are made to the new one.
 */
export const clientOf = (connectionString: string): ClientClass => {
  const hosts = hostsOf(connectionString);
  if (hosts === undefined) return pg.Client;
  const look = lookForPrimary(connectionString, hosts);
  return class PrimaryClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | void {
      const connected = look().then(({ host, port }) => {
        Object.assign(this, { host, port });
        return super.connect();
      });
      if (callback === undefined) return connected;
      connected.then(() => (callback as () => void)(), callback as (error: Error) => void);
    }
  };
};

/** Finds the server that takes writes; those that connect at the same time look together. */
function lookForPrimary(connectionString: string, hosts: readonly Host[]): () => Promise<Host> {
  let looking: Promise<Host> | undefined;
  return () =>
    (looking ??= Promise.any(hosts.map((each) => requirePrimary(connectionString, each)))
      .catch((cause: unknown) => {
        // Told apart from a wrong statement as a connection that cannot be made (SQLSTATE 08001).
        throw Object.assign(new Error('No server of the database takes writes.', { cause }), { code: '08001' });
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
