import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { Role } from '#entities/enums.js';
import type { Actor } from '../support/actor.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { type Assistant, connectAssistant, type Era, type ToolAnswer } from './assistant.js';
import { type ColdStore, makeColdStore } from './scene.js';

const world = useWorld();
let store: ColdStore;
const assistants = {} as Record<Era | 'other', Assistant>;
const open: Assistant[] = [];
const limit = 64 * 1024;

const connect = async (actor: Actor, era: Era = 'modern'): Promise<Assistant> => {
  const assistant = await connectAssistant(world.url, actor, era);
  open.push(assistant);
  return assistant;
};

beforeAll(async () => {
  store = await makeColdStore(world);
  assistants.modern = await connect(store.owner);
  assistants.legacy = await connect(store.owner, 'legacy');
  assistants.other = await connect(await world.organization());
});

afterAll(() => Promise.all(open.map(({ client }) => client.close())));

const errorOf = ({ isError, data }: ToolAnswer) => {
  expect(isError).toBe(true);
  return data['error'] as { code: string; message: string; errors?: { path: string; message: string }[] };
};

const names = [
  'find_devices',
  'latest_values',
  'series',
  'group_series',
  'search_records',
  'hook_health',
  'open_alerts',
  'alert_rules',
  'commands',
  'device_states',
  'schema_search',
  'graphql_query',
];

describe.each(['modern', 'legacy'] as const)('tools for the official client (%s)', (era) => {
  it('lists twelve tools, the same for everybody, that only read', async () => {
    const { tools } = await assistants[era].client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { annotations, outputSchema, inputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
    }
    expect((await assistants.other.client.listTools()).tools).toEqual(tools);
    expect(JSON.stringify(tools)).not.toContain('Freezer North');
  });

  // The client checks structured content against the tool's output schema.
  it('returns answers that match the output schema of each tool, and marks answers that contain texts of other people', async () => {
    const { applicationId, devices, night } = store;
    const deviceIds = Object.values(devices);
    const calls: Record<string, Record<string, unknown>> = {
      find_devices: { q: 'freezer' },
      latest_values: { deviceIds },
      series: { deviceIds, variables: ['temperature'], from: night.from, to: night.to },
      group_series: { applicationId, variable: 'temperature', from: night.from, to: night.to, combine: 'spread' },
      search_records: { applicationId, from: night.from },
      hook_health: {},
      open_alerts: { state: 'any' },
      alert_rules: { applicationId },
      commands: {},
      device_states: { deviceIds },
      schema_search: { question: 'episodes' },
      graphql_query: { query: '{ account { name } }' },
    };
    for (const name of names) {
      const answer = await assistants[era].call(name, calls[name]);
      expect([name, answer.isError]).toEqual([name, false]);
      expect(JSON.parse(answer.text)).toEqual(answer.data);
      expect([name, 'untrusted' in answer.data]).toEqual([name, name !== 'schema_search']);
      const list = Object.values(answer.data).find((value) => Array.isArray(value));
      expect([name, list!.length > 0]).toEqual([name, true]);
    }
  });
});

describe('find_devices', () => {
  it('filters by text, application, product, tag, place and silence', async () => {
    const { applicationId, productId, night } = store;
    const found = async (args: object) =>
      (await assistants.modern.call('find_devices', { ...args })).data['devices'].map(({ name }: any) => name).sort();
    expect(await found({ tag: 'watched' })).toEqual(['Freezer East', 'Freezer North']);
    expect(await found({ q: '^cool', applicationId, productIds: [productId] })).toEqual(['Cooler']);
    expect(await found({ silentSince: night.from })).toEqual([]);
    expect(await found({ silentSince: new Date().toISOString() })).toHaveLength(4);
    expect(await found({ near: { lat: 0, lon: 0, radius: 1000 } })).toEqual([]);
  });

  it('goes on at its cursor', async () => {
    const answers = await assistants.modern.callAll('find_devices', { limit: 3 });
    expect(answers.map(({ data }) => data['devices'].length)).toEqual([3, 1]);
  });
});

describe('latest_values', () => {
  it('answers the asked variables of the asked devices', async () => {
    const deviceIds = [store.devices['Freezer North']!];
    const { data } = await assistants.modern.call('latest_values', { deviceIds, variables: ['temperature'] });
    expect(data['devices']).toEqual([
      expect.objectContaining({ values: [expect.objectContaining({ value: -18, unit: '°C', name: 'temperature' })] }),
    ]);
    const none = await assistants.modern.call('latest_values', { deviceIds, variables: ['humidity'] });
    expect(none.data['devices'][0].values).toEqual([]);
  });
});

describe('assistant of an organization with a clock ahead', () => {
  it('sees how far the clock is ahead, and the rule that has yet to decide the record', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Rooms' });
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/a0-01`);
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    const when = { query: { range: { 'data.t': { gt: 8 } } } };
    const rule = { name: 'Warm', kind: 'threshold', when };
    const ruleId = await owner.make(`/applications/${owner.id}/${applicationId}/alert-rules`, rule);
    const ts = Date.now() / 1000 + 7200;
    await owner.post(`/organizations/${owner.id}/records`, [{ serial: 'a0-01', ts, data: { t: 1 } }]);
    // Without a row in alert_backlog, no process decides the record.
    await world.pool.query(sql`
      with state as (
        insert into alert_state (rule_id, application_id, device_id, started_at)
        values (${ruleId}, ${applicationId}, ${deviceId}, now()) on conflict do nothing)
      insert into alert_undecided (device_id, rule_id, record_id, ts, data, noted_at)
      values (${deviceId}, ${ruleId}, ${deviceId}, now(), '{}', now())`);
    const assistant = await connect(owner);
    expect((await assistant.call('latest_values')).data['devices']).toMatchObject([
      { values: [{ name: 't', ahead: expect.closeTo(7200, -2) }] },
    ]);
    const [device] = (await assistant.call('find_devices')).data['devices'];
    expect(Date.parse(device.lastRecordAt) / 1000).toBeLessThan(ts - 3600);
    expect((await assistant.call('alert_rules')).data['rules']).toMatchObject([
      { name: 'Warm', undecided: { since: expect.any(String), deviceCount: 1 } },
    ]);
  });
});

describe('search_records', () => {
  it('answers the error of the query language with its place', async () => {
    const answer = await assistants.modern.call('search_records', {
      applicationId: store.applicationId,
      query: { foo: {} },
    });
    expect(errorOf(answer)).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'query.foo' }] });
  });

  it('continues by cursor over records of the same time without losing one', async () => {
    const { applicationId, night } = store;
    const args = { applicationId, from: night.from, to: night.to, size: 2, fields: ['ts', 'device.name'] };
    const answers = await assistants.modern.callAll('search_records', args);
    const ids = answers.flatMap(({ data }) => data['records'].map(({ id }: any) => id));
    expect(answers[0]!.data['total']).toBe(18);
    expect(new Set(ids).size).toBe(18);
    expect(ids).toHaveLength(18);
  });
});

describe('search_records with names that no record has', () => {
  const ask = async (args: object) => {
    const { applicationId, night } = store;
    return (await assistants.modern.call('search_records', { applicationId, from: night.from, to: night.to, ...args }))
      .data;
  };

  it('says which they are, and leaves out those that records have', async () => {
    const query = {
      bool: {
        filter: [{ range: { 'data.temp': { gt: 1 } } }, { exists: { field: 'temperature' } }],
        must: [{ range: { 'data.temperature': { lt: 100 } } }],
      },
    };
    const aggs = { by: { terms: { field: 'device.id' }, aggs: { top: { max: { field: 'data.humidity' } } } } };
    const { total, unknownFields } = await ask({ query, aggs, size: 0 });
    expect([total, unknownFields.sort()]).toEqual([0, ['data.humidity', 'data.temp', 'temperature']]);
    const known = await ask({ query: { range: { 'data.temperature': { lt: 100 } } }, sort: [{ ts: 'asc' }] });
    expect(known).not.toHaveProperty('unknownFields');
  });
});

describe('series and latest_values with names that no device has', () => {
  it('returns them as unknown, without those that devices have', async () => {
    const { applicationId, night } = store;
    const variables = ['temperature', 'temp', 'data.temperature'];
    for (const [name, args] of [
      ['series', { applicationId, from: night.from, to: night.to }],
      ['latest_values', { applicationId }],
    ] as const) {
      const { data } = await assistants.modern.call(name, { ...args, variables });
      expect(data['unknownVariables']).toEqual(['temp', 'data.temperature']);
      const known = await assistants.modern.call(name, { ...args, variables: ['temperature'] });
      expect(known.data).not.toHaveProperty('unknownVariables');
    }
    // Before the first record, the name is known all the same.
    const empty = { applicationId, from: night.from - 200_000, to: night.from - 100_000, variables: ['temperature'] };
    expect((await assistants.modern.call('series', empty)).data).not.toHaveProperty('unknownVariables');
  });
});

describe('tools with identifiers of things that do not exist', () => {
  const nothing = '01920000-0000-7000-8000-000000000000';

  it.each([
    ['find_devices', { applicationId: 'Cold store' }, 'application', 'applicationId'],
    ['find_devices', { productIds: [nothing] }, 'product', 'productIds.0'],
    ['latest_values', { applicationId: nothing }, 'application', 'applicationId'],
    ['latest_values', { deviceIds: [nothing] }, 'device', 'deviceIds.0'],
    ['hook_health', { applicationId: nothing }, 'application', 'applicationId'],
    ['open_alerts', { deviceId: nothing }, 'device', 'deviceId'],
    ['open_alerts', { applicationId: nothing }, 'application', 'applicationId'],
    ['alert_rules', { applicationId: nothing }, 'application', 'applicationId'],
    ['commands', { deviceId: nothing }, 'device', 'deviceId'],
    ['device_states', { deviceIds: [nothing] }, 'device', 'deviceIds.0'],
  ])('answers NOT_FOUND to %s with %j instead of nothing', async (name, args, what, path) => {
    expect(errorOf(await assistants.modern.call(name, args))).toEqual({
      code: 'NOT_FOUND',
      message: `There is no such ${what}.`,
      errors: [{ path, message: `identifies no ${what} that you can see` }],
    });
  });

  it('names the position of the unknown device in a list, and of the unknown product in a search', async () => {
    const { data } = await assistants.modern.call('find_devices', { limit: 1 });
    const deviceIds = [data['devices'][0].id, nothing];
    expect(errorOf(await assistants.modern.call('latest_values', { deviceIds }))).toMatchObject({
      errors: [{ path: 'deviceIds.1' }],
    });
    const { applicationId } = store;
    const search = { applicationId, productIds: [nothing] };
    expect(errorOf(await assistants.modern.call('search_records', search))).toMatchObject({
      errors: [{ path: 'productIds.0' }],
    });
  });

  it('returns an empty list if the thing exists but nothing matches', async () => {
    const { applicationId } = store;
    const { isError, data } = await assistants.modern.call('find_devices', { applicationId, tag: 'no such tag' });
    expect([isError, data['devices']]).toEqual([false, []]);
  });
});

describe('open_alerts', () => {
  it('lists who was notified of the alert, and separately who would be notified next', async () => {
    const { data } = await assistants.modern.call('open_alerts', { state: 'any' });
    expect(data['alerts']).toMatchObject([
      {
        notified: { mails: [], hooks: [] },
        wouldNotify: { recipients: [{ address: 'night@cold.example', state: 'pending' }], hooks: 0 },
      },
    ]);
  });
});

describe('hook_health', () => {
  it('shows the key, the latest error, and the numbers of failed and waiting deliveries', async () => {
    const owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const applicationId = await owner.make(`${at}/applications`, { name: 'Calls' });
    const deviceId = await owner.make(`${at}/devices/f0-0f`);
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    const put = `mutation ($o: ID!, $a: ID!) { putHooks(organizationId: $o, applicationId: $a,
      hooks: [{ externalId: "alarm", url: "http://127.0.0.1:9/" }]) { created } }`;
    expect((await owner.graph(put, { o: owner.id, a: applicationId })).body.errors).toBeUndefined();
    await owner.post(`${at}/records`, { serial: 'f0-0f', data: { temperature: 1 } });
    const assistant = await connect(owner);
    const health = async () => (await assistant.call('hook_health')).data['hooks'][0];
    await until(async () => (await health()).retrying === 1);
    expect(await health()).toMatchObject({
      key: 'alarm',
      successRate: 0,
      lastStatusCode: null,
      lastError: { code: expect.any(String), message: expect.any(String) },
      lastAttemptAt: expect.any(String),
    });
  });

  it('shows no path of an address, which may hold a secret', async () => {
    const { text, data } = await assistants.modern.call('hook_health');
    expect(data['hooks']).toHaveLength(1);
    expect(text).not.toContain('a-secret-path');
  });

  it('continues from page to page over applications and their hooks', async () => {
    const owner = await world.organization();
    for (let index = 0; index < 23; index += 1) {
      const application = await owner.make(`/organizations/${owner.id}/applications`, { name: `A ${index}` });
      const hooks = index === 2 ? 95 : index > 20 ? 1 : 0;
      for (let hook = 0; hook < hooks; hook += 1)
        await owner.make(`/applications/${owner.id}/${application}/hooks`, { url: `http://127.0.0.1:9/${hook}` });
    }
    const answers = await (await connect(owner)).callAll('hook_health');
    const ids = answers.flatMap(({ data }) => data['hooks'].map(({ id }: any) => id));
    expect(answers.length).toBeGreaterThan(2);
    expect([ids.length, new Set(ids).size]).toEqual([97, 97]);
  });
});

describe('a member who may only read an application', () => {
  it('sees its alerts, but neither its hooks nor how many are called', async () => {
    const { owner, applicationId } = store;
    const member = await world.member(owner, Role.member);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Readers' });
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    const assistant = await connect(member);
    const { data } = await assistant.call('open_alerts', { state: 'any' });
    expect(data['alerts']).toMatchObject([
      { name: 'Too warm', notified: { hooks: null }, wouldNotify: { hooks: null } },
    ]);
    expect((await assistant.call('alert_rules')).data['rules']).toMatchObject([
      { name: 'Too warm', when: { all: [{ variable: 'temperature', operator: 'gt', value: -15 }] } },
    ]);
    expect((await assistant.call('hook_health')).data['hooks']).toEqual([]);
  });
});

describe('time of a tool', () => {
  it.each([
    ['find_devices', 'silentSince'],
    ['series', 'from'],
    ['search_records', 'from'],
    ['open_alerts', 'to'],
  ])('needs a zone, or is Unix seconds (%s)', async (name, field) => {
    const args = {
      ...(name === 'series' && { deviceIds: [store.devices['Cooler']], variables: ['temperature'] }),
      ...(name === 'search_records' && { applicationId: store.applicationId }),
    };
    for (const time of ['2026-11-25T22:00:00', '2026-11-25'])
      expect(errorOf(await assistants.modern.call(name, { ...args, [field]: time })).errors).toEqual([
        { path: field, message: expect.stringContaining('with a zone') },
      ]);
    for (const time of ['2026-11-25T22:00:00Z', '2026-11-25T22:00:00+01:00', 1_795_644_000])
      expect((await assistants.modern.call(name, { ...args, [field]: time })).isError).toBe(false);
  });
});

describe('schema_search', () => {
  it('finds fields and types by words and names, and never answers the whole schema', async () => {
    const search = async (question: string, more = {}) => {
      const { data } = await assistants.modern.call('schema_search', { question, ...more });
      return data['parts'].map(({ name }: any) => name);
    };
    expect(await search('episodes')).toEqual(expect.arrayContaining(['Query.episodes', 'Episode']));
    expect((await search('the type LatestValue'))[0]).toBe('LatestValue');
    expect((await search('Query.devicesConnection'))[0]).toBe('Query.devicesConnection');
    expect(await search('xyzzy')).toEqual([]);
    const all = await assistants.modern.callAll('schema_search', { question: 'device organization id', limit: 20 });
    const { length } = all.flatMap(({ data }) => data['parts']);
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThanOrEqual(60);
  });
});

describe('graphql_query', () => {
  it('refuses a mutation and a subscription', async () => {
    const ask = (query: string) => assistants.modern.call('graphql_query', { query });
    for (const query of [
      `mutation { deleteDevice(organizationId: "${store.owner.id}", deviceId: "${store.devices['Cooler']}") }`,
      'subscription { device: __typename }',
      'mutation { a: __typename } ',
    ])
      expect(errorOf(await ask(query))).toMatchObject({ code: 'FORBIDDEN' });
    const document = 'query A { account { id } } mutation B { __typename }';
    const chosen = await assistants.modern.call('graphql_query', { query: document, operationName: 'B' });
    expect(errorOf(chosen).code).toBe('FORBIDDEN');
    // Without a name, the service cannot know which operation is meant.
    expect(errorOf(await ask(document)).code).toBe('VALIDATION_FAILED');
    expect((await store.owner.get(`/devices/${store.owner.id}/${store.devices['Cooler']}`)).status).toBe(200);
  });

  it('refuses a query beyond the cost limit with the figures', async () => {
    const lists = Array.from({ length: 26 }, (_, index) => `d${index}: devices(limit: 1000) { items { id } }`);
    const query = `{ account { ${lists.join(' ')} } }`;
    expect(errorOf(await assistants.modern.call('graphql_query', { query }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/may return 26,00\d objects; at most 25,000 are allowed/),
      errors: [{ path: 'cost' }],
    });
  });

  it('answers mistakes of a document, and errors beside data', async () => {
    const mistake = await assistants.modern.call('graphql_query', { query: '{ account { nmae } }' });
    expect(errorOf(mistake)).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining('nmae') });
    expect(errorOf(await assistants.modern.call('graphql_query', { query: '{' })).code).toBe('MALFORMED_REQUEST');
    const query = `query ($id: ID!) { account { id } device(organizationId: $id, deviceId: "none") { id } }`;
    const partly = await assistants.modern.call('graphql_query', { query, variables: { id: store.owner.id } });
    expect(partly).toMatchObject({
      isError: false,
      data: {
        answers: [{ data: { account: { id: store.owner.id } }, errors: [{ extensions: { code: 'NOT_FOUND' } }] }],
      },
    });
  });
});

describe('call of an MCP tool', () => {
  it('answers unknown and wrong arguments with their places', async () => {
    const { modern } = assistants;
    expect(errorOf(await modern.call('find_devices', { limit: 1000, colour: 'red' }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: expect.arrayContaining([expect.objectContaining({ path: 'limit' })]),
    });
    expect(errorOf(await modern.call('series', { variables: [] })).errors).toMatchObject([{ path: 'variables' }]);
    expect(errorOf(await modern.call('series', { variables: ['a'], from: 'last night' })).errors).toMatchObject([
      { path: 'from' },
    ]);
    await expect(modern.call('delete_device', {})).rejects.toThrow('There is no tool "delete_device".');
  });

  it.each<[string, (store: ColdStore) => object, string]>([
    ['search_records', ({ applicationId }) => ({ applicationId }), 'NOT_FOUND'],
    ['series', ({ applicationId }) => ({ applicationId, variables: ['temperature'] }), 'NOT_FOUND'],
    ['group_series', ({ applicationId }) => ({ applicationId, variable: 'temperature' }), 'NOT_FOUND'],
    ['series', ({ devices }) => ({ deviceIds: Object.values(devices), variables: ['temperature'] }), 'NOT_FOUND'],
  ])('answers %s with identifiers of another organization as if there were none', async (name, args, code) => {
    expect(errorOf(await assistants.other.call(name, { ...args(store) })).code).toBe(code);
  });

  it('shows nothing of another organization', async () => {
    const { applicationId, devices, owner } = store;
    const { other } = assistants;
    const found = await other.call('find_devices', { q: 'freezer' });
    expect(found.data['devices']).toEqual([]);
    const named = await Promise.all([
      other.call('find_devices', { applicationId }),
      other.call('latest_values', { deviceIds: Object.values(devices) }),
      other.call('hook_health', { applicationId }),
      other.call('open_alerts', { state: 'any', deviceId: devices['Freezer North'] }),
    ]);
    // As an identifier that nothing has.
    expect(named.map((answer) => errorOf(answer).code)).toEqual(Array(4).fill('NOT_FOUND'));
    const query = 'query ($id: ID!) { organization(organizationId: $id) { name } }';
    const asked = await other.call('graphql_query', { query, variables: { id: owner.id } });
    expect(errorOf(asked).code).toBe('NOT_FOUND');
  });

  it('refuses a cursor of another organization, tool, or arguments, and one that was changed', async () => {
    const { modern, other } = assistants;
    const { cursor } = (await modern.call('find_devices', { limit: 2 })).data;
    const refused = { code: 'VALIDATION_FAILED', errors: [{ path: 'cursor' }] };
    expect(errorOf(await other.call('find_devices', { limit: 2, cursor }))).toMatchObject(refused);
    expect(errorOf(await modern.call('find_devices', { limit: 3, cursor }))).toMatchObject(refused);
    expect(errorOf(await modern.call('latest_values', { limit: 2, cursor }))).toMatchObject(refused);
    const changed = `${cursor.slice(0, -2)}${cursor.endsWith('AA') ? 'BB' : 'AA'}`;
    expect(errorOf(await modern.call('find_devices', { limit: 2, cursor: changed }))).toMatchObject(refused);
    expect(errorOf(await modern.call('find_devices', { limit: 2, cursor: 'x' }))).toMatchObject(refused);
    expect((await modern.call('find_devices', { cursor, limit: 2 })).isError).toBe(false);
  });
});

describe('an answer over 64 KiB', () => {
  let owner: AccountActor;
  let assistant: Assistant;
  let applicationId: string;
  let deviceIds: string[];

  beforeAll(async () => {
    owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    applicationId = await owner.make(`${at}/applications`, { name: 'Long' });
    const productId = await owner.make(`${at}/products`, {
      name: 'P',
      version: '1',
      variables: ['level', 'depth'].map((name) => ({ name, type: 'FLOAT32' })),
    });
    const devices = Array.from({ length: 200 }, (_, index) => ({
      serial: (0xb00000 + index).toString(16),
      name: `"Straße ${index}" ${'é"\\'.repeat(30)}`,
      tags: ['a tag that takes room', `${index}`],
      product: { id: productId },
    }));
    const put = await owner.graph(
      `mutation ($o: ID!, $d: [DeviceInput!]!, $a: [ID!]) { putDevices(organizationId: $o, devices: $d, linkTo: $a) { created } }`,
      { o: owner.id, d: devices, a: [applicationId] },
    );
    expect(put.body.data?.['putDevices']).toEqual({ created: 200 });
    const records = devices.map(({ serial }, index) => ({
      serial,
      ts: Math.floor(Date.now() / 1000) - 600,
      data: { note: 'long '.repeat(100), level: index, depth: -index },
    }));
    await owner.post(`${at}/records`, records);
    assistant = await connect(owner);
    const { body } = await owner.graph('{ account { devices(limit: 100) { items { id } } } }');
    deviceIds = body.data?.['account'].devices.items.map(({ id }: any) => id);
  });

  it.each<[string, () => object, string, number]>([
    ['find_devices', () => ({ limit: 200 }), 'devices', 200],
    ['latest_values', () => ({ limit: 200 }), 'devices', 200],
    ['search_records', () => ({ applicationId, size: 150 }), 'records', 200],
    ['series', () => ({ deviceIds, variables: ['level', 'depth'] }), 'series', 200],
  ])('goes on at its cursor until everything came once (%s)', async (name, args, list, count) => {
    const answers = await assistant.callAll(name, { ...args() });
    const items = answers.flatMap(({ data }) => data[list]);
    expect(answers.length).toBeGreaterThan(1);
    expect(Math.max(...answers.map(({ bytes }) => bytes))).toBeLessThanOrEqual(limit);
    const keys = items.map(({ id, deviceId, name }) => id ?? `${deviceId} ${name}`);
    expect([items.length, new Set(keys).size]).toEqual([count, count]);
  });

  it('comes in pieces of its text (graphql_query)', async () => {
    const query = '{ account { devices(limit: 200) { items { id name tags } } } }';
    const answers = await assistant.callAll('graphql_query', { query });
    expect(answers.length).toBeGreaterThan(1);
    expect(Math.max(...answers.map(({ bytes }) => bytes))).toBeLessThanOrEqual(limit);
    const text = answers.map(({ data }) => data['answers'][0].piece).join('');
    const direct = await owner.graph(query);
    expect(JSON.parse(text)).toEqual(direct.body);
  });

  it('ends with a refusal once the data changed (graphql_query)', async () => {
    const query = '{ account { devices(limit: 200, q: "strasse|stra.e") { items { id name tags updatedAt } } } }';
    const { cursor } = (await assistant.call('graphql_query', { query })).data;
    await owner.graph(
      'mutation ($o: ID!) { putDevices(organizationId: $o, devices: [{ serial: "b00000", tags: ["changed"] }]) { updated } }',
      { o: owner.id },
    );
    expect(errorOf(await assistant.call('graphql_query', { query, cursor })).code).toBe('CONFLICT');
  });

  it('gives way to an error with its size when not even one item fits', async () => {
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'b00001', data: { note: 'x'.repeat(40_000) } });
    const answer = await assistant.call('search_records', {
      applicationId,
      query: { term: { 'device.serial': 'b00001' } },
    });
    expect(errorOf(answer)).toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringMatching(/takes \d\d KiB; .* 64 KiB/),
    });
  });
});
