import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';
import { Role } from '#entities/enums.js';
import { newLink } from '../auth/operations.js';
import { Actor } from '../support/actor.js';
import { useWorld } from '../support/world.js';
import { figure, makeApplication, saved } from './dashboard.js';

const world = useWorld();
let schema: GraphQLSchema;
let viewer: Actor;
/** Values of arguments by name. */
let given: Record<string, string>;
/** Texts of other objects of the organization, which the link must not read. */
let secrets: string[];
/** Identifiers of objects of another application and of another organization, by argument. */
let foreign: Record<string, string>[];

const variables = [{ name: 'temperature', type: 'FLOAT32' }];

beforeAll(async () => {
  const owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const productId = await owner.make(`${at}/products`, { name: 'Probe', version: '1', variables });
  const [mine, others] = [await makeApplication(owner), await makeApplication(owner, { name: 'Other application' })];
  const member = await world.member(owner, Role.owner);
  const teamId = await owner.make(`${at}/teams`, { name: 'Secret team' });
  await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
  const ids: string[] = [];
  for (const [serial, applications] of [
    ['a1', [mine]],
    ['b1', [others]],
    ['c1', [mine, others]],
  ] as const) {
    const id = await owner.make(`${at}/devices/${serial}`, { product: { id: productId } });
    for (const each of applications) await owner.put(`/applications/${owner.id}/${each}/devices/${id}`);
    ids.push(id);
  }
  const hooks: string[] = [];
  const rules: string[] = [];
  for (const each of [mine, others]) {
    const application = `/applications/${owner.id}/${each}`;
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${each}`, { permission: 'write' });
    const authentication = { header: { name: 'X-Key', value: 'header-secret' } };
    hooks.push(await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/', authentication }));
    const rule = {
      name: 'Warm',
      kind: 'threshold',
      when: { all: [{ variable: 'temperature', operator: 'gt', value: 8 }] },
    };
    rules.push(await owner.make(`${application}/alert-rules`, { ...rule, recipients: ['person@example.com'] }));
    const document = { format: 1, range: '24h', variables: [], panels: [figure] };
    await saved(member, { owner, id: each, version: 0, document });
  }
  const sites: string[] = [];
  for (const [index, name] of ['Hall', 'Secret site'].entries()) {
    const siteId = await owner.make(`${at}/sites`, { name });
    await owner.put(`${at}/device-sites`, { siteId, deviceIds: [ids[index]] });
    sites.push(siteId);
  }
  const attributes = [{ name: 'secret-limit', value: 'secret-value' }];
  await owner.put(`/devices/${owner.id}/${ids[0]}/attributes`, { attributes });
  await owner.put(`/sites/${owner.id}/${sites[0]}/attributes`, { attributes });
  const exchange = `mutation ($o: ID!, $d: ID!) {
    declareMeterExchange(organizationId: $o, deviceId: $d, variable: "temperature", ts: 1, value: 1) { id } }`;
  await owner.graph(exchange, { o: owner.id, d: ids[0] });
  for (const serial of ['a1', 'b1', 'c1']) await owner.post(`${at}/records`, { serial, data: { temperature: 9 } });
  await member.post(`/applications/${owner.id}/${mine}/episodes/acknowledge`, { state: 'open' });
  const account = await owner.graph('{ account { username email } }');
  const { username, email } = account.body.data!['account'];
  secrets = [
    others,
    'Other application',
    ids[1]!,
    '"b1"',
    member.id,
    teamId,
    'Secret team',
    sites[1]!,
    'Secret site',
    'secret-limit',
    'secret-value',
    ...hooks,
    'header-secret',
    rules[1]!,
    'person@example.com',
    username,
    email,
  ];
  given = {
    organizationId: owner.id,
    applicationId: mine,
    deviceId: ids[0]!,
    deviceSerial: 'a1',
    alertRuleId: rules[0]!,
    siteId: sites[0]!,
    variables: '["temperature"]',
    variable: 'temperature',
    name: 'offset',
    ts: '{ gte: 0, lte: 4e9 }',
    queries: '[{ products: [], aggs: { a: { avg: { field: "data.temperature" } } } }]',
  };
  const stranger = await world.organization();
  const theirs = `/organizations/${stranger.id}`;
  const theirApplication = await makeApplication(stranger, { name: 'Their application' });
  const theirDevice = await stranger.make(`${theirs}/devices/d1`, { name: 'Their device' });
  await stranger.put(`/applications/${stranger.id}/${theirApplication}/devices/${theirDevice}`);
  await stranger.post(`${theirs}/records`, { serial: 'd1', data: { temperature: 9 } });
  const places: Record<string, string>[] = [
    {
      organizationId: owner.id,
      applicationId: others,
      deviceId: ids[1]!,
      alertRuleId: rules[1]!,
      deviceSerial: 'b1',
      siteId: sites[1]!,
    },
    { organizationId: stranger.id, applicationId: theirApplication, deviceId: theirDevice, deviceSerial: 'd1' },
    { organizationId: owner.id, applicationId: theirApplication, deviceId: theirDevice, deviceSerial: 'd1' },
    { organizationId: stranger.id, applicationId: mine, deviceId: ids[0]!, deviceSerial: 'a1' },
  ];
  foreign = places.map((values) => ({ ...values, applicationHookId: hooks[1]!, teamId, memberId: member.id }));
  const introspection = await owner.graph(getIntrospectionQuery());
  schema = buildClientSchema(introspection.body.data as unknown as IntrospectionQuery);
  viewer = new Actor(world.url, (await newLink({ owner, applicationId: mine })).token);
});

type Field = GraphQLField<unknown, unknown>;

const argumentsOf = ({ args }: Field): string => {
  const needed = args.filter((arg) => isRequiredArgument(arg) || (arg.name === 'applicationId' && args.length > 2));
  const texts = needed.map(({ name }) => {
    const value = given[name]!;
    return `${name}: ${/^[[{]/.test(value) ? value : JSON.stringify(value)}`;
  });
  return texts.length === 0 ? '' : `(${texts.join(', ')})`;
};

/** Returns the selection of a field's scalar values; for a page, those of its items. */
function valuesOf(field: Field): string {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return '';
  if (isUnionType(type)) return '{ __typename }';
  if (!isObjectType(type)) return '{ __typename }';
  const parts = Object.values(type.getFields()).flatMap((inner) => {
    if (isLeafType(getNamedType(inner.type))) return inner.args.length === 0 ? inner.name : [];
    return ['items', 'nodes'].includes(inner.name) ? `${inner.name} ${valuesOf(inner)}` : [];
  });
  return `{ __typename ${parts.join(' ')} }`;
}

/** A field to query, and the query around it: `{ application(...) { FIELD } }`. */
interface QueryField {
  field: Field;
  path: string;
  wrap: (selection: string) => string;
}

describe('every field that a link to a dashboard gets to', () => {
  it('holds nothing of other applications, members, teams, hooks and tokens', async () => {
    const closed: string[] = [];
    const seen = new Set<string>();
    const open: QueryField[] = Object.values(schema.getQueryType()!.getFields())
      .filter(({ args }) => args.every((arg) => !isRequiredArgument(arg) || arg.name in given))
      .map((field) => ({ field, path: `Query.${field.name}`, wrap: (selection) => `{ ${selection} }` }));
    let asked = 0;
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { field, path, wrap } = next;
      const text = `${field.name}${argumentsOf(field)}`;
      const { body } = await viewer.graph(wrap(`${text} ${valuesOf(field)}`));
      asked += 1;
      const shown = JSON.stringify(body);
      expect([path, secrets.filter((secret) => shown.includes(secret))]).toEqual([path, []]);
      const [error] = body.errors ?? [];
      if (error !== undefined) {
        expect([path, error.extensions.code]).toEqual([path, 'FORBIDDEN']);
        closed.push(path);
        continue;
      }
      const type = getNamedType(field.type);
      if (!isObjectType(type) || seen.has(type.name)) continue;
      seen.add(type.name);
      for (const inner of Object.values(type.getFields())) {
        const around = (selection: string) => wrap(`${text} { ${selection} }`);
        if (!isLeafType(getNamedType(inner.type)))
          open.push({ field: inner, path: `${type.name}.${inner.name}`, wrap: around });
      }
    }
    expect(asked).toBeGreaterThan(100);
    const below = closed.filter((path) => !path.startsWith('Query.')).filter((path) => !path.endsWith('Connection'));
    expect(below.sort()).toEqual([
      'AlertRule.recipientStates',
      'AlertRule.undecided',
      'Application.dashboardLinks',
      'Application.deliveries',
      'Application.grants',
      'Application.history',
      'Application.hooks',
      'Application.organization',
      'Application.teams',
      'Dashboard.updatedBy',
      'Device.attributeVersions',
      'Device.attributes',
      'Device.commands',
      'Device.deliveries',
      'Device.history',
      'Device.organization',
      'Device.state',
      'Episode.calls',
      'Episode.mails',
      'Episode.openedState',
      'Product.history',
      'Product.organization',
      'Product.settings',
      'Site.attributeVersions',
      'Site.attributes',
      'Site.organization',
      'Viewer.mqtt',
    ]);
    const types = [...seen].filter((name) => !/(Page|Connection|Edge|PageInfo)$/.test(name)).sort();
    expect(types).toEqual([
      'AlertComparison',
      'AlertCondition',
      'AlertRule',
      'Application',
      'Dashboard',
      'Device',
      'DeviceLatest',
      'DeviceSite',
      'Episode',
      'EpisodeRecord',
      'GroupSeries',
      'LatestValue',
      'Location',
      'Mapping',
      'MeterExchange',
      'Product',
      'Record',
      'RecordActivity',
      'RecordValue',
      'RecordedVariable',
      'RejectedItems',
      'SearchAnswer',
      'Series',
      'Site',
      'States',
      'Variable',
      'Viewer',
    ]);
  });

  it('answers nothing of another application or organization that the query names', async () => {
    const hidden = [...secrets, 'Their application', 'Their device'].filter((text) => !/^[\da-f-]{36}$/.test(text));
    const answered = new Set<string>();
    let asked = 0;
    for (const values of foreign) {
      const sent = Object.values(values);
      const valueOf = ({ name, type }: Field['args'][number]): string | undefined => {
        const id = values[name] ?? values['applicationId'];
        if (getNamedType(type).name === 'ID') return String(type).startsWith('[') ? `["${id}"]` : `"${id}"`;
        return name === 'deviceSerial'
          ? `"${values[name]}"`
          : /^[[{]/.test(given[name] ?? '')
            ? given[name]
            : undefined;
      };
      for (const field of Object.values(schema.getQueryType()!.getFields())) {
        if (field.args.length === 0) continue;
        const texts = field.args.map((arg) => [arg, valueOf(arg)] as const).filter(([, value]) => value !== undefined);
        const text = `${field.name}(${texts.map(([{ name }, value]) => `${name}: ${value}`).join(', ')})`;
        const { body } = await viewer.graph(`{ ${text} ${valuesOf(field)} }`);
        asked += 1;
        const shown = JSON.stringify(body);
        expect([text, hidden.filter((secret) => shown.includes(secret))]).toEqual([text, []]);
        const found = body.data?.[field.name];
        const isEmpty = found == null || /"(?:items|edges|nodes)":\[\]/.test(JSON.stringify(found)) || isNone(found);
        if (!isEmpty && !sent.includes(found.id)) answered.add(field.name);
      }
    }
    expect(asked).toBeGreaterThan(100);
    expect([...answered].sort()).toEqual([]);
  });
});

/** Whether a value is an empty list. */
const isNone = (found: unknown): boolean => Array.isArray(found) && found.every((each) => each === null);
