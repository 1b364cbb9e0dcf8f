import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { openEmbedded } from '../src/database/embedded.js';
import { createPool } from '../src/database/pools.js';
import { AccountType } from '../src/entities/enums.js';
import { createLog } from '../src/log.js';
import { createAccount } from '../src/operator/account.js';
import { createToken } from '../src/operator/token.js';
import { prepareDatabase } from '../src/prepare.js';

/** A service in a process of its own, over a durable PostgreSQL that is thrown away afterwards. */
export interface Stage {
  /** Base address of the REST surface. */
  base: string;
  organizationId: string;
  token: string;
  pool: pg.Pool;
  connectionString: string;
  /** Where the server may read and write files. */
  folder: string;
  /** Process of the service. */
  pid: number;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('../src/main.js', import.meta.url));

/** Sets up a stage: nothing of it is shared with another run. */
export async function openStage(settings: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-bench-'));
  await chmod(folder, 0o777);
  const log = createLog('warn');
  const server = await openEmbedded({ dataDir: join(folder, 'data'), log, durable: true });
  await prepareDatabase(server.connectionString, log);
  const pool = createPool(server.connectionString, { max: 8 });
  const organizationId = await createAccount(
    pool,
    AccountType.organization,
    { username: 'bench', email: 'bench@example.com' },
    new Date(),
  );
  const { token } = await createToken(pool, { organizationId }, new Date());
  const service = spawn(process.execPath, [...process.execArgv, program, 'serve', '--json'], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: server.connectionString,
      SECRET_KEY: 'bench',
      PORT: '0',
      RATE_LIMIT: '0',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  return {
    base: `${url}/ddp/v1`,
    organizationId,
    token,
    pool,
    connectionString: server.connectionString,
    folder,
    pid: service.pid!,
    async close() {
      service.kill('SIGTERM');
      await once(service, 'exit');
      await pool.end();
      await server.close();
      for (const path of [server.data, folder]) await rm(path, { recursive: true, force: true });
    },
  };
}
