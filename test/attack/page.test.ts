import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { useService } from '../support/service.js';

const direct = useService({});
const proxied = useService({ config: { trustProxy: ['loopback'] } });
const guarded = useService({ config: { metricsToken: 'open sesame' } });

/** Returns the status of a GET with these headers, including `Host`, which fetch cannot send. */
const statusOf = (url: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });

describe('/metrics without a metrics token', () => {
  it('returns 200 to a program on the same machine', async () => {
    expect(await statusOf(`${direct.url}/metrics`)).toBe(200);
    expect(await statusOf(`${direct.url}/metrics`, { Host: 'localhost:4000' })).toBe(200);
  });

  it.each([
    { Host: 'iot.example.com' },
    { 'X-Forwarded-For': '203.0.113.7' },
    { Forwarded: 'for=203.0.113.7' },
    { Via: '1.1 proxy' },
    { 'X-Real-IP': '203.0.113.7' },
  ])('returns 403 through a proxy on the same machine, detected by %j', async (headers) => {
    expect(await statusOf(`${direct.url}/metrics`, headers as unknown as Record<string, string>)).toBe(403);
  });

  it('returns 403 to everybody when a proxy is trusted', async () => {
    expect(await statusOf(`${proxied.url}/metrics`)).toBe(403);
  });

  it('returns 200 through a proxy with the metrics token when one is set', async () => {
    const headers = { Authorization: 'Bearer open sesame', 'X-Forwarded-For': '203.0.113.7', Host: 'iot.example.com' };
    expect(await statusOf(`${guarded.url}/metrics`, headers)).toBe(200);
  });
});

describe('clickjacking protection', () => {
  it.each(['/graphql', '/ddp/v1/docs', '/avatars/someone.svg'])('forbids framing of %s', async (path) => {
    const { status, headers } = await fetch(`${direct.url}${path}`, { headers: { accept: 'text/html,*/*' } });
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});
