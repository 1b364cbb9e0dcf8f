import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { Role } from '#entities/enums.js';
import { createFirstOrganization } from '#operator/first-organization.js';
import { visitorOf } from '../sign-in/visitor.js';
import { endPoolsOf, poolOf } from '../support/connection.js';
import { createDatabase } from '../support/server.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let count = 0;

async function invite(owner: AccountActor, role: string, teamIds: string[] = []) {
  const create = `mutation ($id: ID!, $email: EmailAddress!, $role: Role!, $teamIds: [ID!]) {
    createInvitation(organizationId: $id, email: $email, role: $role, teamIds: $teamIds) { url invitation { id } } }`;
  const email = `audited-${++count}@example.com`;
  const { body } = await owner.graph(create, { id: owner.id, email, role, teamIds });
  const { url, invitation } = body.data!['createInvitation'] as { url: string; invitation: { id: string } };
  return { path: url.slice(world.url.length), id: invitation.id };
}

interface Event {
  action: string;
  target: { kind: string; targetId: string };
  changes: { field: string; before?: unknown; after?: unknown }[];
}

const eventsOf = async (owner: AccountActor, action: string) =>
  (await owner.get<Event[]>(`/organizations/${owner.id}/audit?action=${action}`)).body;

describe('event of an invitation that is accepted', () => {
  it.each([
    ['a new member', undefined, 'member', { field: 'role', after: 'member' }],
    ['a member who becomes an owner', Role.member, 'owner', { field: 'role', before: 'member', after: 'owner' }],
    ['an owner who stays one', Role.owner, 'member', undefined],
  ])('names the invitation, and the role of %s only if it changed', async (_name, before, role, changed) => {
    const owner = await world.organization();
    await world.member(owner, Role.owner);
    const userId = before === undefined ? await world.user() : (await world.member(owner, before)).id;
    const { path, id } = await invite(owner, role);
    const visitor = await visitorOf(world, userId);
    expect((await visitor.post(path)).status).toBe(303);
    const [event] = await eventsOf(owner, 'acceptInvitation');
    expect(event).toMatchObject({ target: { kind: 'member', targetId: userId } });
    expect(event!.changes).toEqual([{ field: 'invitationId', before: id }, ...(changed ? [changed] : [])]);
  });

  it('lists the teams that the person joined, and none that they were in', async () => {
    const owner = await world.organization();
    const member = await world.member(owner, Role.member);
    const [joined, known] = [
      await owner.make(`/organizations/${owner.id}/teams`, { name: 'Joined' }),
      await owner.make(`/organizations/${owner.id}/teams`, { name: 'Known' }),
    ];
    await owner.put(`/teams/${owner.id}/${known}/members/${member.id}`, {});
    const { path, id } = await invite(owner, 'member', [joined, known]);
    await (await visitorOf(world, member.id)).post(path);
    const [event] = await eventsOf(owner, 'acceptInvitation');
    expect(event!.changes).toEqual([
      { field: 'invitationId', before: id },
      { field: 'teamIds', after: [joined] },
    ]);
  });
});

it('the event of a member who leaves has their role', async () => {
  const owner = await world.organization();
  const member = await world.member(owner, Role.member);
  const visitor = await visitorOf(world, member.id);
  expect((await visitor.post(`/auth/leave?organizationId=${owner.id}`)).status).toBe(204);
  expect(await eventsOf(owner, 'leaveOrganization')).toMatchObject([
    { changes: [{ field: 'role', before: 'member' }] },
  ]);
});

it.each(['resendInvitation', 'revokeInvitation'])(
  '%s of an invitation that ends meanwhile answers 404 and leaves no event',
  async (name) => {
    const owner = await world.organization();
    const { id } = await invite(owner, 'member');
    const other = await world.pool.connect();
    await other.query('begin');
    await other.query(sql`delete from invitation where id = ${id}`);
    const fields = name === 'resendInvitation' ? 'url' : 'id';
    const answer = owner.graph(
      `mutation ($o: ID!, $id: ID!) { ${name}(organizationId: $o, invitationId: $id) { ${fields} } }`,
      { o: owner.id, id },
    );
    await until(async () => {
      const { rowCount } = await world.pool.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'invitation' and datname = current_database()",
      );
      return rowCount !== 0;
    });
    await other.query('commit');
    other.release();
    expect((await answer).body.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect(await eventsOf(owner, name)).toEqual([]);
  },
);

it('the owner of the first organization has an event', async () => {
  const databaseUrl = await createDatabase();
  const pool = poolOf(databaseUrl);
  try {
    const first = (await createFirstOrganization(pool, new Date()))!;
    const { rows } = await pool.query(
      'select action, actor_kind, target_id, target_name, changes from audit_event where target_kind = $1',
      ['member'],
    );
    expect(rows).toEqual([
      {
        action: 'first start',
        actor_kind: 'operator',
        target_id: first.users[0],
        target_name: 'Ada',
        changes: { role: [null, 'owner'] },
      },
    ]);
  } finally {
    await endPoolsOf(databaseUrl);
  }
});
