import { beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { Client } from '../support/client.js';
import { useService } from '../support/service.js';
import { startTestService } from '../support/start-service.js';
import { createTenant, type Tenant } from '../support/tenant.js';

describe('rate limit', () => {
  const service = useService({ config: { rateLimit: 2, ingestRateLimit: 0 } });
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await createTenant(service);
  });
  /** Sends five requests at once, so that one window has them all, and returns the answers as they were counted. */
  const many = async (client: Client, path = '/account') => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.get(path)));
    const left = ({ headers }: (typeof answers)[0]) => Number(headers.get('x-ratelimit-remaining'));
    return answers.toSorted((one, other) => one.status - other.status || left(other) - left(one));
  };

  it('allows a burst of twice the rate, then returns 429 with the time to wait', async () => {
    const answers = await many(await tenant.client());
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['3', '2', '1', '0', '0']);
    const { headers, body } = answers[4]!;
    expect(body).toMatchObject({ code: 'RATE_LIMITED' });
    expect(headers.get('x-ratelimit-limit')).toBe('4');
    for (const name of ['retry-after', 'x-ratelimit-reset']) expect(['1', '2']).toContain(headers.get(name));
  });

  it('returns a Retry-After within the window even after the clock is stepped back', async () => {
    const client = await tenant.client();
    await many(client);
    const now = Date.now;
    Date.now = () => now() - 3_600_000;
    try {
      const { status, headers } = await client.get('/account');
      expect(status).toBe(429);
      expect(['1', '2']).toContain(headers.get('retry-after'));
    } finally {
      Date.now = now;
    }
  });

  it('counts each token separately', async () => {
    await many(await tenant.client());
    expect((await (await tenant.client()).get('/account')).status).toBe(200);
  });

  it('leaves a token its full rate at each service that was started apart', async () => {
    const { owner } = tenant;
    const apart = await startTestService(service.databaseUrl, { config: { rateLimit: 2 } });
    try {
      const { token } = await tenant.client();
      const here = new Client(owner.base, token);
      const there = new Client(owner.base.replace(service.url, apart.url), token);
      expect((await many(here)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
      expect((await many(there)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    } finally {
      await apart.close();
    }
  });

  it('counts requests without a valid token by address, before it returns 401', async () => {
    const answers = await many(new Client(tenant.owner.base, 'unknown'));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429]);
  });

  it('excludes unknown paths and ingestion', async () => {
    const client = await tenant.client();
    expect((await many(client, '/nowhere')).map(({ status }) => status)).toEqual(Array(5).fill(404));
    for (let count = 0; count < 5; count += 1) {
      const answer = await client.post(`/organizations/${tenant.id}/records`, []);
      expect(answer.status).toBe(200);
      expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
    }
    expect((await client.get('/account')).headers.get('x-ratelimit-remaining')).toBe('3');
  });
});

describe('rate limit of callers without a valid token', () => {
  const service = useService({ config: { rateLimit: 2, trustProxy: ['loopback'] } });
  const statusFrom = async (address: string) =>
    (await fetch(`${service.url}/ddp/v1/account`, { headers: { 'x-forwarded-for': address } })).status;
  /** Sends a request from each address at once, so that one window has them all. */
  const statusesFrom = async (addresses: string[]) => (await Promise.all(addresses.map(statusFrom))).toSorted();

  it('counts an IPv6 network of 64 bits as one address', async () => {
    const hosts = [1, 2, 3, 4, 5].map((host) => `2001:db8:0:1::${host}`);
    expect(await statusesFrom(hosts)).toEqual([401, 401, 401, 401, 429]);
    expect(await statusFrom('2001:db8:0:2::1')).toBe(401);
  });

  it('counts an IPv4 address as a whole, mapped into IPv6 too', async () => {
    const written = ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1', '::ffff:c000:201', '192.0.2.1'];
    expect(await statusesFrom(written)).toEqual([401, 401, 401, 401, 429]);
    expect(await statusFrom('::ffff:192.0.2.2')).toBe(401);
  });

  it('counts an address once whatever port the proxy appends to it', async () => {
    const ports = [50123, 50124, 50125, 50126, 50127];
    expect(await statusesFrom(ports.map((port) => `203.0.113.5:${port}`))).toEqual([401, 401, 401, 401, 429]);
    expect(await statusesFrom(ports.map((port) => `[2001:db8:5::1]:${port}`))).toEqual([401, 401, 401, 401, 429]);
    expect(await statusFrom('203.0.113.5')).toBe(429);
    expect(await statusFrom('203.0.113.6:50123')).toBe(401);
  });

  it('counts the address before a trusted proxy that appends its port', async () => {
    const hops = [1, 2, 3, 4, 5].map((port) => `203.0.113.9:${port}, 127.0.0.1:${port}`);
    expect(await statusesFrom(hops)).toEqual([401, 401, 401, 401, 429]);
  });

  it('counts an invalid client address under the address of the proxy that sent it', async () => {
    const texts = ['unknown', '_hidden', '203.0.113.500', '1.2.3.4:5:6', 'somebody'];
    expect(await statusesFrom(texts)).toEqual([401, 401, 401, 401, 429]);
  });
});

describe('default rate limit', () => {
  const service = useService({ config: { rateLimit: readConfig({}).rateLimit } });

  it('allows 500 requests per second for a token, and 50 for an address without a valid one', async () => {
    const { owner } = await createTenant(service);
    const limitOf = async (client: Client) => (await client.get('/account')).headers.get('x-ratelimit-limit');
    expect(await limitOf(owner)).toBe('1000');
    expect(await limitOf(new Client(owner.base, 'unknown'))).toBe('100');
  });
});

describe('ingestion rate limit', () => {
  const service = useService({ config: { rateLimit: 0, ingestRateLimit: 1 } });

  it('counts only ingestion', async () => {
    const tenant = await createTenant(service);
    const post = () => tenant.owner.post(`/organizations/${tenant.id}/records`, []);
    const answers = await Promise.all([post(), post(), post()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
    expect((await tenant.owner.get('/account')).status).toBe(200);
  });
});
