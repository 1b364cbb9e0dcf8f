import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { begun } from '../live/live-world.js';
import { overEvents } from '../live/subscriber.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
let applicationId: string;
let deviceId: string;
let at: string;
const serial = newId().slice(-12);
const above = (value: unknown, operator = 'gt') => ({ all: [{ variable: 't', operator, value }] });
const tooWarm = { name: 'Too warm', kind: 'threshold', severity: 'critical', when: above(8), until: above(6, 'lt') };

beforeAll(async () => {
  owner = await world.organization();
  applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
  deviceId = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
  at = `/applications/${owner.id}/${applicationId}`;
  await owner.put(`${at}/devices/${deviceId}`);
});

const send = (...points: [ts: number, t: number][]) =>
  owner.post(
    `/organizations/${owner.id}/records`,
    points.map(([ts, t]) => ({ serial, ts, data: { t } })),
  );

interface Episode {
  id: string;
  alertRuleId: string;
  openedAt: string;
  closedAt?: string;
  closedReason?: string;
  acknowledgedBy?: string;
}

const episodesOf = async (ruleId: string) => (await owner.get<Episode[]>(`${at}/episodes?alertRuleId=${ruleId}`)).body;

describe('alert rule', () => {
  it('returns its fields when created, read and listed, accepts its own answer in PUT, and can be deleted', async () => {
    const made = await owner.post<{ id: string }>(`${at}/alert-rules`, tooWarm);
    expect(made.status).toBe(200);
    const path = `${at}/alert-rules/${made.body.id}`;
    const got = await owner.get<object>(path);
    expect(got.body).toMatchObject({ ...tooWarm, for: 0, maxGap: 3600, disabled: false, products: [], tags: [] });
    expect((await owner.get<object[]>(`${at}/alert-rules`)).body).toContainEqual(got.body);
    const put = await owner.put<object>(path, got.body);
    expect(put.status).toBe(200);
    expect({ ...put.body, updatedAt: '' }).toEqual({ ...got.body, updatedAt: '' });
    expect((await owner.delete(path)).status).toBe(204);
    expect((await owner.get(path)).status).toBe(404);
  });

  it('opens an episode with the record, keeps it when renamed, and closes it when the condition changes', async () => {
    const ruleId = await owner.make(`${at}/alert-rules`, tooWarm);
    await send([1_700_000_000, 9]);
    const [open] = await episodesOf(ruleId);
    expect(open).toMatchObject({
      alertRuleId: ruleId,
      deviceId,
      severity: 'critical',
      openedAt: '2023-11-14T22:13:20.000Z',
      openedBy: { ts: 1_700_000_000, values: { t: 9 } },
    });
    await owner.put(`${at}/alert-rules/${ruleId}`, { name: 'Renamed' });
    expect((await episodesOf(ruleId))[0]).toEqual(open);
    await owner.put(`${at}/alert-rules/${ruleId}`, { name: 'Too warm', when: above(20) });
    expect((await episodesOf(ruleId))[0]).toMatchObject({ closedReason: 'ruleChanged' });
  });

  it.each([
    ['disabled', (path: string) => owner.put(path, { name: 'Off', disabled: true })],
    ['ruleDeleted', (path: string) => owner.delete(path)],
  ])('closes its episodes with the reason "%s"', async (reason, end) => {
    const ruleId = await owner.make(`${at}/alert-rules`, tooWarm);
    await send([1_700_000_100, 9]);
    await end(`${at}/alert-rules/${ruleId}`);
    expect(await episodesOf(ruleId)).toMatchObject([{ closedReason: reason }]);
  });

  it.each<[string, object, string]>([
    ['a field of the other kind', { ...tooWarm, silentFor: 60 }, 'silentFor'],
    ['no condition', { name: 'x', kind: 'threshold' }, 'when'],
    ['no duration of silence', { name: 'x', kind: 'silence' }, 'silentFor'],
    ['`until` that overlaps `when`', { ...tooWarm, until: above(10, 'lt') }, 'until'],
    ['a duration out of range', { ...tooWarm, for: 7 * 86_400 + 1 }, 'for'],
    ['a silence that is too short', { name: 'x', kind: 'silence', silentFor: 59 }, 'silentFor'],
    ['two forms of a condition', { ...tooWarm, when: { ...above(1), query: { match_all: {} } } }, 'when'],
    ['an operator that does not fit the value', { ...tooWarm, when: above('warm') }, 'when.all.0.operator'],
    ['a value of no kind', { ...tooWarm, when: above([1]) }, 'when.all.0.value'],
    ['an unknown field', { ...tooWarm, threshold: 1 }, 'threshold'],
    [
      'a query that no search takes',
      { ...tooWarm, when: { query: { nonsense: {} } }, until: null },
      'when.query.nonsense',
    ],
    ['a comparison without a value', { ...tooWarm, when: above(null) }, 'when.all.0.value'],
    ['NUL in a query', { ...tooWarm, when: { query: { term: { 'data.t': 'a\0' } } }, until: null }, 'when.query'],
    [
      'a query of more than 16,384 characters',
      { ...tooWarm, when: { query: { term: { 'data.t': 'a'.repeat(16_384) } } }, until: null },
      'when.query',
    ],
    ['nine comparisons', { ...tooWarm, when: { all: Array(9).fill(above(1).all[0]) } }, 'when.all'],
  ])('returns 422 for %s', async (_what, body, path) => {
    const { status, body: answer } = await owner.post(`${at}/alert-rules`, body);
    expect([status, answer]).toEqual([422, expect.objectContaining({ errors: [expect.objectContaining({ path })] })]);
  });

  it('accepts a query that contains a backslash before u0000', async () => {
    const query = { term: { 'data.t': String.raw`\u0000` } };
    const made = await owner.post(`${at}/alert-rules`, { name: 'Text', kind: 'threshold', when: { query } });
    expect(made).toMatchObject({ status: 200, body: { when: { query } } });
  });

  it('returns 422 for a value that does not fit the declared type of the variable', async () => {
    const variables = [{ name: 'door', type: 'BOOL' }];
    const product = { name: 'Door', version: '1', variables };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const when = { any: [{ variable: 'door', operator: 'gt', value: 3 }] };
    const body = { name: 'Open', kind: 'threshold', products: [productId], when };
    expect(await owner.post(`${at}/alert-rules`, body)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'when.any.0.value', message: expect.stringContaining('boolean') }] },
    });
  });

  it('returns 422 for a change of its kind, and 404 for a product of another organization', async () => {
    const ruleId = await owner.make(`${at}/alert-rules`, tooWarm);
    const changed = await owner.put(`${at}/alert-rules/${ruleId}`, { name: 'x', kind: 'silence' });
    expect(changed).toMatchObject({ status: 422, body: { errors: [{ path: 'kind' }] } });
    const other = await world.organization();
    const product = { name: 'Theirs', version: '1', variables: [] };
    const productId = await other.make(`/organizations/${other.id}/products`, product);
    expect((await owner.post(`${at}/alert-rules`, { ...tooWarm, products: [productId] })).status).toBe(404);
  });

  it('returns 409 beyond 100 rules of an application', async () => {
    const application = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Full' });
    const rules = `/applications/${owner.id}/${application}/alert-rules`;
    const made = await Promise.all(Array.from({ length: 104 }, () => owner.post(rules, tooWarm)));
    const statuses = Object.groupBy(made, ({ status }) => String(status));
    expect([statuses['200']?.length, statuses['409']?.length]).toEqual([100, 4]);
  });
});

describe('episodes', () => {
  it('accepts acknowledgement by identifier or filter from a caller who may read the application', async () => {
    const ruleId = await owner.make(`${at}/alert-rules`, tooWarm);
    await send([1_700_001_000, 9]);
    const reader = await world.member(owner, Role.member);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: newId() });
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${reader.id}`);
    const acknowledge = (body: object) => reader.post(`${at}/episodes/acknowledge`, body);
    expect(await acknowledge({})).toMatchObject({ status: 422, body: { errors: [{ path: 'ids' }] } });
    const answer = await acknowledge({ state: 'open', alertRuleId: ruleId });
    expect(answer).toMatchObject({ status: 200, body: { count: 1, hasMore: false } });
    const [episode] = await episodesOf(ruleId);
    expect(episode).toMatchObject({ acknowledgedBy: reader.id });
    expect(await acknowledge({ ids: [episode!.id] })).toMatchObject({ body: { count: 0 } });
    const left = await owner.get(`${at}/episodes?acknowledged=false&alertRuleId=${ruleId}`);
    expect(left.body).toEqual([]);
  });

  it('counts open episodes of an application, and lists them below devices', async () => {
    const name = 'Counted';
    const other = await owner.make(`/organizations/${owner.id}/applications`, { name });
    await owner.put(`/applications/${owner.id}/${other}/devices/${deviceId}`);
    await owner.make(`/applications/${owner.id}/${other}/alert-rules`, tooWarm);
    await send([1_700_002_000, 30]);
    const { body } = await owner.graph(
      `query ($organizationId: ID!, $applicationId: ID!, $deviceId: ID!) {
        application(organizationId: $organizationId, applicationId: $applicationId) { openEpisodeCount }
        device(organizationId: $organizationId, deviceId: $deviceId) {
          openEpisodes(limit: 100) { totalCount items { name applicationId alertRule { name } device { serial } } }
        }
      }`,
      { organizationId: owner.id, applicationId: other, deviceId },
    );
    expect(body.data?.['application']).toEqual({ openEpisodeCount: 1 });
    expect(body.data?.['device'].openEpisodes.items).toContainEqual({
      name: 'Too warm',
      applicationId: other,
      alertRule: { name: 'Too warm' },
      device: { serial },
    });
  });
});

describe('export of episodes', () => {
  it('has a row for each episode, for an application and for all that the caller may read', async () => {
    const ruleId = await owner.make(`${at}/alert-rules`, { ...tooWarm, name: 'Exported' });
    await send([1_700_002_500, 9], [1_700_002_501, 1]);
    const query = 'of=episodes&columns=alertRuleId,name,openedAt,closedBy.values,closedReason';
    const row = `${ruleId},Exported,2023-11-14T22:55:00.000Z,"{""t"":1}",cleared`;
    for (const path of [`${at}/export?`, `/organizations/${owner.id}/export?`]) {
      const { body } = await owner.get<string>(`${path}${query}`);
      expect(body.split('\r\n')).toContain(row);
    }
  });
});

describe('events of a hook', () => {
  const kindsOf = async (hookId: string) =>
    (
      await world.pool.query<{ kind: string; payload: object }>(
        `select coalesce(kind, event) kind, payload from delivery where hook_id = $1 order by id`,
        [hookId],
      )
    ).rows;
  const until = async (hookId: string, count: number) => {
    for (;;) {
      const rows = await kindsOf(hookId);
      if (rows.length >= count) return rows;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const hookWith = async (events: string[], actor = owner, organization = owner) => {
    const application = await organization.make(`/organizations/${organization.id}/applications`, { name: 'Hooked' });
    const path = `/applications/${organization.id}/${application}/hooks`;
    const hookId = await organization.make(path, { url: 'http://127.0.0.1:9/' });
    const set = await actor.put(`${path}/${hookId}/settings`, { events });
    return { hookId, path, set, application };
  };

  it('contains only records by default, and accepts the known events', async () => {
    const { hookId, path } = await hookWith(['alert.opened', 'alert.closed']);
    expect((await owner.get(`${path}/${hookId}/settings`)).body).toMatchObject({
      events: ['alert.opened', 'alert.closed'],
    });
    await owner.put(`${path}/${hookId}/settings`, { events: null });
    expect((await owner.get(`${path}/${hookId}/settings`)).body).toMatchObject({ events: ['record'] });
    const refused = await owner.put(`${path}/${hookId}/settings`, { events: ['record', 'birthday'] });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: expect.stringContaining('events') }] } });
  });

  it('includes registration and deletion of devices', async () => {
    const other = await world.organization();
    const { hookId } = await hookWith(['device.registered', 'device.deleted'], other, other);
    const own = newId().slice(-12);
    const id = await other.make(`/organizations/${other.id}/devices/${own}`, { name: 'Attic' });
    await other.delete(`/devices/${other.id}/${id}`);
    const device = { id, serial: own, name: 'Attic', organizationId: other.id };
    expect(await until(hookId, 2)).toEqual([
      { kind: 'device.registered', payload: { device } },
      { kind: 'device.deleted', payload: { device } },
    ]);
  });

  it('returns 403 to members for device events, and accepts alert events from them', async () => {
    const writer = await world.member(owner, Role.member);
    const { hookId, path, application } = await hookWith(['record']);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: newId() });
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${application}`, { permission: 'write' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${writer.id}`);
    expect((await writer.put(`${path}/${hookId}/settings`, { events: ['device.deleted'] })).status).toBe(403);
    expect((await writer.put(`${path}/${hookId}/settings`, { events: ['alert.opened'] })).status).toBe(200);
  });

  it('includes the disabling of another hook of the application', async () => {
    const { hookId, path, application } = await hookWith(['hook.disabled']);
    const offId = await owner.make(path, { url: 'http://127.0.0.1:9/' });
    await owner.put(`${path}/${offId}/settings`, { events: ['hook.disabled'] });
    await owner.put(`${path}/${offId}`, { url: 'http://127.0.0.1:9/', disabled: true });
    expect(await until(hookId, 1)).toEqual([
      {
        kind: 'hook.disabled',
        payload: {
          hook: { id: offId, disabledReason: 'request' },
          application: { id: application, organizationId: owner.id },
        },
      },
    ]);
    expect(await kindsOf(offId)).toEqual([]);
  });
});

describe('episodeChanged subscription', () => {
  const query = `subscription ($organizationId: ID!, $applicationId: ID!) {
    episodeChanged(organizationId: $organizationId, applicationId: $applicationId) {
      episodes { alertRuleId closedReason acknowledgedBy } } }`;

  it('sends episodes when they open, are acknowledged and close', async () => {
    const variables = { organizationId: owner.id, applicationId };
    const subscriber = overEvents(world.url, owner.token, { query, variables });
    await subscriber.until(begun);
    const ruleId = await owner.make(`${at}/alert-rules`, tooWarm);
    const heard = () =>
      subscriber.results
        .flatMap(({ data }) => data?.['episodeChanged'].episodes as Episode[])
        .filter(({ alertRuleId }) => alertRuleId === ruleId);
    await send([1_700_003_000, 9]);
    await subscriber.until(() => heard().length === 1);
    await owner.post(`${at}/episodes/acknowledge`, { alertRuleId: ruleId });
    await subscriber.until(() => heard().length === 2);
    await send([1_700_003_001, 1]);
    await subscriber.until(() => heard().length === 3);
    expect(heard()).toEqual([
      { alertRuleId: ruleId, closedReason: null, acknowledgedBy: null },
      { alertRuleId: ruleId, closedReason: null, acknowledgedBy: owner.id },
      { alertRuleId: ruleId, closedReason: 'cleared', acknowledgedBy: owner.id },
    ]);
    subscriber.leave();
  });
});
