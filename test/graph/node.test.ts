import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { newSession } from '../auth/matrix.js';
import { inAnHour, newImport, newInvitation, newLink, newNetworkServer } from '../auth/operations.js';
import { useWorld, type World } from '../support/world.js';

const world = useWorld();
let owner: Awaited<ReturnType<World['organization']>>;
let nodes: Record<string, string>;

beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const Product = await owner.make(`${at}/products`, { name: 'P', version: '1', variables: [] });
  const Device = await owner.make(`${at}/devices/aa-01`, { product: { id: Product }, name: 'Freezer' });
  const Application = await owner.make(`${at}/applications`, { name: 'A' });
  const Hook = await owner.make(`/applications/${owner.id}/${Application}/hooks`, { url: 'http://127.0.0.1:9/' });
  const tokensAt = `/products/${owner.id}/${Product}/provisioning-tokens`;
  const provisioning = await owner.post<{ provisioningToken: { id: string } }>(tokensAt, {
    deviceLimit: 1,
    expiresAt: inAnHour(),
  });
  await owner.post(`${at}/records`, { serial: 'aa-01', data: { t: 1 } });
  await owner.put(`/applications/${owner.id}/${Application}/devices/${Device}`);
  const alertRules = `/applications/${owner.id}/${Application}/alert-rules`;
  const AlertRule = await owner.make(alertRules, {
    name: 'Warm',
    kind: 'threshold',
    when: { all: [{ variable: 't', operator: 'gt', value: 8 }] },
  });
  await owner.post(`${at}/records`, { serial: 'aa-01', data: { t: 9 } });
  const episodes = await owner.get<{ id: string }[]>(`/applications/${owner.id}/${Application}/episodes`);
  const audit = await owner.get<{ id: string }[]>(`${at}/audit`);
  const { body } = await owner.graph(
    `{ account { tokens { items { id } } devices { items { records { items { id } } } } } }`,
  );
  const { tokens, devices } = body.data!.account;
  const member = await world.member(owner, Role.member);
  nodes = {
    AlertRule,
    AuditEvent: audit.body[0]!.id,
    Episode: episodes.body[0]!.id,
    Organization: owner.id,
    Command: await owner.make(`/devices/${owner.id}/${Device}/commands`, { name: 'raw', payload: '01' }),
    Site: await owner.make(`${at}/sites`, { name: 'S' }),
    NetworkServer: await newNetworkServer({ owner, fresh: () => 'pumps' }),
    Team: await owner.make(`${at}/teams`, { name: 'T' }),
    Product,
    Device,
    Application,
    Hook,
    DashboardLink: (await newLink({ owner, applicationId: Application })).id,
    Delivery: await owner.make(`/applications/${owner.id}/${Application}/hooks/${Hook}/ping`),
    FileImport: await newImport({ owner, serial: 'aa-01' }),
    ProvisioningToken: provisioning.body.provisioningToken.id,
    User: member.id,
    Session: await newSession(world, owner.id, member.id),
    Invitation: await newInvitation({ owner, fresh: () => 'somebody' }),
    Job: await owner.make(`/products/${owner.id}/${Product}/redecode`),
    ApiToken: tokens.items[0].id,
    Record: devices.items[0].records.items[0].id,
  };
});

const read = 'query ($id: ID!) { node(id: $id) { __typename id } }';

describe('GraphQL node', () => {
  it('finds every type that implements Node', async () => {
    const { body } = await owner.graph('{ __type(name: "Node") { possibleTypes { name } } }');
    const types = (body.data!.__type.possibleTypes as { name: string }[]).map(({ name }) => name);
    expect(types.sort()).toEqual(Object.keys(nodes).sort());
    for (const [__typename, id] of Object.entries(nodes)) {
      expect((await owner.graph(read, { id })).body).toEqual({ data: { node: { __typename, id } } });
    }
  });

  it('covers all types that have an identifier', async () => {
    const { body } = await owner.graph('{ __schema { types { name interfaces { name } fields { name } } } }');
    const types = body.data!.__schema.types as { name: string; interfaces: object[]; fields: { name: string }[] }[];
    const others = types.filter(
      ({ fields, interfaces }) => interfaces?.length === 0 && fields?.some(({ name }) => name === 'id'),
    );
    // The outcome of a put call has the identifier of the affected object, but is no node.
    expect(others.map(({ name }) => name)).toEqual(['Node', 'PutItem']);
  });

  it('returns the role of a member, and null for other users', async () => {
    const query = 'query ($id: ID!) { node(id: $id) { ... on User { role } } }';
    expect((await owner.graph(query, { id: nodes['User'] })).body.data!.node).toEqual({ role: 'member' });
    expect((await owner.graph(query, { id: await world.user() })).body.data!.node).toEqual({ role: null });
  });

  it('follows the edges of the object', async () => {
    const query = `query ($id: ID!) { node(id: $id) { ... on Device { name product { name } organization { id } } } }`;
    const { body } = await owner.graph(query, { id: nodes['Device'] });
    expect(body.data!.node).toEqual({ name: 'Freezer', product: { name: 'P' }, organization: { id: owner.id } });
  });

  it('finds only what the caller can read', async () => {
    const member = await world.member(owner, Role.member);
    const typesFor = async (actor: typeof member) => {
      const found = await Promise.all(Object.values(nodes).map((id) => actor.graph(read, { id })));
      return found.flatMap(({ body }) => body.data!.node?.__typename ?? []);
    };
    // Every caller can see users, in order to add them as members.
    expect(await typesFor(await world.organization())).toEqual(['User']);
    expect((await typesFor(member)).sort()).toEqual(['Job', 'Organization', 'Product', 'Team', 'User']);
  });

  it('returns NOT_FOUND for an invalid identifier', async () => {
    const { body } = await owner.graph(read, { id: 'nothing' });
    expect(body).toMatchObject({ data: { node: null }, errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });
});

describe('GraphQL nodes', () => {
  it('returns objects of any types in order, and null for those that the caller cannot see', async () => {
    const ids = Object.values(nodes);
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
    const { body } = await owner.graph(query, { ids: ['nothing', ...ids] });
    const found = Object.entries(nodes).map(([__typename, id]) => ({ __typename, id }));
    expect(body).toEqual({ data: { nodes: [null, ...found] } });
    const stranger = await (await world.organization()).graph(query, { ids: [nodes['Device'], nodes['Delivery']] });
    expect(stranger.body).toEqual({ data: { nodes: [null, null] } });
  });

  it('returns VALIDATION_FAILED for more than 100 identifiers', async () => {
    const { body } = await owner.graph('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: Array(101).fill('x'),
    });
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'ids' }] } }]);
  });
});
