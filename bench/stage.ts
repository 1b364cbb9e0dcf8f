import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { Pool } from 'undici';
import { createLog } from '#common/log.js';
import { openEmbedded } from '#database/embedded.js';
import { createPool } from '#database/pools.js';
import { prepareDatabase } from '#database/prepare.js';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';

/** A service in a separate process. */
export interface StageService {
  origin: string;
  /** Address of the MQTT endpoint; undefined when MQTT is off. */
  mqttUrl?: string | undefined;
  pid: number;
  close(): Promise<void>;
}

/** A service in a separate process, over a durable, temporary PostgreSQL. */
export interface Stage {
  /** Base address of the REST API. */
  base: string;
  organizationId: string;
  token: string;
  pool: pg.Pool;
  connectionString: string;
  /** Folder in which the database server may read and write files. */
  folder: string;
  /** Process identifier of the service. */
  pid: number;
  /** Address of the service's MQTT endpoint; undefined when MQTT is off. */
  mqttUrl: string | undefined;
  /** Starts another service over the same database. */
  serve(settings: Readonly<Record<string, string>>): Promise<StageService>;
  /** Time range of a search that covers all records. */
  allTime: { gte: number; lte: number };
  /** Searches an application. Each query covers the records of all products by default. */
  search(applicationId: string, ...queries: object[]): Promise<void>;
  /** Posts records in one call. */
  post(items: readonly object[]): Promise<void>;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('../src/main.js', import.meta.url));

/**
 * Opens a stage that shares nothing with another run.
 * @param kept folder of a stage that is reused, and kept afterwards.
 */
export async function openStage(settings: Readonly<Record<string, string>> = {}, kept?: string): Promise<Stage> {
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'ddp-bench-')));
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o777);
  const log = createLog('warn');
  const server = await openEmbedded({ dataDir: join(folder, 'data'), log, durable: true });
  await prepareDatabase(server.connectionString, log);
  const pool = createPool(server.connectionString, { max: 8 });
  const organizationId = await organizationOf(pool);
  const { token } = await createToken(pool, { organizationId }, new Date());
  const serve = (more: Readonly<Record<string, string>> = {}) =>
    startService({ ...settings, ...more, DATABASE_URL: server.connectionString });
  const service = await serve();
  const base = `${service.origin}/ddp/v1`;
  const allTime = { gte: 946_684_800, lte: 4_102_444_800 };
  const client = new Pool(service.origin);
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    // `fetch` would itself cost about a millisecond.
    const response = await client.request({
      method: 'POST',
      path: `/ddp/v1${path}`,
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`POST ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text) as object;
  };
  return {
    base,
    organizationId,
    token,
    pool,
    connectionString: server.connectionString,
    folder,
    pid: service.pid,
    mqttUrl: service.mqttUrl,
    serve,
    allTime,
    async search(applicationId, ...queries) {
      const body = { ts: allTime, queries: queries.map((query) => ({ products: [], ...query })) };
      const { responses } = (await post(`/applications/${organizationId}/${applicationId}/search`, body)) as {
        responses: { status: number; timed_out: boolean }[];
      };
      const failed = responses.find(({ status, timed_out: late }) => status !== 200 || late);
      if (failed !== undefined) throw new Error(JSON.stringify(failed).slice(0, 500));
    },
    async post(items) {
      const { rejected } = (await post(`/organizations/${organizationId}/records`, items)) as { rejected: number };
      if (rejected > 0) throw new Error(`${rejected} records were rejected.`);
    },
    async close() {
      await client.close();
      await service.close();
      await pool.end();
      await server.close();
      for (const path of kept === undefined ? [server.data, folder] : [])
        await rm(path, { recursive: true, force: true });
    },
  };
}

const startService = async (settings: Readonly<Record<string, string>>): Promise<StageService> => {
  const service = spawn(process.execPath, [...process.execArgv, program, 'serve', '--json'], {
    env: {
      PATH: process.env['PATH'],
      SECRET_KEY: 'bench',
      PORT: '0',
      RATE_LIMIT: '0',
      LOG_LEVEL: 'warn',
      WORKERS: '1',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    // The service gets a session of its own, as under an init system, because Linux shares processors among sessions.
    detached: true,
  });
  process.once('exit', () => service.kill('SIGKILL'));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const ended = once(service, 'exit').then(() => {
    throw new Error('The service ended before it served.');
  });
  const [line] = await Promise.race([once(service.stdout, 'data') as Promise<[Buffer]>, ended]);
  const { url, mqttUrl } = JSON.parse(line.toString()) as { url: string; mqttUrl?: string };
  return {
    origin: url,
    mqttUrl,
    pid: service.pid!,
    async close() {
      service.kill('SIGTERM');
      await once(service, 'exit');
    },
  };
};

/** Returns the organization whose records are measured. A kept stage has it already. */
const organizationOf = async (pool: pg.Pool): Promise<string> => {
  const { rows } = await pool.query<{ id: string }>(`select id from account where username = 'bench'`);
  const wanted = { username: 'bench', email: 'bench@example.com' };
  return rows[0]?.id ?? (await createAccount(pool, AccountType.organization, wanted, new Date()));
};
