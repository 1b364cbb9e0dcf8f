import { describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { useService } from '../support/service.js';
import { createTenant } from '../support/tenant.js';

describe('pages of other origins', () => {
  const service = useService({ config: { corsOrigins: ['https://app.example'] } });
  const preflight = (origin: string) =>
    request(`${service.url}/ddp/v1/account`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' },
    });

  it('may call where they are named', async () => {
    const { statusCode, headers } = await preflight('https://app.example');
    expect(statusCode).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
    expect(headers['access-control-allow-methods']).toMatch('PUT');
    expect(headers['access-control-allow-headers']).toMatch(/authorization/i);
    expect(headers.vary).toMatch(/origin/i);
  });

  it('may read the headers that matter, of errors too', async () => {
    const { headers } = await request(`${service.url}/ddp/v1/account`, { headers: { origin: 'https://app.example' } });
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
    expect(headers['access-control-expose-headers']).toMatch('X-Total-Count');
  });

  it('get nothing where they are not', async () => {
    const { headers } = await preflight('https://other.example');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('avatars', () => {
  const service = useService();

  it('are images at the address that an account names, for everybody, and never change', async () => {
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

  it('differ between accounts', async () => {
    const [one, other] = await Promise.all(
      ['a', 'b'].map(async (id) => (await request(`${service.url}/avatars/${id}.svg`)).body.text()),
    );
    expect(one).not.toBe(other);
  });
});
