import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '#common/log.js';
import { type Embedded, openEmbedded } from '#database/embedded.js';
import { ended, runCommand, startCommand } from '../../support/command.js';
import { createTenant } from '../../support/tenant.js';

let dataDir: string;
let server: Embedded;
const started: ChildProcess[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ddp-small-'));
  await chmod(dataDir, 0o755);
  const settings = { max_connections: '22', superuser_reserved_connections: '3', max_wal_senders: '0' };
  server = await openEmbedded({ dataDir, log: createLog('fatal'), durable: false, settings });
});

afterAll(async () => {
  for (const child of started) child.kill('SIGTERM');
  await Promise.all(started.map(ended));
  await server.close();
  const elsewhere = (await readFile(join(dataDir, 'postgres.path'), 'utf8')).trim();
  for (const folder of [elsewhere, dataDir]) await rm(folder, { recursive: true, force: true });
});

const settings = (more: Readonly<Record<string, string>> = {}) => ({
  DATABASE_URL: server.connectionString,
  SECRET_KEY: 'a key for tests',
  PORT: '0',
  RATE_LIMIT: '0',
  CONNECTIONS_PER_ADDRESS: '0',
  ...more,
});

describe('a database that allows 22 connections', () => {
  it('answers 440 calls of all kinds at once, none with 503', async () => {
    const child = startCommand(['serve', '--json'], settings());
    started.push(child);
    const log = createInterface(child.stderr!);
    const lines: string[] = [];
    log.on('line', (line) => lines.push(line));
    const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    expect(lines.join('\n')).toContain('The database allows 19 connections (max_connections).');
    const { owner, id } = await createTenant({ url, databaseUrl: server.connectionString });
    const { body: application } = await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'A' });
    await owner.post(`/organizations/${id}/devices/a0-01`, {});
    const search = `/applications/${id}/${application.id}/search`;
    const queries = [{ products: [], size: 10, aggs: { a: { terms: { field: 'data.n' } } } }];
    const calls = Array.from({ length: 55 }, (_, n) => [
      owner.post(`/organizations/${id}/records`, { serial: 'a0-01', data: { n } }),
      owner.post(`/organizations/${id}/teams`, { name: `Team ${n}` }),
      owner.get(`/organizations/${id}/devices?limit=1`),
      owner.get(`/organizations/${id}/teams?q=Team`),
      owner.post(search, { ts: { gte: 1, lte: 4_000_000_000 }, queries }),
      owner.get('/account'),
      owner.get(`/applications/${id}/${application.id}/export?format=csv&from=0`),
      owner.get(`/organizations/${id}/audit`),
    ]);
    const statuses = (await Promise.all(calls.flat())).map(({ status }) => status);
    expect(statuses).toHaveLength(440);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  it('refuses a start with more connections than the database allows, and says so', async () => {
    const { code, stderr } = await runCommand(['serve'], settings({ DATABASE_CONNECTIONS: '40' }));
    expect(code).toBe(1);
    expect(stderr).toContain('Set DATABASE_CONNECTIONS to 19 or less, or raise max_connections.');
  });
});
