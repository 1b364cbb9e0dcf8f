import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/entities/enums.js';
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
  await owner.post(`${at}/records`, { serial: 'aa-01', data: { t: 1 } });
  const { body } = await owner.graph(
    `{ account { tokens { items { id } } devices { items { records { items { id } } } } } }`,
  );
  const { tokens, devices } = body.data!.account;
  nodes = {
    Organization: owner.id,
    Team: await owner.make(`${at}/teams`, { name: 'T' }),
    Product,
    Device,
    Application,
    Hook: await owner.make(`/applications/${owner.id}/${Application}/hooks`, { url: 'http://127.0.0.1:9/' }),
    Job: await owner.make(`/products/${owner.id}/${Product}/redecode`),
    ApiToken: tokens.items[0].id,
    Record: devices.items[0].records.items[0].id,
  };
});

const read = 'query ($id: ID!) { node(id: $id) { __typename id } }';

describe('node', () => {
  it('finds every type that is a Node', async () => {
    const { body } = await owner.graph('{ __type(name: "Node") { possibleTypes { name } } }');
    const types = (body.data!.__type.possibleTypes as { name: string }[]).map(({ name }) => name);
    expect(types.sort()).toEqual(Object.keys(nodes).sort());
    for (const [__typename, id] of Object.entries(nodes)) {
      expect((await owner.graph(read, { id })).body).toEqual({ data: { node: { __typename, id } } });
    }
  });

  it('follows the edges of what it finds', async () => {
    const query = `query ($id: ID!) { node(id: $id) { ... on Device { name product { name } organization { id } } } }`;
    const { body } = await owner.graph(query, { id: nodes['Device'] });
    expect(body.data!.node).toEqual({ name: 'Freezer', product: { name: 'P' }, organization: { id: owner.id } });
  });

  it('finds nothing of another organization, and for members only what they can read', async () => {
    const member = await world.member(owner, Role.member);
    const typesFor = async (actor: typeof member) => {
      const found = await Promise.all(Object.values(nodes).map((id) => actor.graph(read, { id })));
      return found.flatMap(({ body }) => body.data!.node?.__typename ?? []);
    };
    expect(await typesFor(await world.organization())).toEqual([]);
    expect(await typesFor(member)).toEqual(['Organization', 'Team', 'Product', 'Job']);
  });

  it('answers NOT_FOUND to what is no identifier', async () => {
    const { body } = await owner.graph(read, { id: 'nothing' });
    expect(body).toMatchObject({ data: { node: null }, errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });
});
