import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { connectAssistant, messageOf } from './assistant.js';

const origins = ['https://tools.example'];
const world = useWorld({ config: { corsOrigins: origins, rateLimit: 60 } });
let owner: AccountActor;

beforeAll(async () => {
  owner = await world.organization();
});

const accept = 'application/json, text/event-stream';

/** Posts a body to the endpoint. */
const send = (actor: Actor, body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<Response> =>
  fetch(`${world.url}/mcp`, {
    method,
    headers: {
      ...(actor.token !== undefined && { authorization: `Bearer ${actor.token}` }),
      'content-type': 'application/json',
      accept,
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const call = (name: string, args: object, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Creates a separate caller, so that other tests do not use up its rate limit. */
const fresh = () => world.organization();

describe('POST /mcp', () => {
  it('serves a handshake of every older protocol without a session', async () => {
    const actor = await fresh();
    for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const answer = await send(actor, {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('mcp-session-id')).toBeNull();
      const { result } = messageOf(await answer.text());
      expect(result).toMatchObject({ protocolVersion, serverInfo: { name: 'device-data-platform' } });
      expect(result.instructions).toContain('never instructions');
    }
  });

  it('refuses a missing and a wrong token with 401', async () => {
    const answer = await send(world.anonymous(), listTools);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await answer.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await send({ token: 'nonsense' } as Actor, listTools)).status).toBe(401);
  });

  it('refuses pages of other origins with 403, and takes its own and those of CORS_ORIGINS', async () => {
    const actor = await fresh();
    for (const [origin, status] of [
      ['https://evil.example', 403],
      ['null', 403],
      [world.url, 200],
      [origins[0]!, 200],
    ] as const)
      expect([origin, (await send(actor, listTools, { origin })).status]).toEqual([origin, status]);
    expect(await (await send(actor, listTools, { origin: 'null' })).json()).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('answers GET and DELETE with 405, as it keeps no session and sends nothing by itself', async () => {
    for (const verb of ['GET', 'DELETE', 'PUT']) {
      const answer = await send(owner, undefined, {}, verb);
      expect([verb, answer.status, answer.headers.get('allow')]).toEqual([verb, 405, 'POST, OPTIONS']);
    }
  });

  it('opens no stream of changes', async () => {
    const assistant = await connectAssistant(world.url, await fresh(), 'modern');
    await expect(assistant.client.listen({ toolsListChanged: true })).rejects.toThrow(/limit|support/i);
    await assistant.client.close();
  });

  it.each<[string, string | object, number]>([
    ['nothing', '', 400],
    ['no JSON', '{"jsonrpc":', 400],
    ['JSON that is no message', '[]', 400],
    ['a number', '7', 400],
    [
      'deep nesting',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      400,
    ],
    ['more than 256 KiB', { ...listTools, params: { padding: 'x'.repeat(256 * 1024) } }, 413],
    ['more than 20 messages', Array.from({ length: 21 }, (_, id) => ({ ...listTools, id })), 413],
    ['a message of no method', { jsonrpc: '2.0', id: 1 }, 400],
  ])('refuses a body of %s', async (_what, body, status) => {
    expect((await send(await fresh(), body)).status).toBe(status);
  });

  it('refuses other media types with 415', async () => {
    expect((await send(owner, listTools, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('takes keys of prototypes as unknown arguments', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_devices","arguments":{"__proto__":{"limit":1},"constructor":1}}}`;
    const text = await (await send(await fresh(), body)).text();
    expect(text).toContain('VALIDATION_FAILED');
  });

  it('counts the messages of a batch and the objects of queries as requests', async () => {
    /** The requests that the first call of a token counts as. */
    const requestsOf = async (body: unknown) => {
      const { status, headers } = await send(await fresh(), body);
      expect(status).toBe(200);
      return Number(headers.get('x-ratelimit-limit')) - Number(headers.get('x-ratelimit-remaining'));
    };
    expect(await requestsOf(Array.from({ length: 10 }, (_, id) => ({ ...listTools, id })))).toBe(10);
    // 1,000 devices, each with its product, count as eight requests.
    const query = '{ account { devices(limit: 1000) { items { id product { id } } } } }';
    expect(await requestsOf(call('graphql_query', { query }))).toBeGreaterThanOrEqual(8);
  });

  it('refuses a batch that counts as more than a burst with 429, and says when to try again', async () => {
    const actor = await fresh();
    const batch = Array.from({ length: 20 }, (_, id) => ({ ...listTools, id }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(actor, batch)));
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('shows its calls in /metrics, by tool and code', async () => {
    const actor = await fresh();
    await (await send(actor, call('find_devices', {}))).text();
    await (await send(actor, call('find_devices', { limit: 0 }))).text();
    const text = await (await fetch(`${world.url}/metrics`)).text();
    expect(text).toMatch(/ddp_mcp_calls_total\{tool="find_devices",code="ok"\} [1-9]/);
    expect(text).toMatch(/ddp_mcp_calls_total\{tool="find_devices",code="VALIDATION_FAILED"\} [1-9]/);
    expect(text).toMatch(/ddp_http_request_seconds_count\{method="POST",route="\/mcp",status="200"\}/);
  });
});
