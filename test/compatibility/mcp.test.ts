import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type ColdStore, makeColdStore } from '../mcp/scene.js';
import { useWorld } from '../support/world.js';

const world = useWorld();
const client = new Client({ name: 'test', version: '1' });
let store: ColdStore;

beforeAll(async () => {
  store = await makeColdStore(world);
  const requestInit = { headers: { authorization: `Bearer ${store.owner.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', world.url), { requestInit }));
});

afterAll(() => client.close());

describe('the official client of the years before (@modelcontextprotocol/sdk 1)', () => {
  it('lists the tools and checks an answer against its output schema', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['find_devices', 'search_records']));
    const answer = await client.callTool({ name: 'find_devices', arguments: { q: 'freezer', limit: 2 } });
    const { devices, cursor } = answer.structuredContent as { devices: object[]; cursor: string };
    expect(devices).toHaveLength(2);
    const rest = await client.callTool({ name: 'find_devices', arguments: { q: 'freezer', limit: 2, cursor } });
    expect((rest.structuredContent as { devices: object[] }).devices).toHaveLength(1);
  });

  it('takes an error as a result with its code', async () => {
    const { applicationId } = store;
    const args = { applicationId, query: { foo: {} } };
    const answer = await client.callTool({ name: 'search_records', arguments: args });
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'VALIDATION_FAILED' } } });
  });
});
