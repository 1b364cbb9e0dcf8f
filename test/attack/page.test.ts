import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { useService } from '../support/service.js';

const direct = useService({});
const proxied = useService({ config: { trustProxy: ['loopback'] } });
const guarded = useService({ config: { metricsToken: 'open sesame' } });

/** Status of a GET with these headers, `Host` among them, which fetch does not send. */
const statusOf = (url: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });

describe('/metrics without a token', () => {
  it('answers a program of this machine', async () => {
    expect(await statusOf(`${direct.url}/metrics`)).toBe(200);
    expect(await statusOf(`${direct.url}/metrics`, { Host: 'localhost:4000' })).toBe(200);
  });

  it.each([
    { Host: 'iot.example.com' },
    { 'X-Forwarded-For': '203.0.113.7' },
    { Forwarded: 'for=203.0.113.7' },
    { Via: '1.1 proxy' },
    { 'X-Real-IP': '203.0.113.7' },
  ])('does not answer through a proxy of this machine, which tells itself by %j', async (headers) => {
    expect(await statusOf(`${direct.url}/metrics`, headers as unknown as Record<string, string>)).toBe(403);
  });

  it('answers nobody where a proxy is trusted', async () => {
    expect(await statusOf(`${proxied.url}/metrics`)).toBe(403);
  });

  it('answers through a proxy with the token', async () => {
    const headers = { Authorization: 'Bearer open sesame', 'X-Forwarded-For': '203.0.113.7', Host: 'iot.example.com' };
    expect(await statusOf(`${guarded.url}/metrics`, headers)).toBe(200);
  });
});

describe('every page', () => {
  it.each(['/graphql', '/ddp/v1/docs', '/avatars/someone.svg'])('%s may be framed by none', async (path) => {
    const { status, headers } = await fetch(`${direct.url}${path}`, { headers: { accept: 'text/html,*/*' } });
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});
