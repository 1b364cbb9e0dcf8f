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
  find_devices: { access: 'anyone', args: ({ applicationId }) => ({ applicationId }) },
  series: {
    access: 'readers',
    isOfLinks: true,
    args: ({ deviceId }) => ({ deviceIds: [deviceId], variables: ['temperature'] }),
  },
  search_records: { access: 'readers', isOfLinks: true, args: ({ applicationId }) => ({ applicationId }) },
  open_alerts: { access: 'anyone', args: ({ applicationId }) => ({ applicationId }) },
  hook_health: { access: 'anyone', forbidden: 'reader', args: ({ applicationId }) => ({ applicationId }) },
  latest_values: { access: 'anyone', args: ({ deviceId }) => ({ deviceIds: [deviceId] }) },
  graphql_query: {
    access: 'owners',
    args: ({ owner }) => ({
      query: 'query ($id: ID!) { apiTokens(organizationId: $id) { totalCount } }',
      variables: { id: owner.id },
    }),
  },
};

/** For each tool that answers other callers with an empty list: whether a caller finds items. */
const finds: Record<string, (who: Who) => boolean> = {
  find_devices: (who) => !['member', 'other organization'].includes(who),
  latest_values: (who) => !['member', 'other organization'].includes(who),
  hook_health: (who) => !['member', 'other organization'].includes(who),
};

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

describe('access to tools of /mcp', () => {
  it.each(calls)('returns $outcome to $who for $name', async ({ name, who, args, wanted, outcome }) => {
    const actor = matrix.actors[who];
    const answer = await fetch(`${new URL(matrix.things.owner.base).origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(actor.token !== undefined && { authorization: `Bearer ${actor.token}` }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args(matrix.things) },
      }),
    });
    expect([name, who, answer.status]).toEqual([name, who, wanted === 401 ? 401 : 200]);
    if (wanted === 401) return;
    const { result } = messageOf(await answer.text());
    const { error, untrusted: _, ...lists } = result.structuredContent;
    expect([name, who, error?.code ?? 'data']).toEqual([name, who, outcome]);
    if (wanted !== ok || finds[name] === undefined) return;
    const list = Object.values(lists).find((value) => Array.isArray(value));
    expect([name, who, list!.length > 0]).toEqual([name, who, finds[name](who)]);
  });
});
