import { afterEach, describe, expect, it } from '@jest/globals';
import { createLog } from '#common/log.js';
import { AccountType, Role } from '#entities/enums.js';
import { createAccount, setDisabled } from '#operator/account.js';
import { useWorld } from '../support/world.js';
import { callbackOf, client, useProvider } from './provider.js';
import { Visitor, visitorOf } from './visitor.js';

const provider = useProvider();
const lines: Record<string, unknown>[] = [];
const world = useWorld({
  log: createLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
  config: {
    get oidc() {
      const right = { clientId: client.id, clientSecret: client.secret, domains: ['corp.example'] };
      return [
        { ...right, number: 1, issuer: provider.issuer, name: 'Test' },
        { ...right, number: 2, issuer: 'http://127.0.0.1:4999', name: 'Away' },
        { ...right, number: 3, issuer: provider.issuer, name: 'Wrong secret', clientSecret: 'not the secret' },
        { ...right, number: 4, issuer: `${provider.issuer}/realms/x`, name: 'Another issuer' },
      ];
    },
  },
});

afterEach(() => {
  provider.forge = undefined;
  provider.intercept.clear();
});

let count = 0;
const fresh = () => `refused-${process.pid}-${++count}`;

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** Returns how often sign-ins were refused. */
async function refusals(number: number, reason: string): Promise<number> {
  const text = await (await fetch(`${world.url}/metrics`)).text();
  const line = new RegExp(`^ddp_sign_in_refused_total\\{provider="${number}",reason="${reason}"\\} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

type Forge = NonNullable<typeof provider.forge>;

describe('reason of a refused sign-in', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  it.each<[string, string, number, Forge | undefined, RegExp]>([
    ['a wrong client secret', 'client', 3, undefined, /invalid_client/],
    ['another nonce', 'nonce', 1, (claims) => ({ ...claims, nonce: 'x' }), /claim nonce is another/],
    ['no nonce', 'nonce', 1, ({ nonce: _, ...claims }) => claims, /nonce/],
    [
      'another audience',
      'audience',
      1,
      (claims) => ({ ...claims, aud: 'other-app' }),
      /claim aud is other-app, expected ddp/,
    ],
    [
      'another issuer',
      'issuer',
      1,
      (claims) => ({ ...claims, iss: 'https://x.example' }),
      /claim iss is https:\/\/x\.example/,
    ],
    ['an expired token', 'time', 1, (claims) => ({ ...claims, exp: seconds() - 60 }), /claim exp/],
    ['no account', 'no-account', 1, (claims) => claims, /./],
  ])('stands in the log and the metric: %s', async (_name, reason, number, forge, detail) => {
    const before = await refusals(number, reason);
    provider.person = { sub: fresh(), name: 'Somebody' };
    provider.forge = forge;
    const visitor = new Visitor(world.url);
    const page = await visitor.get(await callbackOf(provider, visitor, `/auth/start?provider=${number}`));
    expect(page.status).toBe(403);
    expect(await refusals(number, reason)).toBe(before + 1);
    const requestId = page.headers['x-request-id'];
    const line = lines.find((each) => each['requestId'] === requestId && each['reason'] !== undefined);
    expect(line).toMatchObject({ level: 'warn', reason, msg: expect.stringMatching(/^Sign-in refused: /) });
    if (reason !== 'no-account') expect(line!['detail']).toMatch(detail);
    expect(JSON.stringify(line)).not.toContain(client.secret);
  });

  it('appears in the audit log of the inviting organization when the person declined at the provider', async () => {
    const owner = await world.organization();
    const create = `mutation ($id: ID!) { createInvitation(organizationId: $id, email: "a@b.example") { url } }`;
    const url = String((await owner.graph(create, { id: owner.id })).body.data!['createInvitation'].url);
    const visitor = new Visitor(world.url);
    const { headers } = await visitor.get(`/auth/start?provider=1&invitation=${url.split('token=')[1]}`);
    const state = new URL(String(headers.location)).searchParams.get('state')!;
    const iss = encodeURIComponent(provider.issuer);
    const text = encodeURIComponent('Not\nyours <b>');
    const page = await visitor.get(
      `/auth/callback?state=${state}&iss=${iss}&error=access_denied&error_description=${text}`,
    );
    expect(page.status).toBe(403);
    const { body } = await owner.get<object[]>(`/organizations/${owner.id}/audit?outcome=refused`);
    expect(body).toMatchObject([
      {
        action: 'signIn',
        outcome: 'refused',
        actor: { kind: 'person' },
        target: { kind: 'provider', name: 'Test' },
        changes: [
          { field: 'reason', after: 'denied' },
          { field: 'detail', after: expect.stringContaining('the provider says access_denied Not yours <b>') },
        ],
      },
    ]);
  });

  it('appears in the audit log of every organization of a disabled account', async () => {
    const owners = [await world.organization(), await world.organization()];
    const email = `${fresh()}@corp.example`;
    const id = await createAccount(world.pool, AccountType.user, { username: fresh(), email }, new Date());
    for (const owner of owners) await owner.put(`/organizations/${owner.id}/members/${id}`, { role: Role.member });
    provider.person = { sub: fresh(), email, email_verified: true };
    const visitor = new Visitor(world.url);
    await visitor.get(await callbackOf(provider, visitor));
    await setDisabled(world.pool, AccountType.user, id, true, new Date());
    expect((await visitor.get(await callbackOf(provider, visitor))).status).toBe(403);
    for (const owner of owners) {
      const { body } = await owner.get<object[]>(`/organizations/${owner.id}/audit?action=signIn&outcome=refused`);
      expect(body).toMatchObject([{ actor: { kind: 'person', userId: id }, changes: [{ after: 'disabled' }] }]);
    }
  });

  it.each([
    ['is away', 2, 'unreachable', /ECONNREFUSED/],
    [
      'calls itself otherwise than the settings',
      4,
      'settings',
      /OIDC_4_ISSUER is .*\/realms\/x, but the provider calls itself/,
    ],
  ])('appears in the log and the metric: a provider that %s', async (_name, number, reason, detail) => {
    const { issuer } = provider;
    const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    provider.intercept.set('/realms/x/.well-known/openid-configuration', JSON.stringify(metadata));
    const before = await refusals(number, reason);
    const page = await new Visitor(world.url).get(`/auth/start?provider=${number}`, browser);
    expect([page.status, page.headers['retry-after']]).toEqual([503, '1']);
    expect(await refusals(number, reason)).toBe(before + 1);
    const line = lines.find((each) => each['requestId'] === page.headers['x-request-id'] && each['reason'] === reason);
    expect(line).toMatchObject({ reason, detail: expect.stringMatching(detail) });
  });

  it('appears in the metric for a sign-in of another browser, and for an expired link', async () => {
    const before = [await refusals(0, 'state'), await refusals(0, 'link')];
    const visitor = await visitorOf(world, await world.user());
    await visitor.get('/auth/callback?state=x');
    await visitor.post('/auth/link?token=gone');
    await visitor.post('/auth/invitation?token=gone');
    expect([await refusals(0, 'state'), await refusals(0, 'link')]).toEqual([before[0]! + 1, before[1]! + 2]);
  });
});

describe('error below /auth', () => {
  it.each([
    ['401', 'POST', '/auth/invitation?token=abc', 401, 'You are not signed in'],
    ['403', 'POST', '/auth/link?token=abc', 403, 'This is not allowed here'],
    ['404', 'GET', '/auth/nowhere', 404, 'There is no such page'],
    ['405', 'PUT', '/auth/link', 405, 'This did not work'],
    ['503', 'GET', '/auth/start?provider=2', 503, 'Try again shortly'],
  ])('reaches browsers as HTML and programs as JSON: %s', async (_name, method, path, status, title) => {
    const site = { 'sec-fetch-site': status === 403 ? 'cross-site' : 'same-origin' };
    const page = await new Visitor(world.url).send(method, path, { ...browser, ...site });
    expect([page.status, page.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.text).toContain(`<h1>${title}</h1>`);
    expect(page.text).toContain(String(page.headers['x-request-id']));
    const json = await new Visitor(world.url).send(method, path, { accept: 'application/json', ...site });
    expect([json.status, Object.keys(JSON.parse(json.text) as object)]).toEqual([
      status,
      ['message', 'code', 'requestId'],
    ]);
  });
});

describe('limit of requests below /auth', () => {
  const limited = useWorld({
    config: {
      rateLimit: 2,
      get oidc() {
        return [
          {
            clientId: client.id,
            clientSecret: client.secret,
            number: 1,
            issuer: provider.issuer,
            name: 'Test',
            domains: [],
          },
        ];
      },
    },
  });

  it('does not count images that other sites embed, and shows browsers an HTML page', async () => {
    const visitor = new Visitor(limited.url);
    const image = { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site' };
    // At once, so that one window has them all.
    const get = (count: number, headers: Record<string, string>) =>
      Promise.all(Array.from({ length: count }, () => visitor.get('/auth/start?provider=1', headers)));
    const images = await get(20, image);
    const pages = await get(5, browser);
    expect(new Set(images.map(({ status }) => status))).toEqual(new Set([403]));
    expect(pages.map(({ status }) => status).toSorted()).toEqual([302, 302, 302, 302, 429]);
    const refused = pages.find(({ status }) => status === 429)!;
    expect(refused.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(refused.text).toContain('<h1>');
  });
});
