import { beforeAll } from '@jest/globals';
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
import { Role, TokenScope } from '#entities/enums.js';
import { Actor } from '../support/actor.js';
import { type AccountActor, useWorld, type World } from '../support/world.js';
import {
  type Access,
  inAnHour,
  newAlertRule,
  newCommandTo,
  newImport,
  newLink,
  newNetworkServer,
  newSiteOf,
  operations,
  type Things,
} from './operations.js';

export type Who =
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
  | 'link'
  | 'other organization';

export const ok = 200;
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
  link: () => 403,
  'other organization': (access) => (access === 'anyone' ? ok : 404),
};

/** Operations that the token of a dashboard link may call. */
const ofLinks = new Set([
  'Query.viewer',
  'Query.application',
  'Query.applicationDevices',
  'Query.applicationDevicesConnection',
  'Query.device',
  'Query.deviceBySerial',
  'Query.search',
  'Query.latest',
  'Query.applicationLatest',
  'Query.deviceLatest',
  'Query.series',
  'Query.groupSeries',
  'Query.alertRules',
  'Query.alertRulesConnection',
  'Query.alertRule',
  'Query.episodes',
  'Query.episodesConnection',
  'Query.site',
  'Query.sites',
  'Query.sitesConnection',
  'Query.siteDevices',
  'Query.siteDevicesConnection',
  'Query.deviceSites',
  'Subscription.recordReceived',
  'Subscription.episodeChanged',
]);

/** Every kind of caller. */
export const everybody = Object.keys(callers) as Who[];

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
 * `updateAccount` names no organization: it changes the caller's own, which only owners may do. `provisionDevice` names
 * none either: with any other token, the answer says that the operation needs a provisioning token.
 */
export const expected = (who: Who, name: string, access: Access, changes: boolean): number => {
  const usual = usuallyExpected(who, name, access, changes);
  return access === 'provisioners' && who !== 'provisioning token' && usual !== 401 ? 403 : usual;
};

const usuallyExpected = (who: Who, name: string, access: Access, changes: boolean): number => {
  if (who === 'link' && ofLinks.has(name)) return ok;
  return name === 'Mutation.updateAccount' && ['member', 'reader', 'writer', 'reader and writer'].includes(who)
    ? 403
    : callers[who](access, changes);
};

/** The callers, the objects that they use, and the schema of the graph. */
export interface Matrix {
  readonly actors: Record<Who, Actor>;
  readonly things: Things;
  readonly schema: GraphQLSchema;
}

/** Creates the matrix before the tests of the file. */
export function useMatrix(): Matrix {
  const world = useWorld();
  let matrix: Matrix | undefined;
  beforeAll(async () => {
    matrix = await makeMatrix(world);
  });
  const made = (): Matrix => {
    if (matrix === undefined) throw new Error('The matrix is made in beforeAll; ask for its parts after that.');
    return matrix;
  };
  return {
    get actors() {
      return made().actors;
    },
    get things() {
      return made().things;
    },
    get schema() {
      return made().schema;
    },
  };
}

let count = 0;
const fresh = () => `fresh-${process.pid}-${++count}`;

async function makeMatrix(world: World): Promise<Matrix> {
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
  const things = await furnish(world, organization, member.id);
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
  const actors: Record<Who, Actor> = {
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
    link: new Actor(world.url, (await newLink(things)).token),
    'other organization': other,
  };
  const introspection = await organization.graph(getIntrospectionQuery());
  const schema = buildClientSchema(introspection.body.data as unknown as IntrospectionQuery);
  return { actors, things, schema };
}

/** Creates a token of a device. */
async function tokenOfDevice(owner: AccountActor, deviceId: string): Promise<{ id: string; token: string }> {
  const { body } = await owner.post<{ token: string; apiToken: { id: string } }>(
    `/devices/${owner.id}/${deviceId}/tokens`,
  );
  return { id: body.apiToken.id, token: body.token };
}

/** Creates a session of a member. */
export async function newSession(world: World, organizationId: string, userId: string): Promise<string> {
  const { rows } = await world.pool.query<{ id: string }>(
    `insert into session (id, hash, user_id, organization_id, created_at, last_used_at, expires_at)
     values (gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), $1, $2, now(), now(), now() + interval '1 day')
     returning id`,
    [userId, organizationId],
  );
  return rows[0]!.id;
}

/** Creates a provisioning token of a product. */
async function tokenOfProduct(owner: AccountActor, productId: string): Promise<{ id: string; token: string }> {
  const { body } = await owner.post<{ token: string; provisioningToken: { id: string } }>(
    `/products/${owner.id}/${productId}/provisioning-tokens`,
    { deviceLimit: 100, expiresAt: inAnHour() },
  );
  return { id: body.provisioningToken.id, token: body.token };
}

/** Creates the objects that operations are called on. */
export async function furnish(world: World, owner: AccountActor, memberId: string): Promise<Things> {
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
    commandId: await newCommandTo({ owner, deviceId }),
    siteId: await newSiteOf({ owner, deviceId }),
    networkServerId: await newNetworkServer({ owner, fresh }),
    teamId: await owner.make(`${at}/teams`, { name: 'Field Ops' }),
    userId: await world.user(),
    deliveryId: await owner.make(`${application}/hooks/${hookId}/ping`),
    jobId: await owner.make(`/products/${owner.id}/${productId}/redecode`),
    importId: await newImport({ owner, serial }),
    newSession: () => newSession(world, owner.id, memberId),
    tokenId: token.body.data?.['createApiToken'].apiToken.id,
    provisioningTokenId: (await tokenOfProduct(owner, productId)).id,
    deviceTokenId: (await tokenOfDevice(owner, deviceId)).id,
  };
}

/** The names of all operations of the graph. */
export const operationNames = (schema: GraphQLSchema): string[] =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) =>
    Object.keys(root?.getFields() ?? {}).map((field) => `${root?.name}.${field}`),
  );

/** Operations that only REST has. GraphQL returns their data through other fields. */
export const ofRestAlone = ['Query.applicationLatest', 'Query.deviceLatest', 'Mutation.takeCommands'];

/** Every operation, called by every kind of caller. */
export const cases = Object.entries(operations).flatMap(([name, trial]) =>
  everybody.map((who) => ({ name, who, ...trial })),
);

/** The code of an error by the status of its answer. */
export const codes: Record<number, string | undefined> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 404: 'NOT_FOUND' };

/** The document of an operation, with all its arguments as variables. */
export function documentOf(schema: GraphQLSchema, name: string): string {
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
