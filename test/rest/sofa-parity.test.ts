import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Request as ExpressRequest } from 'express';
import { useSofa } from 'sofa-api';
import type { ClassType, NonEmptyArray } from 'type-graphql';
import { Call } from '#app/request-context.js';
import { createResolvers } from '#app/resolver-list.js';
import { openServices, type Services } from '#app/services.js';
import { createResources } from '#app/surfaces.js';
import { authenticate } from '#auth/authenticate.js';
import { createLog } from '#common/log.js';
import { readConfig } from '#config/config.js';
import { restSchema } from '#rest/handler.js';
import { routes } from '#rest/routes.js';
import { buildGraphForRest } from '#schema/build.js';
import { useService } from '../support/service.js';
import { createTenant, createUser, type Tenant } from '../support/tenant.js';

/** One call: its operation, the path parameters by name, and the query or body. */
interface Step {
  operation: string;
  query?: Record<string, string>;
  body?: object;
  /** Name under which the answer's id is remembered for later steps. */
  keep?: string;
}

/** Creates, changes and deletes every kind of object, so that each exists when a step names it. */
const steps: readonly Step[] = [
  { operation: 'updateAccount', body: { email: 'a@b.example', username: 'renamed', name: 'Renamed' } },
  { operation: 'account' },
  { operation: 'accounts', query: { limit: '1', q: '^nobody$' } },
  { operation: 'setOrganizationMember', body: { role: 'member' } },
  { operation: 'organizationMembers', query: { role: 'member' } },
  { operation: 'updateOrganization', body: { email: 'c@d.example', username: 'again' } },
  { operation: 'organization' },
  { operation: 'createTeam', body: { name: 'Field Ops', description: 'Outside.' }, keep: 'teamId' },
  { operation: 'updateTeam', body: { name: 'Depot' } },
  { operation: 'team' },
  { operation: 'teams', query: { limit: '5', page: '1', sort: '-name' } },
  { operation: 'addTeamMember' },
  { operation: 'teamMembers' },
  {
    operation: 'createProduct',
    body: {
      name: 'Sensor',
      version: '1',
      variables: [{ name: 't', type: 'FLOAT32', mappings: [{ streamId: 1, streamType: 'BIN', varNumber: 1 }] }],
    },
    keep: 'productId',
  },
  { operation: 'updateProduct', body: { name: 'Sensor', version: '2', variables: [] } },
  { operation: 'product' },
  { operation: 'products' },
  { operation: 'publicProducts' },
  {
    operation: 'registerDevice',
    body: { name: 'Pump', tags: ['north'], location: { lat: 1.5, lon: 2 } },
    keep: 'deviceId',
  },
  { operation: 'updateDevice', body: { name: 'Pump 2' } },
  { operation: 'device' },
  { operation: 'devices', query: { q: 'pump', limit: '3' } },
  { operation: 'createApplication', body: { name: 'Pumps', hasDashboard: true }, keep: 'applicationId' },
  { operation: 'updateApplication', body: { name: 'All pumps', hasDashboard: false } },
  { operation: 'application' },
  { operation: 'applications' },
  { operation: 'setTeamApplication', body: { permission: 'read' } },
  { operation: 'teamApplications' },
  { operation: 'addApplicationDevice' },
  { operation: 'applicationDevices' },
  {
    operation: 'createApplicationHook',
    body: { url: 'http://192.0.2.1/x', authentication: { basic: { user: 'u', pass: 'p' } } },
    keep: 'applicationHookId',
  },
  { operation: 'updateApplicationHook', body: { url: 'http://192.0.2.1/y', disabled: true } },
  { operation: 'applicationHook' },
  { operation: 'applicationHooks' },
  { operation: 'applicationHookDeliveries' },
  { operation: 'deleteApplicationHook' },
  { operation: 'removeApplicationDevice' },
  { operation: 'removeTeamApplication' },
  { operation: 'removeTeamMember' },
  { operation: 'deleteApplication' },
  { operation: 'deleteDevice' },
  { operation: 'deleteProduct' },
  { operation: 'deleteTeam' },
  { operation: 'removeOrganizationMember' },
];

/** Excluded: operations whose answers depend on the outside world, or whose input SOFA cannot bind. */
const apart = new Set(['pingApplicationHook', 'search']);

type Send = (verb: string, path: string, body: object | undefined) => Promise<unknown>;

describe("parity of our REST handlers with SOFA's", () => {
  const service = useService();
  let services: Services;
  let send: Send;
  const tenants: Tenant[] = [];

  beforeAll(async () => {
    const config = readConfig({ PORT: '0' });
    const options = { config, connectionString: service.databaseUrl, secretKeys: ['a key for tests'] };
    services = await openServices({ ...options, log: createLog('fatal') });
    tenants.push(await createTenant(service), await createTenant(service));
    send = sofaSender(services, tenants[1]!);
  });
  afterAll(() => services.close(0));

  it('covers every operation of the contract that can be compared', () => {
    const specified = routes.slice(0, 46).map(({ operation }) => operation);
    expect(steps.map(({ operation }) => operation).sort()).toEqual(specified.filter((name) => !apart.has(name)).sort());
  });

  it('returns the same data from both handlers for every operation', async () => {
    const { owner } = tenants[0]!;
    const ours = await live(tenants[0]!, service, async (verb, path, body) => {
      const answer = await owner.request(verb, path, body && { body });
      return answer.body;
    });
    const theirs = await live(tenants[1]!, service, send);
    for (const [index, { operation }] of steps.entries()) {
      expect({ operation, answer: ours[index] }).toEqual({ operation, answer: theirs[index] });
    }
  });
});

/** Runs all steps in one tenant, and returns the answers with identifiers, times and names of the tenant replaced. */
async function live(tenant: Tenant, service: Parameters<typeof createUser>[0], request: Send): Promise<unknown[]> {
  const parameters: Record<string, string> = { organizationId: tenant.id, deviceSerial: 'ab-12' };
  parameters.memberId = await createUser(service);
  const answers: unknown[] = [];
  for (const { operation, query, body, keep } of steps) {
    const route = routes.find((each) => each.operation === operation)!;
    const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) => parameters[name]!);
    const own =
      operation.startsWith('update') && body && 'email' in body ? { ...body, username: tenant.id.slice(-12) } : body;
    const answer = await request(
      route.verb,
      query ? `${path}?${new URLSearchParams(query)}` : path,
      unique(own, tenant),
    );
    if (keep) parameters[keep] = (answer as { id: string }).id;
    answers.push(alike(route.status === 204 ? undefined : answer, parameters));
  }
  return answers;
}

/** E-mail addresses are unique across the platform. */
const unique = (body: object | undefined, { id }: Tenant): object | undefined =>
  body && 'email' in body ? { ...body, email: `${id.slice(-12)}@x.example` } : body;

const moment = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;

/** Replaces the values that differ between tenants. Pages are unwrapped and absent values dropped, as REST promises. */
function alike(answer: unknown, parameters: Record<string, string>): unknown {
  if (answer === undefined) return undefined;
  let text = JSON.stringify(answer, (_key, value: unknown) => (value === null ? undefined : value)).replace(
    moment,
    'then',
  );
  for (const [name, value] of Object.entries(parameters)) text = text.replaceAll(value, name);
  text = text
    .replaceAll(parameters.organizationId!.slice(-12), 'tenant')
    .replaceAll(/http:\/\/[\w.:]+\/avatars/g, '/avatars');
  const plain = JSON.parse(text.replaceAll(/test-[0-9a-f]{12}/g, 'someone')) as unknown;
  const isPage = typeof plain === 'object' && plain !== null && 'items' in plain && 'totalCount' in plain;
  return isPage ? plain.items : plain;
}

/** Sends requests to SOFA's own router over the same services. */
function sofaSender(services: Services, tenant: Tenant): Send {
  const instances = createResolvers(services, { mqtt: undefined });
  const schema = restSchema(
    buildGraphForRest({
      resolvers: [...instances.keys()] as unknown as NonEmptyArray<ClassType>,
      container: { get: (type: ClassType) => instances.get(type) },
    }),
  );
  const resources = { ...createResources(readConfig({}), services, async () => {}), originOf: () => 'http://sofa' };
  const sofa = useSofa({
    schema,
    basePath: '',
    routes: Object.fromEntries(
      routes.map(({ root, operation, verb, path }) => [`${root}.${operation}`, { method: verb, path }]),
    ),
    async context() {
      const caller = await authenticate(services.reader.read, `Bearer ${tenant.owner.token}`);
      return new Call(caller, {} as ExpressRequest, resources, () => undefined);
    },
  });
  return async (verb, path, body) => {
    const response = await sofa.fetch(
      new Request(`http://sofa${path}`, { method: verb, ...(body && { body: JSON.stringify(body) }) }),
      {},
    );
    return JSON.parse(await response.text()) as unknown;
  };
}
