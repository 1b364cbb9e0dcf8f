import { describe, expect, it } from '@jest/globals';
import { AccountType, Role } from '#entities/enums.js';
import { createAccount, setDisabled } from '#operator/account.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { callbackOf, client, useProvider } from './provider.js';
import { Visitor, visitorOf } from './visitor.js';

const provider = useProvider();
const world = useWorld({
  config: {
    get oidc() {
      const { id: clientId, secret: clientSecret } = client;
      return [{ number: 1, issuer: provider.issuer, name: 'Test', clientId, clientSecret, domains: ['corp.example'] }];
    },
  },
});

let count = 0;
const fresh = () => `guest-${process.pid}-${++count}`;

const create = `mutation ($id: ID!, $email: EmailAddress!, $role: Role! = member, $teams: [ID!]) {
  createInvitation(organizationId: $id, email: $email, role: $role, teamIds: $teams) {
    url mail invitation { id email role teamIds expiresAt } } }`;

async function invite(owner: AccountActor, values: object = {}) {
  const { body } = await owner.graph(create, { id: owner.id, email: `${fresh()}@example.com`, ...values });
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
  const { url, mail, invitation } = body.data!['createInvitation'] as {
    url: string;
    mail: string;
    invitation: { id: string };
  };
  return { path: url.slice(world.url.length), url, mail, id: invitation.id, invitation };
}

const codeOf = async (answer: ReturnType<AccountActor['graph']>) => (await answer).body.errors?.[0]?.extensions.code;

/** Follows the link of an invitation to the provider and back. */
async function arrive(
  path: string,
  person: { sub: string; [claim: string]: unknown },
  visitor = new Visitor(world.url),
) {
  provider.person = person;
  const token = path.split('token=')[1]!;
  const answer = await visitor.get(await callbackOf(provider, visitor, `/auth/start?provider=1&invitation=${token}`));
  return { visitor, answer };
}

describe('an invitation', () => {
  it('makes a person from a provider a member with the role and the teams', async () => {
    const owner = await world.organization();
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Field' });
    const gone = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Gone' });
    const { path, mail, invitation } = await invite(owner, { role: 'owner', teams: [teamId, gone, teamId] });
    expect([mail, invitation]).toMatchObject(['off', { role: 'owner', teamIds: [teamId, gone] }]);
    await owner.delete(`/teams/${owner.id}/${gone}`);
    const name = fresh();
    const person = {
      sub: name,
      name: 'Ada <b>',
      preferred_username: name,
      email: `${name}@corp.example`,
      email_verified: true,
    };
    const { visitor, answer } = await arrive(path, person);
    expect([answer.status, answer.headers.location, await visitor.session()]).toEqual([303, path, null]);
    const page = await visitor.get(path);
    expect(page.text).toContain('Ada &#60;b&#62;');
    const accepted = await visitor.post(path);
    expect([accepted.status, accepted.headers.location]).toEqual([303, '/console/']);
    const { body: log } = await owner.get<object[]>(`/organizations/${owner.id}/audit?limit=3`);
    expect(log).toMatchObject([
      {
        action: 'acceptInvitation',
        actor: { kind: 'session', userName: 'Ada <b>' },
        changes: [
          { field: 'invitationId', before: invitation.id },
          { field: 'role', after: 'owner' },
          { field: 'teamIds', after: [teamId] },
        ],
      },
      { action: 'signIn', actor: { kind: 'session', userName: 'Ada <b>' } },
      { action: 'deleteTeam' },
    ]);
    const session = await visitor.session();
    expect(session).toMatchObject({
      username: name,
      name: 'Ada <b>',
      organizationId: owner.id,
      organizations: [{ id: owner.id, role: 'owner' }],
    });
    const members = await owner.get<{ id: string; role: string }[]>(`/organizations/${owner.id}/members`);
    expect(members.body).toMatchObject([{ id: session!.userId, role: 'owner', username: name }]);
    const team = await owner.get(`/teams/${owner.id}/${teamId}/members`);
    expect(team.body).toMatchObject([{ id: session!.userId }]);
    // From now on the provider signs the person in.
    const again = new Visitor(world.url);
    await again.get(await callbackOf(provider, again));
    expect((await again.session())?.userId).toBe(session!.userId);
    expect((await new Visitor(world.url).get(path)).status).toBe(404);
  });

  it('changes nothing on GET, and makes a member of a signed-in person on POST', async () => {
    const owner = await world.organization();
    const { path } = await invite(owner);
    const visitor = await visitorOf(world, await world.user());
    for (let looks = 0; looks < 2; looks++) expect((await visitor.get(path)).text).toContain('Accept');
    expect((await visitor.session())?.organizations).toEqual([]);
    expect((await visitor.post(path, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await visitor.post(path)).status).toBe(303);
    expect((await visitor.session())?.organizationId).toBe(owner.id);
    expect((await visitor.post(path)).status).toBe(404);
  });

  it('asks a person who is not signed in to sign in, and is not accepted without that', async () => {
    const { path } = await invite(await world.organization());
    const visitor = new Visitor(world.url);
    expect((await visitor.get(path)).text).toContain('/auth/start?provider=1&amp;invitation=');
    expect((await visitor.post(path)).status).toBe(401);
  });

  it('makes a member only of the first person who accepts', async () => {
    const { path } = await invite(await world.organization());
    const visitors = await Promise.all([1, 2, 3].map(async () => visitorOf(world, await world.user())));
    const statuses = await Promise.all(visitors.map(async (visitor) => (await visitor.post(path)).status));
    expect(statuses.sort()).toEqual([303, 404, 404]);
  });

  it('does not take a role away from a member', async () => {
    const owner = await world.organization();
    const member = await world.member(owner, Role.owner);
    const visitor = await visitorOf(world, member.id);
    await visitor.post((await invite(owner)).path);
    expect((await visitor.session())?.organizations).toMatchObject([{ role: 'owner' }]);
  });

  it.each([
    ['an address that is not verified', (email: string) => ({ email })],
    ['an address of another account', (email: string) => ({ email, email_verified: true })],
  ])('gives nobody the account of %s', async (_name, claims) => {
    const email = `${fresh()}@elsewhere.example`;
    const account = await createAccount(world.pool, AccountType.user, { username: fresh(), email }, new Date());
    const { path } = await invite(await world.organization());
    const { visitor } = await arrive(path, { sub: fresh(), ...claims(email) });
    await visitor.post(path);
    const session = await visitor.session();
    expect(session!.userId).not.toBe(account);
    const { rows } = await world.pool.query('select email from account where id = $1', [session!.userId]);
    expect(rows).toEqual([{ email: `${session!.userId}@account.invalid` }]);
  });

  it('finds a free user name', async () => {
    const name = fresh();
    await createAccount(world.pool, AccountType.user, { username: name, email: `${name}@x.example` }, new Date());
    const { path } = await invite(await world.organization());
    const { visitor } = await arrive(path, { sub: fresh(), preferred_username: name });
    await visitor.post(path);
    expect((await visitor.session())?.username).toMatch(new RegExp(`^${name}-[0-9a-f]{6}$`));
    const other = await invite(await world.organization());
    const nameless = await arrive(other.path, { sub: fresh(), name: '你' });
    await nameless.visitor.post(other.path);
    expect((await nameless.visitor.session())?.username).toMatch(/^[a-z0-9][a-z0-9_-]+$/);
  });

  it('refuses a person whom a provider named for another invitation', async () => {
    const [first, second] = [await invite(await world.organization()), await invite(await world.organization())];
    const { visitor } = await arrive(first.path, { sub: fresh() });
    expect((await visitor.post(second.path)).status).toBe(401);
  });

  it('ends when its time is over, when it is revoked or sent again, and while its organization is disabled', async () => {
    const owner = await world.organization();
    const visitor = await visitorOf(world, await world.user());
    const statusOf = async (path: string) => [(await visitor.get(path)).status, (await visitor.post(path)).status];
    const expired = await invite(owner);
    await world.pool.query('update invitation set expires_at = now() where id = $1', [expired.id]);
    expect(await statusOf(expired.path)).toEqual([404, 404]);
    const revoked = await invite(owner);
    const which = '(organizationId: $id, invitationId: $invitation)';
    const declared = '($id: ID!, $invitation: ID!)';
    const revoke = `mutation ${declared} { revokeInvitation${which} { id } }`;
    await owner.graph(revoke, { id: owner.id, invitation: revoked.id });
    expect(await statusOf(revoked.path)).toEqual([404, 404]);
    expect(await codeOf(owner.graph(revoke, { id: owner.id, invitation: revoked.id }))).toBe('NOT_FOUND');
    const before = await invite(owner);
    const { body } = await owner.graph(`mutation ${declared} { resendInvitation${which} { url invitation { id } } }`, {
      id: owner.id,
      invitation: before.id,
    });
    const { url, invitation } = body.data!['resendInvitation'] as { url: string; invitation: { id: string } };
    expect(invitation.id).toBe(before.id);
    expect(await statusOf(before.path)).toEqual([404, 404]);
    await setDisabled(world.pool, AccountType.organization, owner.id, true, new Date());
    expect(await statusOf(url.slice(world.url.length))).toEqual([404, 404]);
    await setDisabled(world.pool, AccountType.organization, owner.id, false, new Date());
    expect(await statusOf(url.slice(world.url.length))).toEqual([200, 303]);
  });
});

describe('createInvitation', () => {
  it('refuses an address that is invited, whatever its case, unless that invitation expired', async () => {
    const owner = await world.organization();
    const email = `${fresh()}@example.com`;
    const { id } = await invite(owner, { email });
    expect(await codeOf(owner.graph(create, { id: owner.id, email: email.toUpperCase() }))).toBe('CONFLICT');
    await world.pool.query('update invitation set expires_at = now() where id = $1', [id]);
    await invite(owner, { email });
  });

  it('refuses a team of another organization, and a text that is not an address', async () => {
    const [owner, other] = [await world.organization(), await world.organization()];
    const team = await other.make(`/organizations/${other.id}/teams`, { name: 'Theirs' });
    const email = `${fresh()}@example.com`;
    expect(await codeOf(owner.graph(create, { id: owner.id, email, teams: [team] }))).toBe('NOT_FOUND');
    expect(await codeOf(owner.graph(create, { id: owner.id, email, teams: ['none'] }))).toBe('NOT_FOUND');
    expect(await codeOf(owner.graph(create, { id: owner.id, email: 'nobody' }))).toBe('VALIDATION_FAILED');
  });

  it('lets an organization have 100 open invitations, also of two owners at once', async () => {
    const owner = await world.organization();
    await world.pool.query(
      `insert into invitation (id, organization_id, email, role, hash, created_at, expires_at)
       select gen_random_uuid(), $1, n || '@example.com', 'member', sha256(gen_random_uuid()::text::bytea), now(), now() + interval '1 day'
         from generate_series(1, 99) n`,
      [owner.id],
    );
    const codes = await Promise.all(
      [1, 2].map(() => codeOf(owner.graph(create, { id: owner.id, email: `${fresh()}@example.com` }))),
    );
    expect(codes.sort()).toEqual(['CONFLICT', undefined]);
  });

  it('stores only a hash of the link, and lists the open invitations', async () => {
    const owner = await world.organization();
    const { path, id } = await invite(owner);
    const { rows } = await world.pool.query('select i::text from invitation i where id = $1', [id]);
    expect(JSON.stringify(rows)).not.toContain(path.split('token=')[1]);
    const { body } = await owner.graph(
      'query ($id: ID!) { invitations(organizationId: $id) { totalCount items { id } } }',
      {
        id: owner.id,
      },
    );
    expect(body.data!['invitations']).toEqual({ totalCount: 1, items: [{ id }] });
  });
});

describe('POST /auth/leave', () => {
  const leave = (visitor: Visitor, id: string) => visitor.post(`/auth/leave?organizationId=${id}`);

  it('ends the membership, and the session continues in another organization', async () => {
    const [first, second] = [await world.organization(), await world.organization()];
    const member = await world.member(first, Role.member);
    const visitor = await visitorOf(world, member.id);
    await second.put(`/organizations/${second.id}/members/${member.id}`, {});
    expect((await leave(visitor, first.id)).status).toBe(204);
    expect(await visitor.session()).toMatchObject({ organizationId: second.id, organizations: [{ id: second.id }] });
    expect((await member.get('/account')).status).toBe(401);
    expect((await leave(visitor, second.id)).status).toBe(204);
    expect(await visitor.session()).toMatchObject({ organizationId: null, organizations: [] });
    expect((await visitor.graph('{ viewer { role } }')).status).toBe(401);
    const { body } = await second.get<object[]>(`/organizations/${second.id}/audit?action=leaveOrganization`);
    expect(body).toMatchObject([{ actor: { kind: 'session', userId: member.id }, target: { kind: 'member' } }]);
  });

  it('refuses the last owner, a person who is not a member, a call without a session, and a call from another site', async () => {
    const owner = await world.organization();
    const last = await visitorOf(world, (await world.member(owner, Role.owner)).id);
    expect((await leave(last, owner.id)).status).toBe(409);
    expect((await leave(last, (await world.organization()).id)).status).toBe(404);
    expect((await leave(last, 'none')).status).toBe(404);
    expect((await leave(new Visitor(world.url), owner.id)).status).toBe(401);
    const evil = await last.post(`/auth/leave?organizationId=${owner.id}`, { 'sec-fetch-site': 'cross-site' });
    expect(evil.status).toBe(403);
  });
});

describe('sessions of people', () => {
  const mine = '{ mySessions(limit: 100) { items { id organizationId current userAgent address user { id } } } }';

  it('lists and ends them for the person in all organizations, for a token in its own', async () => {
    const [first, second] = [await world.organization(), await world.organization()];
    const member = await world.member(first, Role.member);
    const here = await visitorOf(world, member.id, { 'user-agent': 'Firefox on Linux' });
    await second.put(`/organizations/${second.id}/members/${member.id}`, {});
    const there = await visitorOf(world, member.id);
    await there.post(`/auth/organization?organizationId=${second.id}`);
    const { body } = await here.graph(mine);
    const items = body.data!['mySessions'].items as { id: string; current: boolean; organizationId: string }[];
    expect(items).toHaveLength(2);
    expect(items).toContainEqual({
      id: expect.any(String),
      organizationId: first.id,
      current: true,
      userAgent: 'Firefox on Linux',
      address: '127.0.0.1',
      user: { id: member.id },
    });
    expect((await member.graph(mine)).body.data!['mySessions'].items).toHaveLength(1);
    const other = items.find(({ current }) => !current)!;
    const end = 'mutation ($ids: [ID!]) { revokeMySessions(sessionIds: $ids) { count } }';
    const ids = [other.id, 'none'];
    expect((await member.graph(end, { ids })).body.data).toEqual({ revokeMySessions: { count: 0 } });
    expect((await here.graph(end, { ids })).body.data).toEqual({ revokeMySessions: { count: 1 } });
    expect(await there.session()).toBeNull();
  });

  it('lists and revokes them for owners of the organization that they act in', async () => {
    const owner = await world.organization();
    const other = await world.organization();
    const member = await world.member(owner, Role.member);
    const visitor = await visitorOf(world, member.id);
    const { username } = (await visitor.session())!;
    const list = 'query ($id: ID!) { sessions(organizationId: $id) { items { id user { id } } } }';
    const { body } = await owner.graph(list, { id: owner.id });
    const [session] = body.data!['sessions'].items as { id: string }[];
    expect(session).toMatchObject({ user: { id: member.id } });
    const revoke =
      'mutation ($id: ID!, $session: ID!) { revokeSession(organizationId: $id, sessionId: $session) { id } }';
    expect(await codeOf(other.graph(revoke, { id: other.id, session: session!.id }))).toBe('NOT_FOUND');
    expect(await codeOf(owner.graph(revoke, { id: owner.id, session: 'none' }))).toBe('NOT_FOUND');
    expect(await codeOf(owner.graph(revoke, { id: owner.id, session: session!.id }))).toBeUndefined();
    expect((await visitor.graph('{ viewer { role } }')).status).toBe(401);
    const { body: log } = await owner.get<object[]>(`/organizations/${owner.id}/audit?action=revokeSession`);
    expect(log).toMatchObject([{ target: { kind: 'session', targetId: session!.id, name: username } }]);
  });
});
