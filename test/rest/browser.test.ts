import { describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { useService } from '../support/service.js';
import { createTenant } from '../support/tenant.js';

describe('CORS', () => {
  const service = useService({ config: { corsOrigins: ['https://app.example'] } });
  const preflight = (origin: string) =>
    request(`${service.url}/ddp/v1/account`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' },
    });

  it('allows requests from a configured origin', async () => {
    const { statusCode, headers } = await preflight('https://app.example');
    expect(statusCode).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
    expect(headers['access-control-allow-methods']).toMatch('PUT');
    expect(headers['access-control-allow-headers']).toMatch(/authorization/i);
    expect(headers.vary).toMatch(/origin/i);
  });

  it('exposes X-Total-Count to a configured origin, also on errors', async () => {
    const { headers } = await request(`${service.url}/ddp/v1/account`, { headers: { origin: 'https://app.example' } });
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
    expect(headers['access-control-expose-headers']).toMatch('X-Total-Count');
  });

  it('sends no CORS headers to other origins', async () => {
    const { headers } = await preflight('https://other.example');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('GET /avatars/:id.svg', () => {
  const service = useService();

  it("returns an immutable SVG image at the account's avatarURL without a token", async () => {
    const { owner } = await createTenant(service);
    const { body } = await owner.get<{ avatarURL: string }>('/account');
    const { statusCode, headers, body: image } = await request(body.avatarURL);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('image/svg+xml');
    expect(headers['cache-control']).toMatch('max-age=31536000');
    const svg = await image.text();
    expect(svg).toMatch(/^<svg [^>]*>(<rect [^>]*>)+<\/svg>$/);
    expect(await (await request(body.avatarURL)).body.text()).toBe(svg);
  });

  it('returns different images for different accounts', async () => {
    const [one, other] = await Promise.all(
      ['a', 'b'].map(async (id) => (await request(`${service.url}/avatars/${id}.svg`)).body.text()),
    );
    expect(one).not.toBe(other);
  });
});
