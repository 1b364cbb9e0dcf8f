import { describe, expect, it } from '@jest/globals';
import { AccountType, Role } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createSignInLink } from '#operator/sign-in-link.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { callbackOf, client, type TestProvider, useProvider } from './provider.js';
import { Visitor, visitorOf } from './visitor.js';

const trusted = useProvider();
const stranger = useProvider();
const world = useWorld({
  config: {
    get oidc() {
      const shared = { clientId: client.id, clientSecret: client.secret };
      const domains = ['corp.example', 'mike.example'];
      return [
        { ...shared, number: 1, issuer: trusted.issuer, name: 'Ours', domains },
        { ...shared, number: 2, issuer: stranger.issuer, name: 'Anybody', domains: [] },
        { ...shared, number: 3, issuer: `${trusted.issuer}/`, name: 'With a slash', domains },
        { ...shared, number: 4, issuer: trusted.issuer, name: 'Entra', domains, verifiedClaim: 'xms_edov' },
        { ...shared, number: 5, issuer: trusted.issuer, name: 'Slow', domains },
      ];
    },
  },
});

let count = 0;
const fresh = () => `somebody-${process.pid}-${++count}`;

type Person = { sub: string; [claim: string]: unknown };

interface Way {
  provider?: TestProvider;
  number?: number;
  /** Token of an invitation. */
  invitation?: string;
}

/** Signs a person in by a provider. */
async function signIn(visitor: Visitor, person: Person, { provider = trusted, number = 1, invitation = '' }: Way = {}) {
  provider.person = person;
  const start = `/auth/start?provider=${number}&invitation=${invitation}`;
  return visitor.get(await callbackOf(provider, visitor, start));
}

async function invite(owner: AccountActor, role = 'member', of = owner.id) {
  const create = `mutation ($id: ID!, $email: EmailAddress!, $role: Role!) {
    createInvitation(organizationId: $id, email: $email, role: $role) { url } }`;
  const { body } = await owner.graph(create, { id: of, email: `${fresh()}@example.com`, role });
  const path = String(body.data!['createInvitation'].url).slice(world.url.length);
  return { path, token: path.split('token=')[1]! };
}

async function userWith(email: string) {
  const id = await createAccount(world.pool, AccountType.user, { username: fresh(), email }, new Date());
  return { id, email };
}

describe('an invitation opened by a signed-in person, from which another person signs in', () => {
  async function both() {
    const owner = await world.organization();
    const { path, token } = await invite(owner);
    const userId = await world.user();
    const visitor = await visitorOf(world, userId);
    const name = fresh();
    await signIn(visitor, { sub: name, name: 'The new one', preferred_username: name }, { invitation: token });
    const actions = [...(await visitor.get(path)).text.matchAll(/action="([^"]+)"><button>([^<]+)</g)];
    const formOf = (text: RegExp) =>
      `/auth/invitation${actions.find(([, , label]) => text.test(label!))![1]!.replaceAll('&amp;', '&')}`;
    return { owner, path, visitor, userId, name, formOf };
  }
  const membersOf = async (owner: AccountActor) =>
    (await owner.get<{ id: string; username: string }[]>(`/organizations/${owner.id}/members`)).body;

  it('makes a member of the person who arrived', async () => {
    const { owner, path, visitor, name } = await both();
    expect((await visitor.post(path)).status).toBe(303);
    expect(await membersOf(owner)).toMatchObject([{ username: name }]);
    expect((await visitor.session())?.username).toBe(name);
  });

  it('offers both people, and makes a member of the chosen one', async () => {
    const { owner, visitor, userId, formOf } = await both();
    const person = (await visitor.session())!.username;
    expect((await visitor.post(formOf(new RegExp(`Accept as ${person}`)))).status).toBe(303);
    expect(await membersOf(owner)).toMatchObject([{ id: userId }]);
  });

  it('asks again if another person signed in after the page was shown', async () => {
    const { owner, path, visitor, formOf } = await both();
    const form = formOf(/Accept as somebody|Accept as [^T]/);
    const other = await visitorOf(world, await world.user());
    for (const cookie of other.cookies) visitor.cookies.set(...cookie);
    const answer = await visitor.post(form);
    expect([answer.status, answer.headers.location]).toEqual([303, path]);
    expect(await membersOf(owner)).toEqual([]);
  });
});

it('accepts two invitations of one person in two tabs at once', async () => {
  const owners = [await world.organization(), await world.organization()];
  const visitor = new Visitor(world.url);
  const person = { sub: fresh(), name: 'Twice' };
  const paths: string[] = [];
  for (const owner of owners) {
    const { path, token } = await invite(owner);
    await signIn(visitor, person, { invitation: token });
    paths.push(path);
  }
  const answers = await Promise.all(paths.map((path) => visitor.post(path)));
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  const organizations = (await visitor.session())!.organizations.map(({ id }) => id);
  expect(organizations.sort()).toEqual(owners.map(({ id }) => id).sort());
});

it('signs in a person who returns from the provider in two tabs at once', async () => {
  const { id, email } = await userWith(`${fresh()}@corp.example`);
  trusted.person = { sub: fresh(), email, email_verified: true };
  const visitors = [new Visitor(world.url), new Visitor(world.url)] as const;
  const callbacks = [await callbackOf(trusted, visitors[0]), await callbackOf(trusted, visitors[1])] as const;
  const pages = await Promise.all(visitors.map((visitor, index) => visitor.get(callbacks[index]!)));
  expect(pages.map(({ status }) => status)).toEqual([303, 303]);
  for (const visitor of visitors) expect((await visitor.session())?.userId).toBe(id);
});

describe('address that a provider names', () => {
  it('remains available to its owner if the provider is trusted for no domain', async () => {
    const email = `${fresh()}@corp.example`;
    const thief = new Visitor(world.url);
    const { path, token } = await invite(await world.organization());
    await signIn(
      thief,
      { sub: fresh(), email, email_verified: true },
      { provider: stranger, number: 2, invitation: token },
    );
    await thief.post(path);
    expect(await thief.session()).not.toBeNull();
    await expect(createSignInLink(world.pool, email, new Date())).rejects.toThrow(`There is no user ${email}.`);
    const { id } = await userWith(email);
    const right = new Visitor(world.url);
    await signIn(right, { sub: fresh(), email, email_verified: true });
    expect((await right.session())?.userId).toBe(id);
  });

  it('identifies no account when the operator makes a sign-in link', async () => {
    const email = `${fresh()}@corp.example`;
    const { path, token } = await invite(await world.organization());
    const visitor = new Visitor(world.url);
    await signIn(visitor, { sub: fresh(), email, email_verified: true }, { invitation: token });
    await visitor.post(path);
    const { username } = (await visitor.session())!;
    await expect(createSignInLink(world.pool, email, new Date())).rejects.toThrow(/named by a provider/);
    expect((await createSignInLink(world.pool, username, new Date())).token).toHaveLength(43);
  });

  it.each([
    ['the Kelvin sign', 'mi\u212Ae@mike.example'],
    ['two at signs', 'x@y@mike.example'],
    ['a blank', 'mike @mike.example'],
  ])('links no account by %s', async (_name, email) => {
    await world.pool.query("delete from account where email = 'mike@mike.example'");
    await userWith('mike@mike.example');
    const visitor = new Visitor(world.url);
    expect((await signIn(visitor, { sub: fresh(), email, email_verified: true })).status).toBe(403);
  });

  it('counts as verified only if the same answer contains both the address and `email_verified`', async () => {
    const { email } = await userWith(`${fresh()}@corp.example`);
    trusted.forge = ({ email: _, ...claims }) => ({ ...claims, email_verified: true });
    const visitor = new Visitor(world.url);
    const { status } = await signIn(visitor, { sub: fresh(), email, email_verified: false });
    trusted.forge = undefined;
    expect(status).toBe(403);
  });

  it.each([
    ['true', true, 303],
    ['1', 1, 303],
    ['"1"', '1', 303],
    ['false', false, 403],
    ['"0"', '0', 403],
    ['absent', undefined, 403],
  ])('counts as verified by the claim of the settings: xms_edov is %s', async (_name, value, status) => {
    const { email } = await userWith(`${fresh()}@corp.example`);
    trusted.forge = ({ email_verified: _, ...claims }) => ({ ...claims, email, xms_edov: value });
    const page = await signIn(new Visitor(world.url), { sub: fresh() }, { number: 4 });
    trusted.forge = undefined;
    expect(page.status).toBe(status);
  });
});

it('recognizes people when the issuer in the settings gains or loses a slash at its end', async () => {
  const { id, email } = await userWith(`${fresh()}@corp.example`);
  const person = { sub: fresh(), email, email_verified: true };
  await signIn(new Visitor(world.url), person);
  // An earlier release stored the text of the settings.
  await world.pool.query("update identity set issuer = issuer || '/' where subject = $1", [person.sub]);
  for (const number of [3, 1, 3]) {
    const visitor = new Visitor(world.url);
    await signIn(visitor, { sub: person.sub }, { number });
    expect((await visitor.session())?.userId).toBe(id);
  }
  const { rows } = await world.pool.query('select issuer from identity where subject = $1', [person.sub]);
  expect(rows).toEqual([{ issuer: trusted.issuer }]);
});

it('takes over a name that changed at the provider, and notes the change in the event', async () => {
  const owner = await world.organization();
  const { path, token } = await invite(owner);
  const visitor = new Visitor(world.url);
  const sub = fresh();
  await signIn(visitor, { sub, name: 'Ada Byron' }, { invitation: token });
  await visitor.post(path);
  await signIn(visitor, { sub, name: 'Ada Lovelace' });
  expect((await visitor.session())?.name).toBe('Ada Lovelace');
  const { body } = await owner.get<object[]>(`/organizations/${owner.id}/audit?action=signIn&limit=1`);
  expect(body).toMatchObject([
    { actor: { userName: 'Ada Lovelace' }, changes: [{ field: 'name', before: 'Ada Byron', after: 'Ada Lovelace' }] },
  ]);
});

it('drops a name with characters that reverse the text after it', async () => {
  const { path, token } = await invite(await world.organization());
  const visitor = new Visitor(world.url);
  await signIn(visitor, { sub: fresh(), name: 'Ada \u202Enimda' }, { invitation: token });
  await visitor.post(path);
  expect((await visitor.session())?.name).toBeNull();
});

it('asks a slow provider once, however many people begin to sign in', async () => {
  const metadata = '/.well-known/openid-configuration';
  let release = () => {};
  trusted.hold.set(metadata, new Promise((resolve) => (release = resolve)));
  trusted.asked.delete(metadata);
  const begun = Array.from({ length: 60 }, () => new Visitor(world.url).get('/auth/start?provider=5'));
  // By then the service has all requests: this one came after them.
  await new Visitor(world.url).get('/auth/session');
  release();
  trusted.hold.delete(metadata);
  expect(new Set((await Promise.all(begun)).map(({ status }) => status))).toEqual(new Set([302]));
  expect(trusted.asked.get(metadata)).toBe(1);
});

describe('owner who was removed', () => {
  it.each([
    ['removed', (owner: AccountActor, id: string) => owner.delete(`/organizations/${owner.id}/members/${id}`)],
    [
      'made a member',
      (owner: AccountActor, id: string) => owner.put(`/organizations/${owner.id}/members/${id}`, { role: 'member' }),
    ],
  ])('finds an invitation of their own ended once they are %s', async (_name, end) => {
    const owner = await world.organization();
    await world.member(owner, Role.owner);
    const leaver = await world.member(owner, Role.owner);
    const { path } = await invite(leaver, 'owner', owner.id);
    const kept = await invite(owner, 'member');
    const visitor = await visitorOf(world, leaver.id);
    expect((await visitor.get(path)).status).toBe(200);
    await end(owner, leaver.id);
    const again = await visitorOf(world, leaver.id);
    expect([(await again.get(path)).status, (await again.post(path)).status]).toEqual([404, 404]);
    expect((await again.get(kept.path)).status).toBe(200);
    const list = 'query ($id: ID!) { invitations(organizationId: $id) { totalCount } }';
    expect((await owner.graph(list, { id: owner.id })).body.data).toEqual({ invitations: { totalCount: 1 } });
  });
});
