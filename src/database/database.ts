import type { Log } from '#common/log.js';
import { clientOf } from './client.js';
import { openEmbedded } from './embedded.js';

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
  await checkRelease(databaseUrl);
  return {
    connectionString: databaseUrl,
    embedded: false,
    place: placeOf(databaseUrl),
    close: () => Promise.resolve(),
  };
}

async function checkRelease(connectionString: string): Promise<void> {
  const client = new (clientOf(connectionString))({ connectionString, connectionTimeoutMillis: 10_000 });
  let release: number;
  try {
    await client.connect();
    const { rows } = await client.query<{ release: number }>(
      `select current_setting('server_version_num')::int / 10000 as release`,
    );
    release = rows[0]?.release ?? 0;
  } catch (cause) {
    throw new Error(
      `The database ${placeOf(connectionString)} (DATABASE_URL) cannot be reached: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
  if (release < OLDEST) throw new Error(`DATABASE_URL is at PostgreSQL ${release}; ${OLDEST} or newer is needed.`);
}

/** Returns the address without user and password. */
function placeOf(connectionString: string): string {
  const { host, pathname, searchParams } = new URL(connectionString);
  return `${searchParams.get('hosts') ?? host}${pathname}`;
}
