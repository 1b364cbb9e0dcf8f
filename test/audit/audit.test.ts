import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role, TokenScope } from '#entities/enums.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld({ config: { trustProxy: ['loopback'] } });
let owner: AccountActor;

beforeAll(async () => {
  owner = await world.organization();
});

interface Change {
  field: string;
  before?: unknown;
  after?: unknown;
}

interface AuditEvent {
  id: string;
  at: string;
  action: string;
  actor: { kind: string; actorId?: string; name?: string; userId?: string; userName?: string };
  target?: { kind: string; targetId?: string; name?: string };
  changes: Change[];
  outcome: string;
  requestId?: string;
  address?: string;
}

const read = async (query = ''): Promise<AuditEvent[]> => {
  const { status, body } = await owner.get<AuditEvent[]>(`/organizations/${owner.id}/audit?limit=100${query}`);
  expect(status).toBe(200);
  return body;
};

const newest = async (action: string): Promise<AuditEvent> => (await read(`&action=${encodeURIComponent(action)}`))[0]!;

const newApplication = () => owner.make(`/organizations/${owner.id}/applications`, { name: 'Pumps' });
const newHook = (applicationId: string, body: object = {}) =>
  owner.make(`/applications/${owner.id}/${applicationId}/hooks`, { url: 'http://127.0.0.1:9/', ...body });

describe('an event of the audit log', () => {
  it('says who changed which fields of what, and in which request', async () => {
    const id = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Field', description: 'Visits pumps.' });
    const answer = await owner.put(`/teams/${owner.id}/${id}`, { name: 'Field Ops', description: null });
    const event = await newest('updateTeam');
    expect(event).toEqual({
      id: expect.any(String),
      organizationId: owner.id,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      action: 'updateTeam',
      actor: { kind: 'token', actorId: expect.any(String) },
      target: { kind: 'team', targetId: id, name: 'Field Ops' },
      changes: [
        { field: 'name', before: 'Field', after: 'Field Ops' },
        { field: 'description', before: 'Visits pumps.' },
      ],
      outcome: 'success',
      requestId: answer.headers.get('x-request-id'),
      address: expect.stringContaining('127.0.0.1'),
    });
  });

  it('has the address that a proxy forwards, without the port that it appends', async () => {
    await fetch(`${owner.base}/organizations/${owner.id}/teams`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.5:50123',
      },
      body: JSON.stringify({ name: 'Behind a proxy' }),
    });
    expect(await newest('createTeam')).toMatchObject({ target: { name: 'Behind a proxy' }, address: '203.0.113.5' });
  });

  it('has the counts of a call that puts many things, and a dry run leaves none', async () => {
    const put = (dryRun: boolean) =>
      owner.graph(
        `mutation ($o: ID!, $dryRun: Boolean) {
          putDevices(organizationId: $o, devices: [{ serial: "ad-01" }, { serial: "ad-02" }], dryRun: $dryRun) { created }
        }`,
        { o: owner.id, dryRun },
      );
    expect((await put(true)).body.data).toEqual({ putDevices: { created: 2 } });
    expect(await read('&action=putDevices')).toEqual([]);
    expect((await put(false)).body.data).toEqual({ putDevices: { created: 2 } });
    expect(await read('&action=putDevices')).toMatchObject([
      {
        target: { kind: 'device' },
        changes: [
          { field: 'created', after: 2 },
          { field: 'updated', after: 0 },
        ],
      },
    ]);
  });

  it('exists for each operation of an atomic batch that succeeds, and for none of one that fails', async () => {
    const query = 'mutation ($o: ID!, $name: String!) { createTeam(organizationId: $o, name: $name) { id } }';
    const send = (names: string[]) =>
      owner.postGraph(names.map((name) => ({ query, variables: { o: owner.id, name }, extensions: { atomic: true } })));
    await send(['Done one', 'Done two']);
    await send(['Undone', 'x'.repeat(1000)]);
    const told = (await read('&action=createTeam')).map(({ target }) => target?.name);
    expect(told.slice(0, 2)).toEqual(['Done two', 'Done one']);
    expect(told).not.toContain('Undone');
  });

  it('lists no changes if nothing changed', async () => {
    const id = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Same' });
    await owner.put(`/teams/${owner.id}/${id}`, { name: 'Same' });
    expect(await newest('updateTeam')).toMatchObject({
      target: { kind: 'team', targetId: id, name: 'Same' },
      changes: [],
    });
  });

  it('shows lists and objects as whole values', async () => {
    const id = await owner.make(`/organizations/${owner.id}/devices/ab-01`, { tags: ['north'] });
    await owner.put(`/devices/${owner.id}/${id}`, { tags: ['north', 'cold'], location: { lat: 59.8, lon: 17.6 } });
    expect((await newest('updateDevice')).changes).toEqual([
      { field: 'tags', before: ['north'], after: ['north', 'cold'] },
      { field: 'lat', after: 59.8 },
      { field: 'lon', after: 17.6 },
    ]);
    const variables = [{ name: 'temperature', type: 'FLOAT32' }];
    const product = { name: 'Probe', version: '1', variables };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const more = [...variables, { name: 'humidity', unit: '%', type: 'UINT8' }];
    await owner.put(`/products/${owner.id}/${productId}`, { ...product, variables: more });
    expect((await newest('updateProduct')).changes).toEqual([{ field: 'variables', before: variables, after: more }]);
    await owner.delete(`/products/${owner.id}/${productId}`);
    expect((await newest('deleteProduct')).changes).toContainEqual({ field: 'version', before: '1' });
  });

  it('names the member to whom the token belongs, by the name at that time', async () => {
    const member = await world.member(owner, Role.owner);
    const id = await member.make(`/organizations/${owner.id}/teams`, { name: 'By a member' });
    const { actor } = (await read(`&target=${id}`))[0]!;
    const { rows } = await world.pool.query<{ username: string }>('select username from account where id = $1', [
      member.id,
    ]);
    expect(actor).toEqual({
      kind: 'token',
      actorId: expect.any(String),
      userId: member.id,
      userName: rows[0]!.username,
    });
    await world.pool.query(`update account set name = 'Somebody else' where id = $1`, [member.id]);
    expect((await read(`&target=${id}`))[0]!.actor.userName).toBe(rows[0]!.username);
  });

  it('lists new links only, not those that existed before', async () => {
    const applicationId = await newApplication();
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/ab-02`, { name: 'Pump 2' });
    const link = `/applications/${owner.id}/${applicationId}/devices/${deviceId}`;
    for (const call of [() => owner.put(link), () => owner.put(link), () => owner.delete(link)]) await call();
    const told = (await read(`&target=${applicationId}`)).map(({ action, changes }) => [action, changes]);
    const device = { id: deviceId, name: 'Pump 2' };
    expect(told.slice(0, 3)).toEqual([
      ['removeApplicationDevice', [{ field: 'device', before: device }]],
      ['addApplicationDevice', []],
      ['addApplicationDevice', [{ field: 'device', after: device }]],
    ]);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Readers' });
    const grant = `/teams/${owner.id}/${teamId}/applications/${applicationId}`;
    await owner.put(grant, { permission: 'read' });
    await owner.put(grant, { permission: 'write' });
    const application = { id: applicationId, name: 'Pumps' };
    expect((await newest('setTeamApplication')).changes).toEqual([
      {
        field: 'application',
        before: { ...application, permission: 'read' },
        after: { ...application, permission: 'write' },
      },
    ]);
  });

  it('shows the old and the new role of a member', async () => {
    const userId = await world.user();
    const path = `/organizations/${owner.id}/members/${userId}`;
    for (const role of ['member', 'owner', 'owner']) await owner.put(path, { role });
    await owner.delete(path);
    expect((await read(`&target=${userId}`)).map(({ changes }) => changes)).toEqual([
      [{ field: 'role', before: 'owner' }],
      [],
      [{ field: 'role', before: 'member', after: 'owner' }],
      [{ field: 'role', after: 'member' }],
    ]);
  });

  it('does not exist for a refused change', async () => {
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/ab-03`);
    const applicationId = await newApplication();
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    expect((await owner.delete(`/devices/${owner.id}/${deviceId}`)).status).toBe(409);
    expect((await owner.call('POST', `/organizations/${owner.id}/devices/ab-03`, {})).status).toBe(409);
    expect((await owner.put(`/devices/${owner.id}/${deviceId}`, { name: 12 })).status).toBe(422);
    expect((await read(`&target=${deviceId}`)).map(({ action }) => action)).toEqual(['registerDevice']);
  });

  it('counts the devices that a batch changed, and names the device if it was only one', async () => {
    const ids = await Promise.all(
      ['ab-11', 'ab-12'].map((serial) => owner.make(`/organizations/${owner.id}/devices/${serial}`)),
    );
    const tag =
      'mutation ($o: ID!, $d: [ID!], $n: Boolean) { tagDevices(organizationId: $o, deviceIds: $d, tags: ["a"], dryRun: $n) { changed } }';
    await owner.graph(tag, { o: owner.id, d: ids, n: true });
    await owner.graph(tag, { o: owner.id, d: ids });
    await owner.graph(tag, { o: owner.id, d: ids.slice(0, 1) });
    expect((await read('&action=tagDevices')).map(({ target, changes }) => ({ target, changes }))).toEqual([
      {
        target: { kind: 'device', targetId: ids[0] },
        changes: [
          { field: 'tags', after: ['a'] },
          { field: 'changed', after: 0 },
        ],
      },
      {
        target: { kind: 'device' },
        changes: [
          { field: 'tags', after: ['a'] },
          { field: 'changed', after: 2 },
        ],
      },
    ]);
  });

  it('exists for each of several mutations in one document', async () => {
    const answer = await owner.graph(
      'mutation ($o: ID!) { a: createTeam(organizationId: $o, name: "One") { id } b: createTeam(organizationId: $o, name: "Two") { id } }',
      { o: owner.id },
    );
    const events = (await read('&action=createTeam')).filter(
      ({ requestId }) => requestId === answer.headers.get('x-request-id'),
    );
    expect(events.map(({ target }) => target!.name)).toEqual(['Two', 'One']);
  });
});

describe('secret in an audit event', () => {
  const planted = ['planted-pass-1', 'planted-value-2', 'planted-pass-3', 'planted-value-4'];

  it('appears as "changed", without its value', async () => {
    const applicationId = await newApplication();
    const authentication = (pass: string, value: string) => ({
      basic: { user: 'ada', pass },
      header: { name: 'X-Key', value },
    });
    const hookId = await newHook(applicationId, { authentication: authentication(planted[0]!, planted[1]!) });
    const hook = `/applications/${owner.id}/${applicationId}/hooks/${hookId}`;
    await owner.put(hook, {
      url: 'http://127.0.0.1:9/other',
      authentication: authentication(planted[2]!, planted[3]!),
    });
    const { signingSecret } = (await owner.post<{ signingSecret: string }>(`${hook}/signing-secret`)).body;
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/ab-20`);
    const { token } = (await owner.post<{ token: string }>(`/devices/${owner.id}/${deviceId}/tokens`)).body;
    await owner.delete(hook);
    const told = (await read(`&target=${hookId}`)).map(({ action, changes }) => [
      action,
      changes.filter(({ field }) => ['basicPass', 'headerValue', 'signingSecret'].includes(field)),
    ]);
    expect(told).toEqual([
      ['deleteApplicationHook', expect.arrayContaining([{ field: 'signingSecret', before: 'changed' }])],
      ['rotateApplicationHookSigningSecret', [{ field: 'signingSecret', after: 'changed' }]],
      [
        'updateApplicationHook',
        [
          { field: 'basicPass', before: 'changed', after: 'changed' },
          { field: 'headerValue', before: 'changed', after: 'changed' },
        ],
      ],
      [
        'createApplicationHook',
        [
          { field: 'basicPass', after: 'changed' },
          { field: 'headerValue', after: 'changed' },
        ],
      ],
    ]);
    const { rows } = await world.pool.query<{ text: string }>(
      `select string_agg(e::text, e'\\n') as text from audit_event e where organization_id = $1`,
      [owner.id],
    );
    expect(rows[0]!.text).toContain('createDeviceToken');
    for (const secret of [...planted, signingSecret, token]) expect(rows[0]!.text).not.toContain(secret);
    // The log does not contain the stored hashes either.
    const { rows: stored } = await world.pool.query<{ hash: string }>(
      `select encode(hash, 'hex') as hash from api_token where organization_id = $1`,
      [owner.id],
    );
    for (const { hash } of stored) expect(rows[0]!.text).not.toContain(hash);
  });
});

describe('the value of a header of a hook', () => {
  it('leaves an event once a minute for each actor and hook when it is shown again', async () => {
    const applicationId = await newApplication();
    const hooks = `/applications/${owner.id}/${applicationId}/hooks`;
    const authentication = { header: { name: 'X-Key', value: 'planted-value-5' } };
    const ids = [await newHook(applicationId, { authentication }), await newHook(applicationId, { authentication })];
    await newHook(applicationId, { authentication: { basic: { user: 'ada', pass: 'planted-pass-5' } } });
    const shown = async () => (await read('&action=showHookHeader')).map(({ target }) => target?.targetId);
    const query = (fields: string) =>
      `query ($o: ID!, $a: ID!) { applicationHooks(organizationId: $o, applicationId: $a) { items { id ${fields} } } }`;
    const variables = { o: owner.id, a: applicationId };
    await owner.get(hooks);
    await owner.graph(query('authentication { header { name } basic { user } }'), variables);
    await owner.put(`${hooks}/${ids[0]}`, { url: 'http://127.0.0.1:9/again' });
    expect(await shown()).toEqual([]);
    for (let time = 0; time < 2; time++) {
      const { body } = await owner.get<{ authentication: unknown }>(`${hooks}/${ids[0]}`);
      expect(body.authentication).toMatchObject(authentication);
    }
    expect(await shown()).toEqual([ids[0]]);
    await owner.graph(query('authentication { header { value } }'), variables);
    expect(await shown()).toEqual([ids[1], ids[0]]);
    const member = await world.member(owner, Role.owner);
    await member.get(`${hooks}/${ids[1]}`);
    expect(await newest('showHookHeader')).toMatchObject({
      actor: { userId: member.id },
      target: { kind: 'hook', targetId: ids[1], name: 'http://127.0.0.1:9/' },
      changes: [],
      outcome: 'success',
    });
  });

  it('reaches no reader before its event is stored', async () => {
    const applicationId = await newApplication();
    const hookId = await newHook(applicationId, { authentication: { header: { name: 'X-Key', value: 'planted-6' } } });
    const tokens = await world.pool.query<{ id: string }>(
      'select id from api_token where prefix = $1 and organization_id = $2',
      [owner.token!.slice(0, 8), owner.id],
    );
    const key = `${tokens.rows[0]!.id} showHookHeader ${hookId}`;
    const holder = await world.pool.connect();
    let shown = 0;
    const show = async () => {
      await owner.get(`/applications/${owner.id}/${applicationId}/hooks/${hookId}`);
      shown += 1;
    };
    try {
      // Another transaction holds the key, so the event waits for its end.
      await holder.query('begin');
      await holder.query('insert into audit_noted (key, at) values ($1, now())', [key]);
      const first = show();
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%audit_noted%'`;
      await until(async () => (await world.pool.query(waiting)).rowCount! > 0);
      const second = show();
      for (let time = 0; time < 10; time++) await owner.get(`/applications/${owner.id}/${applicationId}`);
      expect(shown).toBe(0);
      await holder.query('rollback');
      await Promise.all([first, second]);
    } finally {
      holder.release(true);
    }
    const events = await read(`&action=showHookHeader&target=${hookId}`);
    expect(events).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('leaves an event once a minute for each actor and action', async () => {
    const reading = await world.bearer({ organizationId: owner.id, scope: TokenScope.read, name: 'Dashboard' });
    for (let time = 0; time < 3; time++) {
      expect((await reading.call('POST', `/organizations/${owner.id}/teams`, { name: 'No' })).status).toBe(403);
      await reading.graph('mutation ($o: ID!) { createTeam(organizationId: $o, name: "No") { id } }', { o: owner.id });
    }
    await reading.call('POST', `/organizations/${owner.id}/applications`, { name: 'No' });
    const events = await read('&actor=dashboard&outcome=refused');
    expect(events.map(({ action, actor: { name } }) => [action, name])).toEqual([
      ['createApplication', 'Dashboard'],
      ['createTeam', 'Dashboard'],
    ]);
  });

  it('leaves an event for a member, and none for a post of records', async () => {
    const member = await world.member(owner, Role.member);
    expect((await member.call('POST', `/organizations/${owner.id}/teams`, { name: 'No' })).status).toBe(403);
    expect((await member.get(`/organizations/${owner.id}/audit`)).status).toBe(403);
    expect((await member.call('POST', `/organizations/${owner.id}/records`, { serial: 'aa' })).status).toBe(403);
    expect((await read(`&actor=${member.id}`)).map(({ action }) => action)).toEqual(['auditEvents', 'createTeam']);
  });
});

describe('the list of events', () => {
  it('filters by actor, action, target and time', async () => {
    const own = await world.organization();
    const paths = `/organizations/${own.id}`;
    const teamId = await own.make(`${paths}/teams`, { name: 'Crew' });
    await own.make(`${paths}/applications`, { name: 'Crew' });
    const list = async (query: string) => {
      const { body } = await own.get<AuditEvent[]>(`${paths}/audit?${query}`);
      return body.map(({ action }) => action);
    };
    expect(await list('')).toEqual(['createApplication', 'createTeam', 'token create', 'organization create']);
    expect(await list('action=createTeam')).toEqual(['createTeam']);
    expect(await list(`target=${teamId}`)).toEqual(['createTeam']);
    expect(await list('target=crew')).toEqual(['createApplication', 'createTeam']);
    expect(await list('target=application')).toEqual(['createApplication']);
    expect(await list('actor=nobody')).toEqual([]);
    expect(await list('q=^token')).toEqual(['token create']);
    expect(await list('sort=id&limit=1')).toEqual(['organization create']);
    const now = Date.now() / 1000;
    expect(await list(`from=${now - 600}&to=${now + 600}`)).toHaveLength(4);
    expect(await list(`to=${now - 600}`)).toEqual([]);
    const query = `query ($o: ID!, $filter: AuditEventFilterInput) {
      auditEvents(organizationId: $o, filter: $filter) { totalCount items { action } } }`;
    const inGraph = async (filter?: object) => (await own.graph(query, { o: own.id, filter })).body;
    const filter = { target: 'crew', action: 'createTeam', outcome: 'success', from: now - 600, to: now + 600 };
    expect((await inGraph(filter)).data).toEqual({
      auditEvents: { totalCount: 1, items: [{ action: 'createTeam' }] },
    });
    expect((await inGraph({ actor: 'nobody' })).data!['auditEvents'].totalCount).toBe(0);
    expect((await inGraph()).data!['auditEvents'].totalCount).toBe(4);
    const { errors } = await inGraph({ actor: 'x'.repeat(201) });
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
  });

  it('continues by cursor, and is the history of each thing', async () => {
    const own = await world.organization();
    const teamId = await own.make(`/organizations/${own.id}/teams`, { name: 'Crew' });
    for (const name of ['A', 'B', 'C']) await own.put(`/teams/${own.id}/${teamId}`, { name });
    const walk =
      'query ($o: ID!, $after: String) { auditEventsConnection(organizationId: $o, first: 2, after: $after, filter: { target: "team" }) { totalCount nodes { target { name } } pageInfo { hasNextPage endCursor } } }';
    const first = (await own.graph(walk, { o: own.id })).body.data!['auditEventsConnection'];
    expect(first.totalCount).toBe(4);
    const rest = (await own.graph(walk, { o: own.id, after: first.pageInfo.endCursor })).body.data![
      'auditEventsConnection'
    ];
    expect([...first.nodes, ...rest.nodes].map(({ target }) => target.name)).toEqual(['C', 'B', 'A', 'Crew']);
    expect(rest.pageInfo.hasNextPage).toBe(false);
    const history =
      'query ($o: ID!, $t: ID!) { team(organizationId: $o, teamId: $t) { name history(limit: 2) { totalCount items { action changes { field before after } } } } }';
    const { body } = await own.graph(history, { o: own.id, t: teamId });
    expect(body.data!['team'].history).toEqual({
      totalCount: 4,
      items: [
        { action: 'updateTeam', changes: [{ field: 'name', before: 'B', after: 'C' }] },
        { action: 'updateTeam', changes: [{ field: 'name', before: 'A', after: 'B' }] },
      ],
    });
    const member = await world.member(own, Role.member);
    const asMember = await member.graph(history, { o: own.id, t: teamId });
    expect(asMember.body.data!['team']).toEqual({ name: 'C', history: null });
    expect(asMember.body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('appears as an edge of a device, a product, an application, a hook and a team', async () => {
    const own = await world.organization();
    const at = `/organizations/${own.id}`;
    await own.make(`${at}/devices/ad-01`);
    await own.make(`${at}/products`, { name: 'Probe', version: '1', variables: [] });
    await own.make(`${at}/teams`, { name: 'Crew' });
    const applicationId = await own.make(`${at}/applications`, { name: 'Pumps' });
    await own.make(`/applications/${own.id}/${applicationId}/hooks`, { url: 'http://127.0.0.1:9/' });
    const lists = ['devices', 'products', 'teams', 'applications']
      .map((name) => `${name}(organizationId: $o) { items { history { items { action } } } }`)
      .join(' ');
    const hooks = 'applicationHooks(organizationId: $o, applicationId: $a) { items { history { items { action } } } }';
    const variables = { o: own.id, a: applicationId };
    const { body } = await own.graph(`query ($o: ID!, $a: ID!) { ${lists} ${hooks} }`, variables);
    const told = (action: string) => ({ items: [{ history: { items: [{ action }] } }] });
    expect(body.data).toEqual({
      devices: told('registerDevice'),
      products: told('createProduct'),
      teams: told('createTeam'),
      applications: told('createApplication'),
      applicationHooks: told('createApplicationHook'),
    });
  });

  it('exports to owners in every format, and leaves an event of the export', async () => {
    const path = `/organizations/${owner.id}/export?of=auditEvents`;
    const csv = await owner.get<string>(`${path}&format=csv`);
    const [head, ...lines] = csv.body.trim().split(/\r?\n/);
    expect(head!.split(',').slice(0, 4)).toEqual(['id', 'at', 'actor.kind', 'actor.actorId']);
    expect(lines.length).toBeGreaterThan(10);
    const ndjson = await owner.get<string>(`${path}&format=ndjson`);
    const rows = ndjson.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent);
    expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining(['token create', 'updateTeam']));
    expect((await owner.get(`${path}&format=parquet`)).status).toBe(200);
    const member = await world.member(owner, Role.member);
    expect((await member.get(path)).status).toBe(403);
    const events = await read('&action=organizationExport');
    expect(events.map(({ outcome, changes }) => [outcome, ...changes.map(({ after }) => after)])).toEqual([
      ['refused'],
      ['success', 'auditEvents', 'parquet'],
      ['success', 'auditEvents', 'ndjson'],
      ['success', 'auditEvents', 'csv'],
    ]);
  });
});
