import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isLeafType,
} from 'graphql';
import { Role, TokenScope } from '../../src/entities/enums.js';
import { type Route, routes } from '../../src/rest/routes.js';
import type { Actor } from '../support/actor.js';
import { type OrganizationActor, useWorld } from '../support/world.js';
import { type Access, operations, type Things, type Values } from './operations.js';

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
  'ingest token': (access) => (access === 'ingesters' ? ok : 403),
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
};

/** `updateAccount` names no organization: it is about the caller's own, which only owners change. */
const expected = (who: Who, name: string, access: Access, changes: boolean): number =>
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
  things = await furnish(organization, member.userId);
  const path = `/teams/${organization.id}`;
  const teams: Record<string, string> = {};
  for (const permission of ['read', 'write']) {
    const team = await organization.post(`/organizations/${organization.id}/teams`, { name: permission });
    teams[permission] = team.body.id;
    await organization.put(`${path}/${team.body.id}/applications/${things.applicationId}`, { permission });
  }
  for (const { userId } of [reader, both]) await organization.put(`${path}/${teams['read']}/members/${userId}`);
  for (const { userId } of [writer, both]) await organization.put(`${path}/${teams['write']}/members/${userId}`);
  await organization.delete(`/organizations/${organization.id}/members/${former.userId}`);
  const bearer = (scope: TokenScope, expiresAt?: Date) =>
    world.bearer({ organizationId: organization.id, scope, ...(expiresAt && { expiresAt }) });
  const revoked = await bearer(TokenScope.full);
  await world.pool.query('update api_token set revoked_at = now() where prefix = $1', [revoked.token?.slice(0, 8)]);
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
    'other organization': other,
  };
  const introspection = await organization.graph(getIntrospectionQuery());
  schema = buildClientSchema(introspection.body.data);
});

async function furnish(owner: OrganizationActor, memberId: string): Promise<Things> {
  const { id } = owner;
  const at = `/organizations/${id}`;
  const variables = [{ name: 'temperature', type: 'FLOAT32' }];
  const product = await owner.post(`${at}/products`, { name: 'Thermometer', version: '1', variables });
  const device = await owner.post(`${at}/devices/000000ff`, { product: { id: product.body.id } });
  const application = await owner.post(`${at}/applications`, { name: 'Cold chain' });
  await owner.put(`/applications/${id}/${application.body.id}/devices/${device.body.id}`);
  const hook = await owner.post(`/applications/${id}/${application.body.id}/hooks`, { url: 'http://127.0.0.1:9/' });
  const team = await owner.post(`${at}/teams`, { name: 'Field Ops' });
  const delivery = await owner.post(`/applications/${id}/${application.body.id}/hooks/${hook.body.id}/ping`);
  const job = await owner.post(`/products/${id}/${product.body.id}/redecode`);
  const token = await owner.graph(
    'mutation ($id: ID!) { createApiToken(organizationId: $id, name: "spare") { apiToken { id } } }',
    { id },
  );
  return {
    owner,
    memberId,
    fresh,
    serial: '000000ff',
    productId: product.body.id,
    deviceId: device.body.id,
    applicationId: application.body.id,
    hookId: hook.body.id,
    teamId: team.body.id,
    userId: await world.user(),
    deliveryId: delivery.body.id,
    jobId: job.body.id,
    tokenId: token.body.data.createApiToken.apiToken.id,
  };
}

const names = () =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
    Object.keys(root?.getFields() ?? {}).map((field) => `${root?.name}.${field}`),
  );

it('knows every operation of the graph and of REST', () => {
  expect(Object.keys(operations).sort()).toEqual(names().sort());
  expect(names()).toEqual(expect.arrayContaining(routes.map(({ root, operation }) => `${root}.${operation}`)));
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
  it.each(cases)('$name answers $who', async ({ name, who, access, conflicts, values }) => {
    const answer = await actors[who].graph(documentOf(name), await values(things));
    const wanted = expected(who, name, access, name.startsWith('Mutation'));
    const code = answer.body.errors?.[0].extensions.code;
    expect([name, who, code]).toEqual([name, who, wanted === ok && conflicts ? 'CONFLICT' : codes[wanted]]);
    expect(answer.status).toBe(wanted === 401 ? 401 : 200);
  });
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
  if (typeof body === 'object') return actor.call(verb, place, rest[body.argument]);
  if (body === 'located') return actor.call('POST', place, rest);
  return verb === 'GET' || verb === 'DELETE' ? actor.call(verb, place) : actor.call(verb, place, rest);
}

/** The document of an operation, with all its arguments as variables. */
function documentOf(name: string): string {
  const [root, operation] = name.split('.') as [string, string];
  const type = root === 'Query' ? schema.getQueryType() : schema.getMutationType();
  const field: GraphQLField<unknown, unknown> = type!.getFields()[operation]!;
  const declared = field.args.map(
    (arg) =>
      `$${arg.name}: ${String(arg.type)}${arg.defaultValue === undefined ? '' : ' = ' + JSON.stringify(arg.defaultValue).replaceAll('"', '')}`,
  );
  const passed = field.args.map((arg) => `${arg.name}: $${arg.name}`);
  const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
  const list = (parts: string[]) => (parts.length === 0 ? '' : `(${parts.join(', ')})`);
  return `${root.toLowerCase()} ${list(declared)} { ${operation}${list(passed)} ${selection} }`;
}
