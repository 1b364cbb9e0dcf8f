import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ended, startCommand } from '../../support/command.js';

/** `npm run test:faults` kills twenty times, `npm test` twice. */
const kills = Number(process.env['FAULT_ROUNDS'] ?? 2);
const clients = 3;
/** The small batch is stored by one statement, the large one with COPY. */
const batchSizes = [20, 200];
/** Batches that must be acknowledged between two kills. */
const batchesBetween = 5;

interface Ready {
  url: string;
  id?: string;
  token?: string;
  serial?: string;
  applicationId?: string;
}

let dataDir: string;
let service: ChildProcess;
let url: string;
let token: string;
let organization: string;
let serial: string;

const start = async (): Promise<Ready> => {
  service = startCommand(['serve', '--json'], { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT: '0' });
  const [line] = (await once(service.stdout!, 'data')) as [Buffer];
  const ready = JSON.parse(line.toString()) as Ready;
  url = `${ready.url}/ddp/v1`;
  return ready;
};

const call = (method: string, path: string, body: object) =>
  fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const server = async (): Promise<{ pid: number; address: string }> => {
  const data = (await readFile(join(dataDir, 'postgres.path'), 'utf8')).trim();
  const [pid, , , port] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
  const key = await readFile(join(dataDir, 'postgres.key'), 'utf8');
  return { pid: Number(pid), address: `postgresql://ddp:${key.trim()}@127.0.0.1:${port}/ddp` };
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ddp-faults-'));
  await chmod(dataDir, 0o755);
  const first = await start();
  token = first.token!;
  organization = first.id!;
  serial = first.serial!;
  // Nothing listens there, so the deliveries wait and can be counted.
  const hook = { url: 'http://127.0.0.1:9/' };
  const made = await call('POST', `/applications/${organization}/${first.applicationId}/hooks`, hook);
  expect(made.status).toBe(200);
}, 180_000);

afterAll(async () => {
  service.kill('SIGTERM');
  await ended(service);
  const elsewhere = (await readFile(join(dataDir, 'postgres.path'), 'utf8')).trim();
  for (const folder of [elsewhere, dataDir]) await rm(folder, { recursive: true, force: true });
});

/** The records that the service has acknowledged. */
const acknowledged = new Set<number>();
const statuses = new Set<number>();
let batches = 0;
let next = 0;
let over = false;

/** Posts batches until the load ends. Each batch is repeated until the service returns 200. */
const load = async (): Promise<void> => {
  while (!over) {
    const size = batchSizes[batches % batchSizes.length];
    const numbers = Array.from({ length: size! }, () => next++);
    const items = numbers.map((n) => ({ serial, key: `${n}`, data: { n } }));
    while (!(await postOnce(items))) await pause(50);
    for (const n of numbers) acknowledged.add(n);
    batches++;
  }
};

/** Returns whether the service answered a batch with 200. After a broken connection, the batch may be stored or not. */
const postOnce = async (items: object[]): Promise<boolean> => {
  const response = await call('POST', `/organizations/${organization}/records`, items).catch(() => undefined);
  const text = await response?.text().catch(() => undefined);
  if (!response || text === undefined) return false;
  statuses.add(response.status);
  if (response.status !== 200) return false;
  const { accepted, duplicates } = JSON.parse(text) as { accepted: number; duplicates: number };
  expect(accepted + duplicates).toBe(items.length);
  return true;
};

const answered = async (count: number): Promise<void> => {
  for (const until = batches + count; batches < until; ) await pause(20);
};

describe(`ingestion while service and PostgreSQL are killed ${kills} times`, () => {
  it(
    'stores every acknowledged record exactly once, with its delivery',
    async () => {
      const running = Promise.all(Array.from({ length: clients }, load));
      for (let kill = 0; kill < kills; kill++) {
        await Promise.race([answered(batchesBetween), running]);
        if (kill % 2 === 0) {
          service.kill('SIGKILL');
          await ended(service);
          await start();
        } else process.kill((await server()).pid, 'SIGKILL');
      }
      await Promise.race([answered(batchesBetween), running]);
      over = true;
      await running;

      const db = new pg.Client({ connectionString: (await server()).address });
      await db.connect();
      const { rows } = await db.query<{ n: number; records: number; deliveries: number }>(`
        select (r.data ->> 'n')::int as n, count(distinct r.id)::int as records, count(d.id)::int as deliveries
        from record r left join delivery d on d.record_id = r.id group by 1`);
      await db.end();
      const stored = new Map(rows.map((row) => [row.n, row]));
      const wrong = [...acknowledged].filter((n) => {
        const row = stored.get(n);
        return row?.records !== 1 || row.deliveries !== 1;
      });
      expect(wrong).toEqual([]);
      expect(acknowledged.size).toBeGreaterThanOrEqual(kills * batchesBetween * batchSizes[0]!);
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    },
    60_000 + kills * 30_000,
  );
});
