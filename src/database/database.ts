import type { Client } from 'pg';
import type { Log } from '#common/log.js';
import { clientOf } from './client.js';
import { openEmbedded } from './embedded.js';
import { withSession } from './pools.js';

/** The configured database, ready for connections. */
export interface Database {
  connectionString: string;
  /** Whether it is the embedded server, as on a developer's machine. */
  embedded: boolean;
  /** Location for the log: the data folder of the embedded server, else host and name. */
  place: string;
  /** Releases the database. All pools must be closed before. */
  close(): Promise<void>;
}

/** The oldest supported release of PostgreSQL. */
const OLDEST = 15;

/**
 * Opens the database of DATABASE_URL, or the embedded one.
 * @param connections number of connections that the embedded server must allow if this process starts it
 * @throws Error with a sentence for the operator
 */
export async function openDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  log: Log,
  connections = 0,
): Promise<Database> {
  if (databaseUrl === undefined) {
    const { connectionString, data, close } = await openEmbedded({ dataDir, log, connections });
    return { connectionString, embedded: true, place: data, close };
  }
  await checkServer(databaseUrl);
  return {
    connectionString: databaseUrl,
    embedded: false,
    place: placeOf(databaseUrl),
    close: () => Promise.resolve(),
  };
}

/** Checks the release of the server, and that a connection to it is a session. */
async function checkServer(connectionString: string): Promise<void> {
  // A setting of our own: PostgreSQL takes any name with a dot.
  const options = {
    connectionString: withSession(connectionString, '-c ddp.probe=first'),
    connectionTimeoutMillis: 10_000,
  };
  const Client = clientOf(connectionString);
  const [one, other] = [new Client(options), new Client(options)];
  for (const client of [one, other]) client.on('error', () => undefined);
  try {
    await Promise.all([one.connect(), other.connect()]).catch((cause: Error) => {
      throw /startup parameter/i.test(cause.message)
        ? poolerAt(connectionString, cause.message)
        : new Error(`The database ${placeOf(connectionString)} (DATABASE_URL) cannot be reached: ${cause.message}`, {
            cause,
          });
    });
    const { rows } = await one.query<{ release: number }>(
      `select current_setting('server_version_num')::int / 10000 as release`,
    );
    const { release } = rows[0]!;
    if (release < OLDEST) throw new Error(`DATABASE_URL is at PostgreSQL ${release}; ${OLDEST} or newer is needed.`);
    if ((await probe(one)) !== 'first') throw poolerAt(connectionString, 'it drops the start-up options');
    await one.query(`set ddp.probe = 'second'`);
    // A pooler of transactions gives the session of `one` to `other`, and another one to `one`.
    await other.query('begin');
    if ((await probe(other)) !== 'first' || (await probe(one)) !== 'second')
      throw poolerAt(connectionString, 'it gives the session to another client after each transaction');
  } finally {
    await Promise.all([one.end(), other.end()]).catch(() => undefined);
  }
}

const probe = async (client: Client): Promise<string | null> =>
  (await client.query<{ set: string | null }>(`select current_setting('ddp.probe', true) as set`)).rows[0]!.set;

const poolerAt = (connectionString: string, why: string): Error =>
  new Error(
    `The server at ${placeOf(connectionString)} (DATABASE_URL) is a connection pooler that keeps no sessions: ${why}. Give the address of PostgreSQL itself: the service pools its connections, and DATABASE_CONNECTIONS limits their number.`,
  );

/** Returns the address without user and password. */
function placeOf(connectionString: string): string {
  const { host, pathname, searchParams } = new URL(connectionString);
  return `${searchParams.get('hosts') ?? host}${pathname}`;
}
