import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ended, runCommand, startCommand } from '../../support/command.js';
import { createDatabase } from '../../support/server.js';
import { hasFirstBuild, makeFirstBuild } from '../first-build.js';
import { applicationId, deviceId, hookId, makeFirstRelease, organizationId } from '../first-release.js';

const token = `ddp_${'a'.repeat(43)}`;

/** Starts a receiver that accepts all hook calls, and collects the levels of their records. */
async function openReceiver() {
  const levels = new Set<number>();
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const [, level] = /"level":(\d+)/.exec(await text(request)) ?? [];
    levels.add(Number(level));
    response.end();
  };
  const server: Server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { levels, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Returns the address of a service that was started with `serve --json`. */
async function addressOf(service: ChildProcess): Promise<string> {
  service.stderr!.resume();
  const [line] = (await once(createInterface(service.stdout!), 'line')) as [string];
  return (JSON.parse(line) as { url: string }).url;
}

async function call(origin: string, path: string, body?: object): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(`${origin}/ddp/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, answer: withoutTook(await response.json()) };
}

const withoutTook = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value: unknown) => (key === 'took' ? undefined : value)));

const own = (thing: string) => `/${thing}/${organizationId}`;
const search = (from: number, to: number, query: object) =>
  [
    `${own('applications')}/${applicationId}/search`,
    { ts: { gte: from, lte: to }, queries: [{ products: [], ...query }] },
  ] as const;

/** Requests to both builds, about times for which both have the same records. */
const questions = (now: number): readonly (readonly [string, object?])[] => {
  const [from, to] = [now - 60 * 3600, now - 12 * 3600];
  return [
    ['/account'],
    [`${own('organizations')}/devices?limit=50&sort=serial`],
    [`${own('devices')}/${deviceId}`],
    [`${own('organizations')}/products`],
    [`${own('organizations')}/applications`],
    [`${own('applications')}/${applicationId}/devices?limit=20`],
    [`${own('applications')}/${applicationId}/hooks`],
    search(from, to, { size: 20, sort: [{ ts: 'desc' }, { _id: 'desc' }] }),
    search(from, to, {
      size: 0,
      aggs: {
        hours: {
          date_histogram: { field: 'ts', fixed_interval: '1h' },
          aggs: { level: { stats: { field: 'data.level' } } },
        },
      },
    }),
    search(from, to, {
      query: { range: { 'data.level': { gte: 990 } } },
      size: 5,
      sort: [{ ts: 'asc' }, { _id: 'asc' }],
    }),
  ];
};

(hasFirstBuild() ? describe : describe.skip)('process of 0.1.0 during the migration to this build', () => {
  let folder: string;
  let database: pg.Client;
  let settings: Record<string, string>;
  let receiver: Awaited<ReturnType<typeof openReceiver>>;
  let first: ChildProcess;
  let firstOrigin: string;
  let current: ChildProcess | undefined;
  const ingested: number[] = [];

  beforeAll(async () => {
    const url = await createDatabase({ template: false });
    database = new pg.Client({ connectionString: url });
    await database.connect();
    await makeFirstRelease(database, { devices: 500, records: 10_000, deliveries: 10_000 });
    await database.query(
      `insert into api_token (id, organization_id, scope, hash, prefix, created_at)
         values (gen_random_uuid(), $1, 'full', $2, 'ddp_aaaa', now())`,
      [organizationId, createHash('sha256').update(token).digest()],
    );
    receiver = await openReceiver();
    await database.query('update hook set url = $1 where id = $2', [receiver.url, hookId]);
    settings = {
      DATABASE_URL: url,
      PORT: '0',
      PUBLIC_URL: 'http://upgrade.example',
      SECRET_KEY: 'a key for this test alone',
      RATE_LIMIT: '0',
      HOOK_ALLOW_CIDRS: '127.0.0.0/8',
      LOG_LEVEL: 'fatal',
    };
    folder = await mkdtemp(join(tmpdir(), 'ddp-first-'));
    const program = await makeFirstBuild(folder);
    first = spawn(process.execPath, [program, 'serve', '--json'], {
      env: { PATH: process.env['PATH'], ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    firstOrigin = await addressOf(first);
  });

  afterAll(async () => {
    for (const service of [first, current]) service?.kill('SIGKILL');
    receiver?.server.close();
    receiver?.server.closeAllConnections();
    await database?.end();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const ingest = async (origin: string): Promise<void> => {
    const data = { level: ingested.length };
    const { status } = await call(origin, `${own('organizations')}/records`, {
      serial: '00000000',
      key: `${ingested.length}`,
      data,
    });
    expect(status).toBe(200);
    ingested.push(data.level);
  };

  it('returns 200 for every request', async () => {
    let over = false;
    const migrated = runCommand(['migrate'], settings).finally(() => (over = true));
    const asked = questions(Date.now() / 1000);
    for (let i = 0; !over; i++) {
      await ingest(firstOrigin);
      const [path, body] = asked[i % asked.length]!;
      const { status, answer } = await call(firstOrigin, path, body);
      if (status !== 200) expect({ path, answer }).toBeUndefined();
    }
    expect(await migrated).toMatchObject({ code: 0 });
    expect(ingested.length).toBeGreaterThan(asked.length);
  });

  it('returns the same answers as the new build', async () => {
    current = startCommand(['serve', '--json'], settings);
    const origin = await addressOf(current);
    for (const [path, body] of questions(Date.now() / 1000)) {
      expect({ path, ...(await call(origin, path, body)) }).toEqual({
        path,
        ...(await call(firstOrigin, path, body)),
      });
    }
    for (let i = 0; i < 10; i++) await ingest(i % 2 === 0 ? origin : firstOrigin);
    const now = Date.now() / 1000;
    const mine = search(now - 600, now + 60, {
      query: { term: { 'device.id': deviceId } },
      size: 0,
      track_total_hits: true,
      aggs: { levels: { value_count: { field: 'data.level' } } },
    });
    expect(await call(origin, ...mine)).toEqual(await call(firstOrigin, ...mine));
  });

  it('leaves every record stored, with its hook call', async () => {
    first.kill('SIGTERM');
    expect(await ended(first)).toBe(0);
    const { rows } = await database.query<{ n: number }>(
      `select count(*)::int n from record r join record_key k on k.record_id = r.id where r.device_id = $1`,
      [deviceId],
    );
    expect(rows[0]?.n).toBe(ingested.length);
    const waiting = async () => (await database.query('select from delivery where not done')).rowCount;
    while ((await waiting()) !== 0) await pause(100);
    expect([...receiver.levels].sort()).toEqual([...ingested].sort());
  });
});
