import { afterEach, describe, expect, it } from '@jest/globals';
import { AccountType } from '#entities/enums.js';
import { createAccount, setDisabled } from '#operator/account.js';
import { useWorld } from '../support/world.js';
import { callbackOf, client, useProvider } from './provider.js';
import { Visitor } from './visitor.js';

const provider = useProvider();
/** Milliseconds by which the clock of the service is ahead. */
let late = 0;
const world = useWorld({
  clock: () => Date.now() + late,
  config: {
    trustProxy: ['loopback'],
    get oidc() {
      const settings = { clientId: client.id, clientSecret: client.secret, domains: ['corp.example'] };
      return [
        { ...settings, number: 1, issuer: provider.issuer, name: 'Test <ID>' },
        { ...settings, number: 2, issuer: 'http://127.0.0.1:9', name: 'Away' },
      ];
    },
  },
});

afterEach(() => {
  late = 0;
  provider.forge = undefined;
  provider.intercept.clear();
});

let count = 0;
const fresh = () => `person-${process.pid}-${++count}`;

/** A user of the platform with an address of the domain that links accounts. */
async function user() {
  const name = fresh();
  const email = `${name}@corp.example`;
  const id = await createAccount(world.pool, AccountType.user, { username: name, email }, new Date());
  return { id, email, sub: fresh() };
}

async function signIn(person: Record<string, unknown> & { sub: string }, visitor = new Visitor(world.url)) {
  provider.person = person;
  return { visitor, page: await visitor.get(await callbackOf(provider, visitor)) };
}

describe('sign-in by a provider', () => {
  it('redirects the browser with PKCE, state and nonce, and puts none of them into the callback address', async () => {
    const { headers, status } = await new Visitor(world.url).get('/auth/start?provider=1');
    const { searchParams } = new URL(String(headers.location));
    expect(status).toBe(302);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: client.id,
      response_type: 'code',
      redirect_uri: `${world.url}/auth/callback`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{100,400}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('links a verified address of the domain with its account once, and knows the person by subject from then on', async () => {
    const { id, email, sub } = await user();
    const { visitor, page } = await signIn({ sub, email: email.toUpperCase(), email_verified: true });
    expect([page.status, page.headers.location]).toEqual([303, '/console/']);
    expect((await visitor.session())?.userId).toBe(id);
    const again = await signIn({ sub, email: 'other@elsewhere.example' });
    expect((await again.visitor.session())?.userId).toBe(id);
    const thief = await signIn({ sub: fresh(), email, email_verified: true });
    expect([thief.page.status, await thief.visitor.session()]).toEqual([403, null]);
  });

  it.each([
    ['an absent address', {}],
    ['an address that is not verified', { email: true, email_verified: false }],
    ['an address whose verification is a text', { email: true, email_verified: 'true' }],
    ['an address without a word of its verification', { email: true }],
  ])('links no account by %s', async (_name, { email, ...claims }: Record<string, unknown>) => {
    const person = await user();
    const { visitor, page } = await signIn({ sub: person.sub, ...(email ? { email: person.email } : {}), ...claims });
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('invite')]);
    expect(await visitor.session()).toBeNull();
  });

  it('links neither an account with an address of another domain nor an organization', async () => {
    const name = fresh();
    const account = { username: name, email: `${name}@elsewhere.example` };
    await createAccount(world.pool, AccountType.user, account, new Date());
    expect((await signIn({ sub: fresh(), email: account.email, email_verified: true })).page.status).toBe(403);
    const organization = { username: fresh(), email: `${fresh()}@corp.example` };
    await createAccount(world.pool, AccountType.organization, organization, new Date());
    expect((await signIn({ sub: fresh(), email: organization.email, email_verified: true })).page.status).toBe(403);
  });

  it('refuses a disabled user', async () => {
    const { id, email, sub } = await user();
    await signIn({ sub, email, email_verified: true });
    await setDisabled(world.pool, AccountType.user, id, true, new Date());
    expect((await signIn({ sub })).page.status).toBe(403);
  });

  it('reads the address from the userinfo endpoint if the ID token has none', async () => {
    const { id, email, sub } = await user();
    provider.forge = ({ email: _, email_verified: __, ...claims }) => claims;
    const { visitor } = await signIn({ sub, email, email_verified: true });
    expect((await visitor.session())?.userId).toBe(id);
  });

  it('accepts a provider that rotated its keys', async () => {
    const { id, email, sub } = await user();
    await signIn({ sub, email, email_verified: true });
    provider.rotate();
    const { visitor } = await signIn({ sub });
    expect((await visitor.session())?.userId).toBe(id);
  });

  it.each([
    ['20 s fast', 20, 303],
    ['20 s slow', -20, 303],
    ['a day fast', 86_400, 403],
    ['a day slow', -86_400, 403],
  ])('answers a provider whose clock is %s', async (_name, seconds, status) => {
    const { email, sub } = await user();
    provider.forge = ({ iat, exp, ...claims }) => ({
      ...claims,
      iat: Number(iat) + seconds,
      nbf: Number(iat) + seconds,
      exp: Number(exp) + seconds,
    });
    expect((await signIn({ sub, email, email_verified: true })).page.status).toBe(status);
  });
});

it.each([
  ['20 s', 20, 303],
  ['40 s', 40, 403],
])('answers a token that expired %s ago', async (_name, seconds, status) => {
  const { email, sub } = await user();
  provider.forge = (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - seconds });
  expect((await signIn({ sub, email, email_verified: true })).page.status).toBe(status);
});

describe('what a provider says that is not valid', () => {
  const forgeries: [string, (claims: Record<string, unknown>) => Record<string, unknown>][] = [
    ['another nonce', (claims) => ({ ...claims, nonce: 'another' })],
    ['no nonce', ({ nonce: _, ...claims }) => claims],
    ['another audience', (claims) => ({ ...claims, aud: 'another' })],
    ['another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['an expired token', (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 60 })],
    ['no subject', ({ sub: _, ...claims }) => claims],
    ['a subject that cannot be stored', (claims) => ({ ...claims, sub: 'a\0b' })],
  ];
  it.each(forgeries)('signs nobody in: %s', async (_name, forge) => {
    const { email, sub } = await user();
    provider.forge = forge;
    const { visitor, page } = await signIn({ sub, email, email_verified: true });
    expect([page.status, await visitor.session()]).toEqual([403, null]);
    expect(page.text).toContain('/auth/start?provider=1');
  });

  it('signs nobody in by a key that the provider does not publish', async () => {
    const { email, sub } = await user();
    provider.rotate(false);
    const { page } = await signIn({ sub, email, email_verified: true });
    expect(page.status).toBe(403);
    provider.rotate();
  });

  it("returns 503 when the provider's answer is too large or the provider is unreachable", async () => {
    provider.person = { sub: fresh() };
    const visitor = new Visitor(world.url);
    const callback = await callbackOf(provider, visitor);
    provider.intercept.set('/jwks', JSON.stringify({ keys: [], padding: 'x'.repeat(300_000) }));
    expect((await visitor.get(callback)).status).toBe(503);
    expect((await visitor.get('/auth/start?provider=2')).status).toBe(503);
  });
});

describe('the callback', () => {
  it('refuses a state that was used before, or that belongs to another browser', async () => {
    const { email, sub } = await user();
    provider.person = { sub, email, email_verified: true };
    const visitor = new Visitor(world.url);
    const callback = await callbackOf(provider, visitor);
    const other = new Visitor(world.url);
    await other.get('/auth/start?provider=1');
    expect((await other.get(callback)).status).toBe(400);
    expect((await new Visitor(world.url).get(callback)).status).toBe(400);
    expect((await visitor.get(callback)).status).toBe(303);
    expect((await visitor.get(callback)).status).toBe(400);
  });

  it.each(['/auth/callback', '/auth/callback?state=x&code=y', '/auth/callback?error=access_denied'])(
    'refuses %s',
    async (path) => {
      const visitor = new Visitor(world.url);
      await visitor.get('/auth/start?provider=1');
      expect((await visitor.get(path)).status).toBe(400);
    },
  );

  it('refuses a state after ten minutes', async () => {
    provider.person = { sub: fresh() };
    const visitor = new Visitor(world.url);
    const callback = await callbackOf(provider, visitor);
    late = 600_000;
    expect((await visitor.get(callback)).status).toBe(400);
  });

  it('says why the provider refused, in its code alone', async () => {
    const visitor = new Visitor(world.url);
    const { headers } = await visitor.get('/auth/start?provider=1');
    const state = new URL(String(headers.location)).searchParams.get('state')!;
    const iss = encodeURIComponent(provider.issuer);
    const refused = `state=${state}&iss=${iss}&error=access_denied&error_description=<b>`;
    const page = await visitor.get(`/auth/callback?${refused}`);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('access_denied')]);
    expect(page.text).not.toContain('<b>');
  });

  it('refuses the answer of another issuer (RFC 9207)', async () => {
    provider.person = { sub: fresh() };
    const visitor = new Visitor(world.url);
    const callback = (await callbackOf(provider, visitor)).replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example');
    expect((await visitor.get(callback)).status).toBe(403);
  });

  it.each([
    ['/console/devices?tag=a#x', '/console/devices?tag=a#x'],
    ['//evil.example/', '/console/'],
    ['/\\evil.example/', '/console/'],
    ['/console/..//evil.example', '/console/'],
    ['https://evil.example/', '/console/'],
    ['javascript:alert(1)', '/console/'],
    ['/a\r\nSet-Cookie: x=1', '/console/'],
    [`/${'x'.repeat(500)}`, '/console/'],
  ])('returns to %s only where it is a path of ours', async (returnTo, path) => {
    const { email, sub } = await user();
    provider.person = { sub, email, email_verified: true };
    const visitor = new Visitor(world.url);
    const callback = await callbackOf(
      provider,
      visitor,
      `/auth/start?provider=1&returnTo=${encodeURIComponent(returnTo)}`,
    );
    expect((await visitor.get(callback)).headers.location).toBe(path);
  });
});

describe('GET /auth/start', () => {
  it.each(['3', '0', 'x', ''])('answers 404 for provider %p', async (number) => {
    expect((await new Visitor(world.url).get(`/auth/start?provider=${number}`)).status).toBe(404);
  });

  it('refuses plain http except on this machine, because no cookie is safe there', async () => {
    const visitor = new Visitor(world.url, { host: 'iot.example.com' });
    const page = await visitor.get('/auth/start?provider=1');
    expect([page.status, visitor.cookies.size]).toEqual([400, 0]);
  });

  it('stores nothing for sign-ins that begin and never end, and limits none of them', async () => {
    const count = async () => (await world.pool.query('select from sign_in_attempt')).rowCount;
    const before = await count();
    const visitor = new Visitor(world.url);
    const statuses = [];
    for (let begun = 0; begun < 150; begun++) statuses.push((await visitor.get('/auth/start?provider=1')).status);
    expect([new Set(statuses), await count()]).toEqual([new Set([302]), before]);
  });

  it.each([
    ['an image', { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site' }, 403],
    ['a frame', { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' }, 403],
    ['a script', { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' }, 403],
    ['a prefetch', { 'sec-fetch-dest': 'document', 'sec-purpose': 'prefetch;prerender' }, 403],
    ['a link', { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' }, 302],
  ])('answers the request of %s', async (_name, headers: Record<string, string | undefined>, status) => {
    const visitor = new Visitor(world.url);
    const page = await visitor.get('/auth/start?provider=1', headers);
    expect([page.status, visitor.cookies.size]).toEqual([status, status === 302 ? 1 : 0]);
    // A callback is no image either, and nothing below /auth is an image of another site.
    if (status === 403 && headers['sec-fetch-site'] === 'cross-site')
      expect((await visitor.get('/auth/session', headers)).status).toBe(403);
    expect((await visitor.get('/auth/callback?state=x', headers)).status).toBe(status === 302 ? 400 : 403);
  });

  it('lists the providers in GET /auth/session', async () => {
    const { text } = await new Visitor(world.url).get('/auth/session');
    expect(JSON.parse(text)).toMatchObject({
      providers: [
        { number: 1, name: 'Test <ID>' },
        { number: 2, name: 'Away' },
      ],
    });
  });
});
