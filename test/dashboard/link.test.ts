import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { newLink } from '../auth/operations.js';
import { begun, values } from '../live/live-world.js';
import { overEvents } from '../live/subscriber.js';
import { connectAssistant } from '../mcp/assistant.js';
import { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { figure, makeApplication, saved } from './dashboard.js';

const world = useWorld();

/** Creates an organization with an application, and a link to the application's dashboard. */
async function makePlace() {
  const owner = await world.organization();
  const applicationId = await makeApplication(owner);
  const link = await newLink({ owner, applicationId });
  return { owner, applicationId, link, viewer: new Actor(world.url, link.token) };
}

const links = async (owner: AccountActor, id: string, actor: Actor = owner) => {
  const query = `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) {
    dashboardLinks { id applicationId name prefix createdAt lastUsedAt expiresAt } } }`;
  return (await actor.graph(query, { o: owner.id, a: id })).body;
};

const end = (actor: Actor, owner: AccountActor, applicationId: string, linkId: string) =>
  actor.graph(
    `mutation ($o: ID!, $a: ID!, $id: ID!) { deleteDashboardLink(organizationId: $o, applicationId: $a, linkId: $id) { name } }`,
    { o: owner.id, a: applicationId, id: linkId },
  );

describe('link to a dashboard', () => {
  it('shows its address once, and is listed without its token', async () => {
    const { owner, applicationId, link } = await makePlace();
    expect(link.token).toMatch(/^ddplink_[\w-]{43}$/);
    expect(link.url).toBe(`${world.url}/console/wall#${link.token}`);
    const body = await links(owner, applicationId);
    expect(body.data!['application'].dashboardLinks).toEqual([
      {
        id: link.id,
        applicationId,
        name: 'Wall',
        prefix: link.token.slice(0, 12),
        createdAt: expect.any(String),
        lastUsedAt: null,
        expiresAt: null,
      },
    ]);
    const tokens = await owner.graph('{ account { tokens(limit: 100) { items { name } } } }');
    expect(tokens.body.data!['account'].tokens.items).not.toContainEqual({ name: 'Wall' });
  });

  it('tells its application and dashboard to whoever has it', async () => {
    const { owner, applicationId, viewer } = await makePlace();
    const document = { format: 1, range: '24h', variables: [], panels: [figure] };
    await saved(owner, { owner, id: applicationId, version: 0, document });
    const { body } = await viewer.graph(
      '{ viewer { scope role userId application { id organizationId permission dashboard { version document } } } }',
    );
    expect(body.data!['viewer']).toEqual({
      scope: 'read',
      role: 'member',
      userId: null,
      application: {
        id: applicationId,
        organizationId: owner.id,
        permission: 'read',
        dashboard: { version: 1, document },
      },
    });
    const other = await owner.graph('{ viewer { application { id } } }');
    expect(other.body.data).toEqual({ viewer: { application: null } });
  });

  it('lists its last use', async () => {
    const { owner, applicationId, viewer } = await makePlace();
    await viewer.graph('{ viewer { scope } }');
    const body = await links(owner, applicationId);
    expect(body.data!['application'].dashboardLinks).toMatchObject([{ lastUsedAt: expect.any(String) }]);
  });

  it('gets 401 from the first request after its end', async () => {
    const { owner, applicationId, link, viewer } = await makePlace();
    expect((await end(owner, owner, applicationId, link.id)).body.data).toEqual({
      deleteDashboardLink: { name: 'Wall' },
    });
    expect((await viewer.graph('{ viewer { scope } }')).status).toBe(401);
    expect((await viewer.get(`/applications/${owner.id}/${applicationId}`)).status).toBe(401);
    expect((await links(owner, applicationId)).data!['application'].dashboardLinks).toEqual([]);
    expect((await end(owner, owner, applicationId, link.id)).body.errors).toMatchObject([
      { extensions: { code: 'NOT_FOUND' } },
    ]);
  });

  it('ends once when two callers end it at once, with one event', async () => {
    const { owner, applicationId, link } = await makePlace();
    const both = await Promise.all([1, 2].map(() => end(owner, owner, applicationId, link.id)));
    const codes = both.map(({ body }) => body.errors?.[0]?.extensions.code);
    expect(codes.sort()).toEqual(['NOT_FOUND', undefined]);
    const events = await owner.get<object[]>(`/organizations/${owner.id}/audit?action=deleteDashboardLink`);
    expect(events.body).toHaveLength(1);
  });

  it('ends with its application, and at its time', async () => {
    const { owner, applicationId, viewer } = await makePlace();
    expect((await owner.delete(`/applications/${owner.id}/${applicationId}`)).status).toBe(204);
    expect((await viewer.graph('{ viewer { scope } }')).status).toBe(401);
    const late = await makePlace();
    await world.pool.query('update api_token set expires_at = now() where id = $1', [late.link.id]);
    expect((await late.viewer.graph('{ viewer { scope } }')).status).toBe(401);
  });

  it('refuses an end in the past', async () => {
    const { owner, applicationId } = await makePlace();
    const { body } = await owner.graph(
      `mutation ($o: ID!, $a: ID!) { createDashboardLink(organizationId: $o, applicationId: $a, name: "Past", expiresAt: "2020-01-01T00:00:00Z") { token } }`,
      { o: owner.id, a: applicationId },
    );
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'expiresAt' }] } }]);
  });

  it('returns CONFLICT for more than 100 of an application, also when made at once', async () => {
    const { owner, applicationId } = await makePlace();
    await world.pool.query(
      `insert into api_token (id, organization_id, application_id, name, scope, hash, prefix, created_at)
       select gen_random_uuid(), $1, $2, 'x', 'read', sha256(gen_random_uuid()::text::bytea), 'ddplink_', now() from generate_series(1, 98)`,
      [owner.id, applicationId],
    );
    const make = () =>
      newLink({ owner, applicationId }).then(
        () => 'made',
        () => 'refused',
      );
    const outcomes = await Promise.all([make(), make(), make()]);
    expect(outcomes.sort()).toEqual(['made', 'refused', 'refused']);
    expect((await links(owner, applicationId)).data!['application'].dashboardLinks).toHaveLength(100);
  });

  it('leaves events of its making and its end in the history of the application, without its token', async () => {
    const { owner, applicationId, link } = await makePlace();
    await end(owner, owner, applicationId, link.id);
    const query = `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) {
      history { items { action changes { field before after } } } } }`;
    const { body } = await owner.graph(query, { o: owner.id, a: applicationId });
    expect(body.data!['application'].history.items.slice(0, 2)).toEqual([
      { action: 'deleteDashboardLink', changes: [{ field: 'name', before: 'Wall', after: null }] },
      {
        action: 'createDashboardLink',
        changes: expect.arrayContaining([
          { field: 'name', before: null, after: 'Wall' },
          { field: 'hash', before: null, after: 'changed' },
        ]),
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(link.token);
  });

  it('belongs to owners: other members see the application and not its links', async () => {
    const { owner, applicationId } = await makePlace();
    const member = await world.member(owner, Role.member);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Field' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'write' });
    expect(await links(owner, applicationId, member)).toMatchObject({
      data: { application: { dashboardLinks: null } },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
  });
});

describe('link to a dashboard beside its application', () => {
  let place: Awaited<ReturnType<typeof makePlace>>;
  let other: { applicationId: string; deviceId: string; hookId: string; alertRuleId: string };

  const device = async (owner: AccountActor, serial: string, ...applications: string[]) => {
    const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
    for (const each of applications) await owner.put(`/applications/${owner.id}/${each}/devices/${id}`);
    return id;
  };

  beforeAll(async () => {
    place = await makePlace();
    const { owner } = place;
    const applicationId = await makeApplication(owner, { name: 'Elsewhere' });
    const at = `/applications/${owner.id}/${applicationId}`;
    other = {
      applicationId,
      deviceId: await device(owner, 'b001', applicationId),
      hookId: await owner.make(`${at}/hooks`, { url: 'http://127.0.0.1:9/' }),
      alertRuleId: await owner.make(`${at}/alert-rules`, { name: 'S', kind: 'silence', silentFor: 3600 }),
    };
    await device(owner, 'a001', place.applicationId);
    await owner.post(`/organizations/${owner.id}/records`, [
      { serial: 'a001', data: { t: 1 } },
      { serial: 'b001', data: { t: 2 } },
    ]);
  });

  it.each([
    ['another application', () => ['application(organizationId: $o, applicationId: $a) { id }', 'NOT_FOUND']],
    [
      'a device of another application',
      () => [`device(organizationId: $o, deviceId: "${other.deviceId}") { id }`, 'NOT_FOUND'],
    ],
    ['its serial', () => ['deviceBySerial(organizationId: $o, deviceSerial: "b001") { id }', 'NOT_FOUND']],
    [
      'its newest values',
      () => [`latest(organizationId: $o, deviceIds: ["${other.deviceId}"]) { deviceId }`, 'NOT_FOUND'],
    ],
    [
      'its series',
      () => [
        `series(organizationId: $o, deviceIds: ["${other.deviceId}"], variables: ["t"]) { deviceId }`,
        'NOT_FOUND',
      ],
    ],
    [
      'a search elsewhere',
      () => [
        'search(organizationId: $o, applicationId: $a, ts: { gte: 0, lte: 4e9 }, queries: []) { took }',
        'NOT_FOUND',
      ],
    ],
    ['episodes elsewhere', () => ['episodes(organizationId: $o, applicationId: $a) { totalCount }', 'NOT_FOUND']],
    [
      'an alert rule elsewhere',
      () => [
        `alertRule(organizationId: $o, applicationId: $a, alertRuleId: "${other.alertRuleId}") { id }`,
        'NOT_FOUND',
      ],
    ],
    ['all applications', () => ['applications(organizationId: $o) { totalCount }', 'FORBIDDEN']],
    ['all devices', () => ['devices(organizationId: $o) { totalCount }', 'FORBIDDEN']],
    ['a node', () => [`node(id: "${other.deviceId}") { id }`, 'FORBIDDEN']],
    ['the users of the platform', () => ['accounts { totalCount }', 'FORBIDDEN']],
    ['the organization', () => ['organization(organizationId: $o) { id }', 'FORBIDDEN']],
    ['its own account', () => ['account { id }', 'FORBIDDEN']],
  ])('reads nothing of %s', async (_name, make) => {
    const [field, code] = make() as [string, string];
    const variables = { o: place.owner.id, ...(field.includes('$a') && { a: other.applicationId }) };
    const declared = `$o: ID!${'a' in variables ? ', $a: ID!' : ''}`;
    const query = field.includes('$o') ? `query (${declared}) { ${field} }` : `{ ${field} }`;
    const { body } = await place.viewer.graph(query, field.includes('$o') ? variables : {});
    expect(body).toMatchObject({ errors: [{ extensions: { code } }] });
    expect(Object.values(body.data!)).toEqual([null]);
  });

  it.each([
    [200, 'its application', ''],
    [200, 'its devices', '/devices'],
    [200, 'its alert rules', '/alert-rules'],
    [200, 'its episodes', '/episodes'],
    [200, 'newest values', '/latest'],
    [403, 'hooks', '/hooks'],
    [403, 'an export', '/export'],
  ])('receives %i for %s over REST', async (status, _name, path) => {
    const { owner, viewer, applicationId } = place;
    expect((await viewer.get(`/applications/${owner.id}/${applicationId}${path}`)).status).toBe(status);
    const elsewhere = await viewer.get(`/applications/${owner.id}/${other.applicationId}${path}`);
    expect(elsewhere.status).toBe(status === 200 ? 404 : status);
  });

  it('gets 403 from the interface of Elasticsearch', async () => {
    const { owner, link, applicationId } = place;
    const path = `/ddp/v1/applications/${owner.id}/${applicationId}/elasticsearch/_cat/indices`;
    const answer = await fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${link.token}` } });
    expect(answer.status).toBe(403);
  });

  it('counts and lists only its own application of a shared device', async () => {
    const { owner, viewer, applicationId } = place;
    const deviceId = await device(owner, 'ab01', applicationId, other.applicationId);
    const query = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) {
      applicationCount applications { totalCount items { id } } openEpisodes { totalCount } } }`;
    const { body } = await viewer.graph(query, { o: owner.id, d: deviceId });
    expect(body.data!['device']).toEqual({
      applicationCount: 1,
      applications: { totalCount: 1, items: [{ id: applicationId }] },
      openEpisodes: { totalCount: 0 },
    });
  });

  it('loses a device that is unlinked from its application', async () => {
    const { owner, viewer, applicationId } = place;
    const deviceId = await device(owner, 'a002', applicationId);
    const read = () => viewer.get(`/devices/${owner.id}/${deviceId}`);
    expect((await read()).status).toBe(200);
    await owner.delete(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    expect((await read()).status).toBe(404);
  });

  it('gets NOT_FOUND from the subscriptions of another application', async () => {
    const { owner, viewer } = place;
    const variables = { o: owner.id, a: other.applicationId };
    for (const name of ['recordReceived', 'episodeChanged']) {
      const query = `subscription ($o: ID!, $a: ID!) { ${name}(organizationId: $o, applicationId: $a) { missed } }`;
      expect((await viewer.firstEvent(query, variables)).body.errors).toMatchObject([
        { extensions: { code: 'NOT_FOUND' } },
      ]);
    }
  });

  it('receives the records of its application as they are stored, and none of another', async () => {
    const { owner, applicationId, link } = place;
    const records = (a: string) => ({
      query: `subscription ($o: ID!, $a: ID!) { recordReceived(organizationId: $o, applicationId: $a) { records { data } } }`,
      variables: { o: owner.id, a },
    });
    const [ofLink, ofOwner] = [
      overEvents(world.url, link.token, records(applicationId)),
      overEvents(world.url, owner.token, records(other.applicationId)),
    ];
    for (const each of [ofLink, ofOwner]) await each.until(begun);
    // The test stores the other application's record first, so an unfiltered answer would begin with it.
    for (const [serial, t] of [
      ['b001', 11],
      ['a001', 12],
    ] as const)
      await owner.post(`/organizations/${owner.id}/records`, { serial, data: { t } });
    for (const each of [ofLink, ofOwner]) {
      await each.until((heard) => values(heard).length > 0);
      each.leave();
    }
    expect([values(ofLink), values(ofOwner)]).toEqual([[{ t: 12 }], [{ t: 11 }]]);
  });

  it('reads its application as an assistant, and no other', async () => {
    const { link, applicationId } = place;
    const assistant = await connectAssistant(world.url, link, 'modern');
    const search = (id: string) => assistant.call('search_records', { applicationId: id, size: 0 });
    expect(await search(applicationId)).toMatchObject({ isError: false });
    expect(await search(other.applicationId)).toMatchObject({ isError: true, data: { error: { code: 'NOT_FOUND' } } });
    await assistant.client.close();
  });

  it('reads its application in an atomic batch, and nothing else', async () => {
    const { owner, viewer, applicationId } = place;
    const query = 'query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) { name } }';
    const of = (a: string) => ({ query, variables: { o: owner.id, a } });
    const { body } = await viewer.postGraph<object[]>([of(applicationId), of(other.applicationId)]);
    expect(body).toMatchObject([
      { data: { application: { name: 'Cold chain' } } },
      { data: { application: null }, errors: [{ extensions: { code: 'NOT_FOUND' } }] },
    ]);
  });
});
