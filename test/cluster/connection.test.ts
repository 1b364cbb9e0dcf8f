import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { runCommand } from '../support/command.js';
import { useDatabase } from '../support/database.js';
import { recordIndexSettings } from '../support/record-index.js';
import { startTestService } from '../support/start-service.js';
import { createTenant } from '../support/tenant.js';
import { until } from '../support/until.js';
import { countDocuments } from './index-reader.js';

const database = useDatabase();
const node = () => process.env['OPENSEARCH_URL']!.split(',')[0]!;
const prefix = () => new URL(database.url).pathname.slice(1);

/** A self-signed certificate for 127.0.0.1, used in tests only. */
const [certFile, keyFile] = ['test/data/tls/cert.pem', 'test/data/tls/key.pem'];
const [user, password] = ['ddp', 'p@ss:word/'];
const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Two TLS proxies to the cluster that require user and password. */
const servers: Server[] = [];
const seen = { let: [0, 0], refused: 0 };

const open = async (place: number): Promise<void> => {
  const { hostname, port } = new URL(node());
  const tls = { key: readFileSync(keyFile), cert: readFileSync(certFile) };
  const server = createServer(tls, (asked, answer) => {
    if (asked.headers.authorization !== wanted) {
      seen.refused++;
      answer.writeHead(401).end('{}');
      return;
    }
    seen.let[place]!++;
    const { method, url: path, headers } = asked;
    const on = request({ hostname, port, method, path, headers }, (given) => {
      answer.writeHead(given.statusCode!, given.headers);
      given.pipe(answer);
    });
    on.on('error', () => answer.destroy());
    asked.pipe(on);
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
};

const settings = (given = `${user}:${encodeURIComponent(password)}@`) => ({
  ...recordIndexSettings(database.url),
  DATABASE_URL: database.url,
  OPENSEARCH_URL: servers
    .map((server) => `https://${given}127.0.0.1:${(server.address() as AddressInfo).port}`)
    .join(','),
  OPENSEARCH_CA: certFile,
});

beforeAll(async () => {
  await open(0);
  await open(1);
});
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

const oneHit = { status: 200, body: { responses: [{ hits: { total: { value: 1 } } }] } };

const deadLetters = (environment: Readonly<Record<string, string>>) =>
  runCommand(['index', 'dead-letters', '--json'], environment);

describe('cluster over TLS with user and password', () => {
  it('indexes and searches through every address with the certificates of OPENSEARCH_CA', async () => {
    const { cluster } = readConfig({ ...settings(), SECRET_KEY: 'a key for tests' });
    const service = await startTestService(database.url, { config: { cluster: cluster! } });
    try {
      const { owner, id } = await createTenant({ url: service.url, databaseUrl: database.url });
      const device = await owner.post<{ id: string }>(`/organizations/${id}/devices/a1`);
      const application = await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'a' });
      const path = `/applications/${id}/${application.body.id}`;
      await owner.put(`${path}/devices/${device.body.id}`);
      const answer = await owner.post(`/organizations/${id}/records`, [{ serial: 'a1', data: { n: 1 } }]);
      expect(answer.status).toBe(200);
      await until(async () => (await countDocuments(database.url)) === 1);
      const query = { ts: { gte: 0, lte: 4e9 }, queries: [{ products: [], size: 1 }] };
      // The client alternates between the two addresses.
      do expect(await owner.post(`${path}/search`, query)).toMatchObject(oneHit);
      while (seen.let.includes(0));
      expect(seen.refused).toBe(0);
    } finally {
      await service.close();
    }
    expect(await deadLetters(settings())).toMatchObject({ code: 0 });
  }, 120_000);

  it('fails with the reason when the certificate is unknown or the password is wrong', async () => {
    const { OPENSEARCH_CA: _, ...without } = settings();
    const unknown = await deadLetters(without);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(/certificate/) });
    const wrong = await deadLetters(settings('ddp:wrong@'));
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/401|Response Error|[Uu]nauthorized/) });
  }, 120_000);
});

describe('cluster with indices of a newer release', () => {
  it('makes the service and commands stop with advice', async () => {
    const index = `${prefix()}-records-2-2026.01`;
    expect((await fetch(`${node()}/${index}`, { method: 'PUT' })).status).toBe(200);
    try {
      const said = new RegExp(`indices of version 2 \\(${prefix()}-records-\\*\\).*OPENSEARCH_INDEX_PREFIX`);
      await expect(startTestService(database.url)).rejects.toThrow(said);
      const environment = { ...recordIndexSettings(database.url), DATABASE_URL: database.url };
      expect(await deadLetters(environment)).toMatchObject({ code: 1, stderr: expect.stringMatching(said) });
    } finally {
      await fetch(`${node()}/${index}`, { method: 'DELETE' });
    }
  }, 120_000);
});
