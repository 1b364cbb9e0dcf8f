import { describe, expect, it } from '@jest/globals';
import { AccountType, Role } from '#entities/enums.js';
import { setDisabled } from '#operator/account.js';
import { createSignInLink } from '#operator/sign-in-link.js';
import { useWorld } from '../support/world.js';
import { Visitor, visitorOf } from './visitor.js';

const world = useWorld();
const viewer = '{ viewer { userId role scope } account { id } }';

/** Creates an organization and signs in one of its members. */
async function signedIn(role = Role.member) {
  const organization = await world.organization();
  const member = await world.member(organization, role);
  return { organization, member, visitor: await visitorOf(world, member.id) };
}

describe('a link for one sign-in', () => {
  it('shows a page on GET and signs in on POST, once', async () => {
    const { member } = await signedIn();
    const { token } = await createSignInLink(world.pool, member.id, new Date());
    const visitor = new Visitor(world.url);
    for (let looks = 0; looks < 2; looks++) {
      const page = await visitor.get(`/auth/link?token=${token}`);
      expect([page.status, visitor.cookies.size]).toEqual([200, 0]);
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    }
    const signed = await visitor.post(`/auth/link?token=${token}`);
    expect([signed.status, signed.headers.location]).toEqual([303, '/console/']);
    expect((await visitor.session())?.userId).toBe(member.id);
    expect((await new Visitor(world.url).post(`/auth/link?token=${token}`)).status).toBe(404);
  });

  it('fails after its hour, after a later link was made, and for a disabled user', async () => {
    const id = await world.user();
    const refused = async (token: string) => (await new Visitor(world.url).post(`/auth/link?token=${token}`)).status;
    expect(await refused((await createSignInLink(world.pool, id, new Date(Date.now() - 3_600_001))).token)).toBe(404);
    const first = await createSignInLink(world.pool, id, new Date());
    const second = await createSignInLink(world.pool, id, new Date());
    expect(await refused(first.token)).toBe(404);
    await setDisabled(world.pool, AccountType.user, id, true, new Date());
    expect(await refused(second.token)).toBe(404);
    await expect(createSignInLink(world.pool, id, new Date())).rejects.toThrow(/disabled/);
    await expect(createSignInLink(world.pool, 'none', new Date())).rejects.toThrow(/no user/);
    const { id: organization } = await world.organization();
    await expect(createSignInLink(world.pool, organization, new Date())).rejects.toThrow(/no user/);
  });

  it.each([
    ['user name', 'username'],
    ['e-mail address', 'email'],
  ])('finds its user by %s, whatever its case', async (_name, column) => {
    const id = await world.user();
    const { rows } = await world.pool.query<Record<string, string>>(
      'select username, email from account where id = $1',
      [id],
    );
    const { token } = await createSignInLink(world.pool, rows[0]![column]!.toUpperCase(), new Date());
    const visitor = new Visitor(world.url);
    await visitor.post(`/auth/link?token=${token}`);
    expect((await visitor.session())?.userId).toBe(id);
  });

  it('fails when a page of another site posts it', async () => {
    const { token } = await createSignInLink(world.pool, await world.user(), new Date());
    const visitor = new Visitor(world.url);
    const page = await visitor.post(`/auth/link?token=${token}`, { 'sec-fetch-site': 'cross-site' });
    expect([page.status, visitor.cookies.size]).toEqual([403, 0]);
  });
});

describe("a session's cookie", () => {
  it('has HttpOnly and SameSite=Lax, without Secure on plain http of loopback', async () => {
    const { visitor } = await signedIn();
    const { port } = new URL(world.url);
    const line = visitor.set.get(`ddp-session-${port}`);
    expect(line).toMatch(/^ddp-session-\d+=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
  });

  it('keeps only a hash in the database', async () => {
    const { visitor, member } = await signedIn();
    const { rows } = await world.pool.query<object>('select s::text from session s where user_id = $1', [member.id]);
    const [value] = visitor.cookies.values();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(value);
  });

  it('changes with each sign-in, which ends the session before', async () => {
    const { visitor, member } = await signedIn();
    const [before] = visitor.cookies;
    const { token } = await createSignInLink(world.pool, member.id, new Date());
    await visitor.post(`/auth/link?token=${token}`);
    expect([...visitor.cookies.values()]).not.toContain(before![1]);
    expect((await visitor.graph(viewer)).status).toBe(200);
    visitor.cookies.set(...before!);
    expect((await visitor.graph(viewer)).status).toBe(401);
  });
});

describe('request with a session', () => {
  it('reads /graphql as the member', async () => {
    const { visitor, member, organization } = await signedIn(Role.owner);
    const { body } = await visitor.graph(viewer);
    expect(body.data).toEqual({
      viewer: { userId: member.id, role: 'owner', scope: 'full' },
      account: { id: organization.id },
    });
  });

  it('downloads a file', async () => {
    const { visitor, organization } = await signedIn(Role.owner);
    const page = await visitor.get(`/ddp/v1/organizations/${organization.id}/export?of=devices`);
    expect([page.status, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/csv')]);
  });

  it('sends a file', async () => {
    const { visitor, organization } = await signedIn(Role.owner);
    const path = `/ddp/v1/organizations/${organization.id}/imports/devices`;
    const send = (headers = {}) =>
      visitor.send('POST', path, { 'content-type': 'text/csv', ...headers }, 'serial\na0-01\n');
    const { status, text } = await send();
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ id: expect.any(String) })]);
    expect((await send({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it.each(['/ddp/v1/account', '/ddp/v1/elasticsearch/x/y/_search'])('fails at %s', async (path) => {
    const { visitor } = await signedIn(Role.owner);
    expect((await visitor.get(path)).status).toBeGreaterThanOrEqual(401);
    expect((await visitor.get('/ddp/v1/account')).status).toBe(401);
  });

  it('acts by its token if it has a token as well as a cookie', async () => {
    const { visitor } = await signedIn();
    const other = await world.organization();
    const authorization = `Bearer ${other.token}`;
    const { body } = await visitor.graph(viewer, {}, { authorization, 'sec-fetch-site': 'cross-site' });
    expect(body.data!.account.id).toBe(other.id);
    expect((await visitor.graph(viewer, {}, { authorization: 'Bearer wrong' })).status).toBe(401);
  });
});

describe('session in a request that a page of another site may cause', () => {
  const ours = { origin: undefined, 'sec-fetch-site': undefined };

  it.each([
    ['same-origin', { ...ours, 'sec-fetch-site': 'same-origin' }, 200],
    [
      'same-origin, with another Origin behind a proxy',
      { origin: 'https://a.example', 'sec-fetch-site': 'same-origin' },
      200,
    ],
    ['same-site', { ...ours, 'sec-fetch-site': 'same-site' }, 403],
    ['cross-site', { ...ours, 'sec-fetch-site': 'cross-site' }, 403],
    ['none, as a typed address has', { ...ours, 'sec-fetch-site': 'none' }, 403],
    ['another Origin', { ...ours, origin: 'https://evil.example' }, 403],
    ['Origin null', { ...ours, origin: 'null' }, 403],
    ['neither header', ours, 403],
  ])('decides by the headers of an unsafe method: %s', async (_name, headers, status) => {
    const { visitor } = await signedIn();
    const mutation = 'mutation { leaveNothing: __typename }';
    expect((await visitor.graph(mutation, {}, headers)).status).toBe(status);
    const out = await visitor.post('/auth/sign-out', headers);
    expect(out.status).toBe(status === 200 ? 204 : status);
    expect((await visitor.session()) === null).toBe(status === 200);
  });

  it('counts with a matching Origin when a browser sends no Sec-Fetch-Site', async () => {
    const { visitor } = await signedIn();
    expect((await visitor.graph(viewer, {}, { 'sec-fetch-site': undefined })).status).toBe(200);
  });

  it('fails for event streams by GET, too', async () => {
    const { visitor, organization } = await signedIn(Role.owner);
    const query = `subscription { devicesChanged(organizationId: "${organization.id}") { __typename } }`;
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    expect((await visitor.get(path, { accept: 'text/event-stream' })).status).toBe(403);
  });

  it('gets no credentials by CORS', async () => {
    const { visitor } = await signedIn();
    const page = await visitor.send('OPTIONS', '/graphql', { origin: 'https://evil.example' });
    expect(page.headers['access-control-allow-credentials']).toBeUndefined();
  });
});

describe('the end of a session', () => {
  it('comes with signing out', async () => {
    const { visitor, member } = await signedIn();
    const [[name, value]] = [...visitor.cookies] as [[string, string]];
    expect((await visitor.post('/auth/sign-out')).status).toBe(204);
    expect(visitor.cookies.size).toBe(0);
    visitor.cookies.set(name, value);
    expect((await visitor.graph(viewer)).status).toBe(401);
    expect((await world.pool.query('select from session where user_id = $1', [member.id])).rowCount).toBe(0);
  });

  it.each([
    ['12 hours without use', `last_used_at = now() - interval '12 hours'`],
    ['7 days', 'expires_at = now()'],
  ])('comes after %s', async (_name, change) => {
    const { visitor, member } = await signedIn();
    await world.pool.query(`update session set ${change} where user_id = $1`, [member.id]);
    expect((await visitor.graph(viewer)).status).toBe(401);
    expect(await visitor.session()).toBeNull();
  });

  it('moves with each use, noted once a minute', async () => {
    const { visitor, member } = await signedIn();
    await world.pool.query(`update session set last_used_at = now() - interval '11 hours' where user_id = $1`, [
      member.id,
    ]);
    expect((await visitor.graph(viewer)).status).toBe(200);
    const { rows } = await world.pool.query<{ fresh: boolean }>(
      `select last_used_at > now() - interval '1 minute' as fresh from session where user_id = $1`,
      [member.id],
    );
    expect(rows).toEqual([{ fresh: true }]);
  });

  it('comes with a disabled user, and with the end of the membership', async () => {
    const disabled = await signedIn();
    await setDisabled(world.pool, AccountType.user, disabled.member.id, true, new Date());
    expect((await disabled.visitor.graph(viewer)).status).toBe(401);
    const removed = await signedIn();
    await removed.organization.delete(`/organizations/${removed.organization.id}/members/${removed.member.id}`);
    expect((await removed.visitor.graph(viewer)).status).toBe(401);
  });

  it('comes for the one used longest ago when a person has 50', async () => {
    const { visitor, member } = await signedIn();
    for (let count = 0; count < 49; count++) await visitorOf(world, member.id);
    expect((await visitor.graph(viewer)).status).toBe(200);
    await visitorOf(world, member.id);
    const { rows } = await world.pool.query('select from session where user_id = $1', [member.id]);
    expect(rows).toHaveLength(50);
    expect((await visitor.graph(viewer)).status).toBe(401);
  });
});

describe('POST /auth/organization', () => {
  it('lets the session act in another organization of the person', async () => {
    const { visitor, member, organization } = await signedIn();
    const other = await world.organization();
    await other.put(`/organizations/${other.id}/members/${member.id}`, { role: 'owner' });
    expect((await visitor.post(`/auth/organization?organizationId=${other.id}`)).status).toBe(204);
    const { body } = await visitor.graph(viewer);
    expect(body.data).toMatchObject({ viewer: { role: 'owner' }, account: { id: other.id } });
    const session = await visitor.session();
    expect(session?.organizationId).toBe(other.id);
    expect(session?.organizations.map(({ id }) => id).sort()).toEqual([organization.id, other.id].sort());
  });

  it('returns 404 for an organization of which the person is not a member, and 401 without a session', async () => {
    const { visitor } = await signedIn();
    const other = await world.organization();
    for (const id of [other.id, 'none', '']) {
      expect((await visitor.post(`/auth/organization?organizationId=${id}`)).status).toBe(404);
    }
    expect((await new Visitor(world.url).post(`/auth/organization?organizationId=${other.id}`)).status).toBe(401);
    expect((await visitor.get('/auth/organization')).status).toBe(405);
  });

  it('stays when the organization that the session acts in is disabled', async () => {
    const { visitor, member, organization } = await signedIn();
    const other = await world.organization();
    await other.put(`/organizations/${other.id}/members/${member.id}`, { role: 'member' });
    await setDisabled(world.pool, AccountType.organization, organization.id, true, new Date());
    expect((await visitor.graph(viewer)).status).toBe(401);
    expect((await visitor.session())?.organizationId).toBeNull();
    expect((await visitor.post(`/auth/organization?organizationId=${other.id}`)).status).toBe(204);
    expect((await visitor.graph(viewer)).status).toBe(200);
  });
});

describe('the audit log of a session', () => {
  it('says that its person signed in, chose another organization and signed out', async () => {
    const { visitor, member, organization } = await signedIn();
    const other = await world.organization();
    await other.put(`/organizations/${other.id}/members/${member.id}`, {});
    const userName = (await visitor.session())!.username;
    const chosen = await visitor.post(`/auth/organization?organizationId=${other.id}`);
    const left = await visitor.post('/auth/sign-out');
    expect((await visitor.post('/auth/sign-out')).status).toBe(204);
    const eventsIn = async (owner: typeof other) => {
      const query = `actor=${member.id}&sort=id`;
      const { body } = await owner.get<object[]>(`/organizations/${owner.id}/audit?${query}`);
      return body;
    };
    const told = (action: string, requestId: unknown) => ({
      action,
      actor: { kind: 'session', userId: member.id },
      target: { kind: 'session', targetId: expect.any(String), name: userName },
      requestId,
      address: '127.0.0.1',
    });
    expect(await eventsIn(organization)).toMatchObject([told('signIn', expect.stringMatching(/^[\da-f-]{36}$/))]);
    expect(await eventsIn(other)).toMatchObject([
      told('chooseOrganization', chosen.headers['x-request-id']),
      told('signOut', left.headers['x-request-id']),
    ]);
  });
});

it('GET /auth/session says that nobody is signed in', async () => {
  const { text, headers } = await new Visitor(world.url).get('/auth/session');
  expect([JSON.parse(text), headers['cache-control']]).toEqual([{ providers: [], session: null }, 'no-store']);
});

it('GET /auth/start returns 404 if no provider is configured', async () => {
  expect((await new Visitor(world.url).get('/auth/start')).status).toBe(404);
});
