import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import type { Service } from '#app/app.js';
import { readConfig } from '#config/config.js';
import { AccountType, Role } from '#entities/enums.js';
import { createAccount, setDisabled } from '#operator/account.js';
import { createSignInLink } from '#operator/sign-in-link.js';
import { until } from '../support/until.js';
import { useWorld } from '../support/world.js';
import { callbackOf, client, useProvider } from './provider.js';
import { Visitor, visitorOf } from './visitor.js';

const provider = useProvider();
const publicUrl = 'http://127.0.0.1:9999';
const config = {
  publicUrl,
  get oidc() {
    const { id: clientId, secret: clientSecret } = client;
    return [{ number: 1, issuer: provider.issuer, name: 'Test', clientId, clientSecret, domains: ['corp.example'] }];
  },
};
const world = useWorld({ config });
let second: Service;

beforeAll(async () => {
  const { startTestService } = await import('../support/start-service.js');
  second = await startTestService(world.databaseUrl, { config: { ...config } });
});
afterAll(() => second.close());

/** The same browser at another process of the service. */
function at(url: string, visitor: Visitor): Visitor {
  const other = new Visitor(url);
  for (const cookie of visitor.cookies) other.cookies.set(...cookie);
  return other;
}

it('several processes share a sign-in that one of them began, and its session', async () => {
  const email = `two-${process.pid}@corp.example`;
  const id = await createAccount(world.pool, AccountType.user, { username: `two-${process.pid}`, email }, new Date());
  provider.person = { sub: 'two', email, email_verified: true };
  const first = new Visitor(world.url);
  const callback = await callbackOf(provider, first);
  const other = at(second.url, first);
  expect((await other.get(callback)).status).toBe(303);
  expect((await at(world.url, other).session())?.userId).toBe(id);
  expect((await first.get(callback)).status).toBe(400);
});

describe('WebSocket with the cookie of a session', () => {
  const subscription = (id: string) => `subscription { jobUpdated(organizationId: "${id}") { __typename } }`;

  async function member() {
    const owner = await world.organization();
    const { id } = await world.member(owner, Role.member);
    return { owner, id, visitor: await visitorOf(world, id) };
  }

  /** Opens a socket and subscribes; the code that it is closed with comes later. */
  function connect(visitor: Visitor, organizationId: string, headers: Record<string, string>, payload = {}) {
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ');
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { cookie, ...headers },
    });
    const heard: { type: string }[] = [];
    const state = { heard, code: undefined as number | undefined, close: () => socket.close() };
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
    socket.on('message', (data) => {
      const message = JSON.parse(String(data as Buffer)) as { type: string };
      heard.push(message);
      if (message.type !== 'connection_ack') return;
      const query = subscription(organizationId);
      socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
    });
    socket.on('close', (code) => (state.code = code));
    return state;
  }

  it.each([
    ['our Origin', { origin: publicUrl }, {}, undefined],
    ['Sec-Fetch-Site: same-origin', { 'sec-fetch-site': 'same-origin' }, {}, undefined],
    ['another Origin', { origin: 'https://evil.example' }, {}, 4403],
    ['no Origin', {}, {}, 4403],
    ['another Origin, and a token in its parameters', { origin: 'https://evil.example' }, { token: true }, undefined],
  ])('opens or closes by the headers: %s', async (_name, headers, { token = false }: { token?: boolean }, code) => {
    const { owner, visitor } = await member();
    const payload = token ? { authorization: `Bearer ${owner.token}` } : {};
    const socket = connect(visitor, owner.id, headers as Record<string, string>, payload);
    await until(() => socket.code !== undefined || socket.heard.length > 0);
    expect([socket.code, socket.heard[0]?.type]).toEqual([code, code === undefined ? 'connection_ack' : undefined]);
    socket.close();
  });

  const ends: [
    string,
    (member: {
      owner: Awaited<ReturnType<typeof world.organization>>;
      id: string;
      visitor: Visitor;
    }) => Promise<unknown>,
  ][] = [
    ['the person signs out', ({ visitor }) => visitor.post('/auth/sign-out')],
    ['the person is disabled', ({ id }) => setDisabled(world.pool, AccountType.user, id, true, new Date())],
    ['the membership ends', ({ owner, id }) => owner.delete(`/organizations/${owner.id}/members/${id}`)],
    ['the person leaves', ({ owner, visitor }) => visitor.post(`/auth/leave?organizationId=${owner.id}`)],
    [
      'the session acts in another organization',
      async ({ id, visitor }) => {
        const other = await world.organization();
        await other.put(`/organizations/${other.id}/members/${id}`, {});
        return visitor.post(`/auth/organization?organizationId=${other.id}`);
      },
    ],
  ];
  it.each(ends)('tells a subscription 401 within two seconds when %s', async (_name, end) => {
    const found = await member();
    const socket = connect(found.visitor, found.owner.id, { origin: publicUrl });
    await until(() => socket.heard.some(({ type }) => type === 'connection_ack'));
    await end(found);
    const ended = performance.now();
    await until(() => socket.code !== undefined || socket.heard.some(({ type }) => type === 'error'));
    expect(performance.now() - ended).toBeLessThan(2000);
    // If a subscription had not begun by then, the service refuses it and closes its connection.
    expect(socket.code ?? JSON.stringify(socket.heard)).toEqual(
      socket.code === undefined ? expect.stringContaining('UNAUTHENTICATED') : 4401,
    );
    socket.close();
  });
});

describe('behind a proxy with TLS', () => {
  const secure = useWorld({ config: { publicUrl: 'https://iot.example.com' } });

  const browser = { origin: 'https://iot.example.com', host: 'iot.example.com' };

  it('names its cookie __Host- and Secure', async () => {
    const visitor = await visitorOf(secure, await secure.user(), browser);
    expect(visitor.set.get('__Host-ddp-session')).toMatch(
      /^__Host-ddp-session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(await visitor.session()).not.toBeNull();
  });

  it('takes no cookie of another name', async () => {
    const visitor = await visitorOf(secure, await secure.user(), browser);
    const [[, value]] = [...visitor.cookies] as [[string, string]];
    visitor.cookies.clear();
    visitor.cookies.set('ddp-session-443', value);
    expect(await visitor.session()).toBeNull();
  });
});

describe('a public address of https, behind a proxy that says what the browser speaks', () => {
  const origin = 'https://iot.example.com';
  const proxied = useWorld({ config: { publicUrl: origin, trustProxy: ['loopback'] } });

  it.each([
    ['a page of plain http', { origin: 'http://iot.example.com' }, 400],
    ['plain http by the word of the proxy', { origin, 'x-forwarded-proto': 'http' }, 400],
    ['https by the word of the proxy', { origin, 'x-forwarded-proto': 'https' }, 303],
    ['a proxy that does not say', { origin }, 303],
  ])('answers a link for one sign-in that is used over %s', async (_name, headers, status) => {
    const { token } = await createSignInLink(proxied.pool, await proxied.user(), new Date());
    const visitor = new Visitor(proxied.url, { host: 'iot.example.com' });
    const page = await visitor.post(`/auth/link?token=${token}`, headers);
    expect([page.status, visitor.cookies.size]).toEqual([status, status === 303 ? 1 : 0]);
  });

  it('refuses to begin or end a sign-in over plain http', async () => {
    const visitor = new Visitor(proxied.url, { host: 'iot.example.com', 'x-forwarded-proto': 'http' });
    for (const path of ['/auth/start?provider=1&here=1', '/auth/callback?state=x'])
      expect((await visitor.get(path)).status).toBe(400);
    expect(visitor.cookies.size).toBe(0);
  });

  it.each(['/auth/start?provider=1', '/auth/link?token=abc', '/auth/invitation?token=abc'])(
    'sends a browser that opened %s by another name to the public one, once',
    async (path) => {
      const visitor = new Visitor(proxied.url, { host: 'ddp.internal' });
      const { status, headers } = await visitor.get(path);
      expect([status, headers.location]).toEqual([303, `${origin}${path}&here=1`]);
      expect((await visitor.get(`${path}&here=1`)).headers.location).toBeUndefined();
    },
  );
});

describe('settings of providers', () => {
  const base = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'ddp' };

  it('reads settings of several providers by number', () => {
    const { oidc } = readConfig({
      ...base,
      OIDC_DOMAINS: 'Corp.example, b.example',
      OIDC_3_ISSUER: 'http://localhost:3000/realm',
      OIDC_3_CLIENT_ID: 'x',
      OIDC_3_CLIENT_SECRET: 'secret',
      OIDC_3_NAME: 'Local',
      OIDC_3_VERIFIED_CLAIM: 'xms_edov',
    });
    expect(oidc).toEqual([
      {
        number: 1,
        issuer: 'https://id.example.com',
        clientId: 'ddp',
        clientSecret: undefined,
        name: 'id.example.com',
        domains: ['corp.example', 'b.example'],
      },
      {
        number: 3,
        issuer: 'http://localhost:3000/realm',
        clientId: 'x',
        clientSecret: 'secret',
        name: 'Local',
        domains: [],
        verifiedClaim: 'xms_edov',
      },
    ]);
    expect(readConfig({}).oidc).toEqual([]);
  });

  it.each([
    [{ OIDC_CLIENT_ID: 'x' }, /OIDC_ISSUER must be set if OIDC_CLIENT_ID is set/],
    [{ OIDC_ISSUER: 'https://id.example.com' }, /OIDC_CLIENT_ID must be set/],
    [{ ...base, OIDC_ISSUER: 'http://id.example.com' }, /OIDC_ISSUER must be an address/],
    [{ ...base, OIDC_ISSUER: 'https://id.example.com/?a=b' }, /OIDC_ISSUER must be an address/],
    [{ ...base, OIDC_DOMAINS: 'a@b.example' }, /OIDC_DOMAINS must be domains/],
    [{ ...base, OIDC_2_ISSUER: base.OIDC_ISSUER, OIDC_2_CLIENT_ID: 'y' }, /OIDC_2_ISSUER must differ/],
    [{ ...base, OIDC_2_ISSUER: `${base.OIDC_ISSUER}/`, OIDC_2_CLIENT_ID: 'y' }, /OIDC_2_ISSUER must differ/],
    [{ ...base, OIDC_VERIFIED_CLAIM: 'a b' }, /OIDC_VERIFIED_CLAIM must be the name/],
  ])('refuses the settings %p', (environment, fault) => {
    expect(() => readConfig(environment)).toThrow(fault);
  });
});
