import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  isLeafType,
} from 'graphql';
import { Role, TokenScope } from '../../src/entities/enums.js';
import { type Route, routes } from '../../src/rest/routes.js';
import { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { type Access, inAnHour, newAlertRule, newImport, operations, type Things, type Values } from './operations.js';

const world = useWorld();

type Who =
  | 'nobody'
  | 'revoked'
  | 'expired'
  | 'former member'
  | 'organization'
  | 'owner'
  | 'member'
  | 'reader'
  | 'writer'
  | 'reader and writer'
  | 'read token'
  | 'ingest token'
  | 'device token'
  | 'provisioning token'
  | 'other organization';

const ok = 200;
const callers: Record<Who, (access: Access, changes: boolean) => number> = {
  nobody: () => 401,
  revoked: () => 401,
  expired: () => 401,
  'former member': () => 401,
  organization: () => ok,
  owner: () => ok,
  member: (access) => ({ ...asMember, readers: 404, writers: 404, ownersOfReadable: 404 })[access],
  reader: (access) => asMember[access],
  writer: (access) => ({ ...asMember, writers: ok })[access],
  'reader and writer': (access) => ({ ...asMember, writers: ok })[access],
  'read token': (_access, changes) => (changes ? 403 : ok),
  'ingest token': (access) => (access === 'ingesters' || access === 'deviceIngesters' ? ok : 403),
  'device token': (access) => (access === 'deviceIngesters' ? ok : 403),
  'provisioning token': (access) => (access === 'provisioners' ? ok : 403),
  'other organization': (access) => (access === 'anyone' ? ok : 404),
};

/** A member whose team may read the application. */
const asMember: Record<Access, number> = {
  anyone: ok,
  members: ok,
  readers: ok,
  writers: 403,
  owners: 403,
  ownersOfReadable: 403,
  ingesters: 403,
  deviceIngesters: 403,
  provisioners: 403,
};

/**
 * `updateAccount` names no organization: it is about the caller's own, which only owners change. `provisionDevice` names none
 * either: whoever has another token is told that it takes a provisioning token.
 */
const expected = (who: Who, name: string, access: Access, changes: boolean): number => {
  const usual = usuallyExpected(who, name, access, changes);
  return access === 'provisioners' && who !== 'provisioning token' && usual !== 401 ? 403 : usual;
};

const usuallyExpected = (who: Who, name: string, access: Access, changes: boolean): number =>
  name === 'Mutation.updateAccount' && ['member', 'reader', 'writer', 'reader and writer'].includes(who)
    ? 403
    : callers[who](access, changes);

let actors: Record<Who, Actor>;
let things: Things;
let schema: GraphQLSchema;
let count = 0;
const fresh = () => `fresh-${process.pid}-${++count}`;

beforeAll(async () => {
  const organization = await world.organization();
  const other = await world.organization();
  const owner = await world.member(organization, Role.owner);
  const member = await world.member(organization, Role.member);
  const [reader, writer, both, former] = [
    await world.member(organization, Role.member),
    await world.member(organization, Role.member),
    await world.member(organization, Role.member),
    await world.member(organization, Role.member),
  ];
  things = await furnish(organization, member.id);
  const path = `/teams/${organization.id}`;
  const teams: Record<string, string> = {};
  for (const permission of ['read', 'write']) {
    const teamId = await organization.make(`/organizations/${organization.id}/teams`, { name: permission });
    teams[permission] = teamId;
    await organization.put(`${path}/${teamId}/applications/${things.applicationId}`, { permission });
  }
  for (const { id } of [reader, both]) await organization.put(`${path}/${teams['read']}/members/${id}`);
  for (const { id } of [writer, both]) await organization.put(`${path}/${teams['write']}/members/${id}`);
  await organization.delete(`/organizations/${organization.id}/members/${former.id}`);
  const bearer = (scope: TokenScope, expiresAt?: Date) =>
    world.bearer({ organizationId: organization.id, scope, ...(expiresAt && { expiresAt }) });
  const revoked = await bearer(TokenScope.full);
  await world.pool.query('update api_token set revoked_at = now() where prefix = $1', [revoked.token?.slice(0, 8)]);
  const provisioningToken = await tokenOfProduct(organization, things.productId);
  const deviceToken = await tokenOfDevice(organization, things.deviceId);
  actors = {
    nobody: world.anonymous(),
    revoked,
    expired: await bearer(TokenScope.full, new Date(0)),
    'former member': former,
    organization,
    owner,
    member,
    reader,
    writer,
    'reader and writer': both,
    'read token': await bearer(TokenScope.read),
    'ingest token': await bearer(TokenScope.ingest),
    'device token': new Actor(world.url, deviceToken.token),
    'provisioning token': new Actor(world.url, provisioningToken.token),
    'other organization': other,
  };
  const introspection = await organization.graph(getIntrospectionQuery());
  schema = buildClientSchema(introspection.body.data as unknown as IntrospectionQuery);
});

/** Makes a token of a device. */
async function tokenOfDevice(owner: AccountActor, deviceId: string): Promise<{ id: string; token: string }> {
  const { body } = await owner.post<{ token: string; apiToken: { id: string } }>(
    `/devices/${owner.id}/${deviceId}/tokens`,
  );
  return { id: body.apiToken.id, token: body.token };
}

/** Makes a provisioning token of a product. */
async function tokenOfProduct(owner: AccountActor, productId: string): Promise<{ id: string; token: string }> {
  const { body } = await owner.post<{ token: string; provisioningToken: { id: string } }>(
    `/products/${owner.id}/${productId}/provisioning-tokens`,
    { deviceLimit: 100, expiresAt: inAnHour() },
  );
  return { id: body.provisioningToken.id, token: body.token };
}

async function furnish(owner: AccountActor, memberId: string): Promise<Things> {
  const at = `/organizations/${owner.id}`;
  const serial = '000000ff';
  const variables = [{ name: 'temperature', type: 'FLOAT32' }];
  const productId = await owner.make(`${at}/products`, { name: 'Thermometer', version: '1', variables });
  const deviceId = await owner.make(`${at}/devices/${serial}`, { product: { id: productId } });
  const applicationId = await owner.make(`${at}/applications`, { name: 'Cold chain' });
  const application = `/applications/${owner.id}/${applicationId}`;
  await owner.put(`${application}/devices/${deviceId}`);
  const hookId = await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/' });
  const token = await owner.graph(
    'mutation ($id: ID!) { createApiToken(organizationId: $id, name: "spare") { apiToken { id } } }',
    { id: owner.id },
  );
  return {
    owner,
    memberId,
    fresh,
    serial,
    productId,
    deviceId,
    applicationId,
    hookId,
    alertRuleId: await newAlertRule({ owner, applicationId }),
    teamId: await owner.make(`${at}/teams`, { name: 'Field Ops' }),
    userId: await world.user(),
    deliveryId: await owner.make(`${application}/hooks/${hookId}/ping`),
    jobId: await owner.make(`/products/${owner.id}/${productId}/redecode`),
    importId: await newImport({ owner, serial }),
    tokenId: token.body.data?.['createApiToken'].apiToken.id,
    provisioningTokenId: (await tokenOfProduct(owner, productId)).id,
    deviceTokenId: (await tokenOfDevice(owner, deviceId)).id,
  };
}

const names = () =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) =>
    Object.keys(root?.getFields() ?? {}).map((field) => `${root?.name}.${field}`),
  );

/** Operations of REST that the graph says in another way. */
const ofRestAlone = ['Query.applicationLatest', 'Query.deviceLatest'];

it('knows every operation of the graph and of REST', () => {
  const ofGraph = Object.keys(operations).filter((name) => !ofRestAlone.includes(name));
  expect(ofGraph.sort()).toEqual(names().sort());
  const ofRest = routes.map(({ root, operation }) => `${root}.${operation}`);
  expect([...names(), ...ofRestAlone]).toEqual(expect.arrayContaining(ofRest));
});

const cases = Object.entries(operations).flatMap(([name, trial]) =>
  (Object.keys(callers) as Who[]).map((who) => ({ name, who, ...trial })),
);

describe('REST', () => {
  const byName = new Map(routes.map((route) => [`${route.root}.${route.operation}`, route]));
  it.each(cases.filter(({ name }) => byName.has(name)))(
    '$name answers $who',
    async ({ name, who, access, conflicts, values }) => {
      const route = byName.get(name)!;
      const answer = await request(actors[who], route, await values(things));
      const wanted = expected(who, name, access, route.root === 'Mutation');
      expect([name, who, answer.status]).toEqual([
        name,
        who,
        wanted === ok ? (conflicts ? 409 : (route.status ?? ok)) : wanted,
      ]);
      if (wanted !== ok) expect(answer.body).toMatchObject({ code: codes[wanted], message: expect.any(String) });
    },
  );
});

describe('GraphQL', () => {
  it.each(cases.filter(({ name }) => !ofRestAlone.includes(name)))(
    '$name answers $who',
    async ({ name, who, access, conflicts, values }) => {
      const call = name.startsWith('Subscription') ? 'firstEvent' : 'graph';
      const answer = await actors[who][call](documentOf(name), await values(things));
      const wanted = expected(who, name, access, name.startsWith('Mutation'));
      const code = answer.body.errors?.[0]?.extensions.code;
      expect([name, who, code]).toEqual([name, who, wanted === ok && conflicts ? 'CONFLICT' : codes[wanted]]);
      expect(answer.status).toBe(wanted === 401 ? 401 : 200);
    },
  );
});

const codes: Record<number, string | undefined> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 404: 'NOT_FOUND' };

/** A request of an operation: what the path names in the path, the rest in the body or in the query string. */
function request(actor: Actor, { verb, path, body }: Route, values: Values) {
  const rest = { ...values };
  const place = path.replace(/:(\w+)/g, (_match, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return value;
  });
  if (typeof body === 'object' && 'files' in body)
    return actor.request(verb, `${place}?dryRun=false`, {
      headers: { 'content-type': 'text/csv' },
      body: rest[body.argument],
    });
  if (typeof body === 'object') return actor.call(verb, place, rest[body.argument]);
  if (body === 'located') return actor.call('POST', place, rest);
  return verb === 'GET' || verb === 'DELETE' ? actor.call(verb, place) : actor.call(verb, place, rest);
}

/** The document of an operation, with all its arguments as variables. */
function documentOf(name: string): string {
  const [root, operation] = name.split('.') as [string, string];
  const type = schema.getType(root) as GraphQLObjectType;
  const field: GraphQLField<unknown, unknown> = type.getFields()[operation]!;
  const declared = field.args.map(
    (arg) =>
      `$${arg.name}: ${String(arg.type)}${arg.defaultValue === undefined ? '' : ' = ' + JSON.stringify(arg.defaultValue).replaceAll('"', '')}`,
  );
  const passed = field.args.map((arg) => `${arg.name}: $${arg.name}`);
  const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
  const list = (parts: string[]) => (parts.length === 0 ? '' : `(${parts.join(', ')})`);
  return `${root.toLowerCase()} ${list(declared)} { ${operation}${list(passed)} ${selection} }`;
}
