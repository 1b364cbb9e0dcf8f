import { describe, expect, it } from '@jest/globals';
import { messageOf } from '../mcp/assistant.js';
import { codes, everybody, expected, ok, useMatrix, type Who } from './matrix.js';
import type { Access, Things } from './operations.js';

const matrix = useMatrix();

interface Tool {
  access: Access;
  /** A caller that is refused although others with the same access are not. */
  forbidden?: Who;
  /** Whether a dashboard link may call the tool, because the tool reads a single application. */
  isOfLinks?: true;
  args: (things: Things) => object;
}

/** Every tool that reads data, with the callers that may read it. */
const tools: Record<string, Tool> = {
  find_devices: { access: 'readers', args: ({ applicationId }) => ({ applicationId }) },
  series: {
    access: 'readers',
    isOfLinks: true,
    args: ({ deviceId }) => ({ deviceIds: [deviceId], variables: ['temperature'] }),
  },
  group_series: {
    access: 'readers',
    isOfLinks: true,
    args: ({ applicationId }) => ({ applicationId, variable: 'temperature' }),
  },
  search_records: { access: 'readers', isOfLinks: true, args: ({ applicationId }) => ({ applicationId }) },
  open_alerts: { access: 'readers', args: ({ applicationId }) => ({ applicationId }) },
  alert_rules: { access: 'readers', args: ({ applicationId }) => ({ applicationId }) },
  hook_health: { access: 'readers', forbidden: 'reader', args: ({ applicationId }) => ({ applicationId }) },
  latest_values: { access: 'readers', args: ({ deviceId }) => ({ deviceIds: [deviceId] }) },
  commands: { access: 'readers', args: ({ deviceId }) => ({ deviceId }) },
  device_states: { access: 'readers', args: ({ deviceId }) => ({ deviceIds: [deviceId] }) },
  graphql_query: {
    access: 'owners',
    args: ({ owner }) => ({
      query: 'query ($id: ID!) { apiTokens(organizationId: $id) { totalCount } }',
      variables: { id: owner.id },
    }),
  },
};

/** Tools that find something for each caller that may read. */
const finding = new Set(['find_devices', 'latest_values', 'alert_rules', 'hook_health', 'device_states']);

const wantedOf = (who: Who, name: string, { access, forbidden, isOfLinks }: Omit<Tool, 'args'>): number => {
  if (who === 'link') return isOfLinks ? ok : 403;
  return who === forbidden ? 403 : expected(who, name, access, false);
};

const calls = Object.entries(tools).flatMap(([name, tool]) =>
  everybody.map((who) => {
    const wanted = wantedOf(who, name, tool);
    return { name, who, args: tool.args, wanted, outcome: wanted === ok ? 'data' : codes[wanted] };
  }),
);

/** Posts a message to the endpoint as a caller. */
const send = (who: Who, method: string, params?: object) => {
  const { token } = matrix.actors[who];
  return fetch(`${new URL(matrix.things.owner.base).origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
};

/** Returns the status of a caller's answers: tokens that may not read are refused whatever they ask. */
const statusOf = (who: Who): number =>
  ['ingest token', 'device token', 'provisioning token'].includes(who) ? 403 : expected(who, '', 'anyone', false);

describe('access to /mcp', () => {
  it.each(everybody.map((who) => ({ who })))('lists tools only to callers that may read: $who', async ({ who }) => {
    const wanted = who === 'link' ? ok : statusOf(who);
    const answer = await send(who, 'tools/list');
    expect([who, answer.status]).toEqual([who, wanted]);
    const body = await answer.text();
    if (wanted === ok) expect(messageOf(body).result.tools).toContainEqual(expect.objectContaining({ name: 'series' }));
    else expect(JSON.parse(body)).toMatchObject({ code: codes[wanted] });
  });
});

describe('access to tools of /mcp', () => {
  it.each(calls)('returns $outcome to $who for $name', async ({ name, who, args, wanted, outcome }) => {
    const answer = await send(who, 'tools/call', { name, arguments: args(matrix.things) });
    const status = who === 'link' ? ok : statusOf(who);
    expect([name, who, answer.status]).toEqual([name, who, status]);
    if (status !== ok) return;
    const { result } = messageOf(await answer.text());
    const { error, untrusted: _, ...lists } = result.structuredContent;
    expect([name, who, error?.code ?? 'data']).toEqual([name, who, outcome]);
    if (wanted !== ok || !finding.has(name)) return;
    const list = Object.values(lists).find((value) => Array.isArray(value));
    expect([name, who, list!.length]).not.toEqual([name, who, 0]);
  });
});
