import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { Registry } from 'prom-client';
import sql from 'sql-template-tag';
import { createLog } from '#common/log.js';
import { openEmbedded } from '#database/embedded.js';
import { createPool } from '#database/pools.js';
import { prepareDatabase } from '#database/prepare.js';
import { transaction } from '#database/transaction.js';
import { newId } from '#entities/id.js';
import { createHooks, dispatcherSession, type Hooks } from '#hooks/hooks.js';
import type { HookRecord, RecordDevice } from '#hooks/message.js';
import { countRecords, scanRecords } from '#records/postgres/log/scan.js';
import { matchRecords } from '#records/postgres/search/match.js';

/** Number of hooks that the work is spread over, each with a device of its own. */
const hookCount = 50;

/** A durable, temporary PostgreSQL, a receiver in a separate process, and hooks that call it. */
export interface HookStage {
  pool: pg.Pool;
  connectionString: string;
  /** Origin of the receiver. */
  receiver: string;
  devices: readonly RecordDevice[];
  hookIds: readonly string[];
  /** Returns the number of statements that the dispatcher has sent. */
  statements(): number;
  /** Creates hook delivery over this stage. The caller starts and closes it. */
  hooks(): Hooks;
  /**
   * Stores the deliveries of `count` records in one transaction. The records are spread over the devices, starting at
   * index `from`.
   */
  store(hooks: Hooks, count: number, from?: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a stage.
 * @param hanging whether the first hook's receiver never answers.
 */
export async function openHookStage({ hanging = false } = {}): Promise<HookStage> {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-bench-'));
  await chmod(folder, 0o777);
  const log = createLog('warn');
  const server = await openEmbedded({ dataDir: join(folder, 'data'), log, durable: true });
  await prepareDatabase(server.connectionString, log);
  const pool = createPool(server.connectionString, { max: 8 });
  const dispatcherPool = createPool(server.connectionString, { max: 4, session: dispatcherSession });
  let statements = 0;
  const counted = new Proxy(dispatcherPool, {
    get(target, key) {
      if (key === 'query') statements++;
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const [child, receiver] = await startReceiver();
  const { devices, hookIds } = await seed(pool, (index) => `${receiver}/${hanging && index === 0 ? 'hang' : index}`);
  return {
    pool,
    connectionString: server.connectionString,
    receiver,
    devices,
    hookIds,
    statements: () => statements,
    hooks: () =>
      createHooks({
        pool,
        dispatcherPool: counted,
        clock: Date.now,
        random: Math.random,
        log,
        secretKeys: ['bench'],
        schedule: [60_000],
        timeout: 10_000,
        addresses: { allow: ['127.0.0.0/8'], deny: [] },
        httpsOnly: false,
        retention: 30 * 24 * 3600_000,
        registry: new Registry(),
        match: matchRecords,
        lookups: 8,
        scan: scanRecords,
        count: countRecords,
      }),
    async store(hooks, count, from = 0) {
      const records = Array.from({ length: count }, (_, index) => recordOf(devices[(from + index) % hookCount]!));
      await transaction(pool, async (tx) => (await hooks.planDeliveries(tx, records))?.write());
    },
    async close() {
      child.kill();
      await Promise.all([pool.end(), dispatcherPool.end()]);
      await server.close();
      for (const path of [server.data, folder]) await rm(path, { recursive: true, force: true });
    },
  };
}

const recordOf = (device: RecordDevice): HookRecord => ({
  id: newId(),
  ts: Date.now() / 1000,
  metadata: { rssi: -90, snr: 7.5, provider: 'lora' },
  data: { temperature: 21.5, humidity: 40, battery: 3.61 },
  device,
});

/** Starts a receiver in a separate process. Returns the process and its origin. */
export async function startReceiver(): Promise<[ChildProcess, string]> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./receiver.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return [child, `http://127.0.0.1:${port.toString().trim()}`];
}

async function seed(pool: pg.Pool, urlOf: (index: number) => string) {
  const organizationId = newId();
  await pool.query(sql`insert into account (id, type, username, email, created_at, updated_at)
    values (${organizationId}, 'organization', 'bench', 'bench@example.org', now(), now())`);
  const devices: RecordDevice[] = [];
  const hookIds: string[] = [];
  for (let index = 0; index < hookCount; index++) {
    const [applicationId, deviceId, hookId] = [newId(), newId(), newId()];
    const serial = (0x1000 + index).toString(16);
    await pool.query(sql`insert into application (id, organization_id, name, slug, created_at, updated_at)
      values (${applicationId}, ${organizationId}, 'bench', 'bench', now(), now())`);
    await pool.query(sql`insert into device (id, organization_id, serial, slug, created_at, updated_at)
      values (${deviceId}, ${organizationId}, ${serial}, ${serial}, now(), now())`);
    await pool.query(sql`insert into application_device (organization_id, application_id, device_id)
      values (${organizationId}, ${applicationId}, ${deviceId})`);
    await pool.query(sql`insert into hook (id, organization_id, application_id, url, created_at, updated_at)
      values (${hookId}, ${organizationId}, ${applicationId}, ${urlOf(index)}, now(), now())`);
    devices.push({ id: deviceId, serial, organizationId });
    hookIds.push(hookId);
  }
  return { devices, hookIds };
}
