import { describe, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';

const world = useWorld();
const hasty = useWorld({ config: { graph: { timeout: 700 } } });

const teams =
  'query Teams($o: ID!, $limit: Int) { teams(organizationId: $o, limit: $limit) { items { id } totalCount } }';
const device = 'query ($o: ID!, $d: ID!) { account { id } device(organizationId: $o, deviceId: $d) { id } }';
const nobody = '00000000-0000-7000-8000-000000000000';

/** Sends the body, and returns status, headers except those that differ for each request, and text. */
async function ask(token: string | undefined, body: unknown, accept = '*/*', { url } = world) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const own = /^(date|x-request-id|x-ratelimit-.*)$/;
  const headers = [...response.headers].filter(([name]) => !own.test(name));
  return { status: response.status, headers, text: await response.text() };
}

describe('GraphQL document that was sent before', () => {
  it.each<[string, { query: string; variables?: object; operationName?: string; extensions?: object }, number]>([
    ['with data', { query: teams, variables: { limit: 3 } }, 200],
    ['with data, by its name', { query: teams, operationName: 'Teams' }, 200],
    ['by another name', { query: teams, operationName: 'Other' }, 400],
    ['with a fault in a part of it', { query: device, variables: { d: nobody } }, 200],
    ['with a variable of the wrong type', { query: teams, variables: { limit: 'three' } }, 400],
    ['with a variable beyond its range', { query: teams, variables: { limit: 1_000_000_000 } }, 422],
    ['with variables that are none', { query: teams, variables: [] }, 400],
    ['that lacks a variable', { query: device }, 400],
    ['and asks for its cost', { query: teams, extensions: { cost: true } }, 200],
  ])('returns the same answer as an uncached document %s', async (_kind, body, status) => {
    const { id, token } = await world.organization();
    const variables = Array.isArray(body.variables) ? body.variables : { o: id, ...body.variables };
    await ask(token, { query: body.query, variables: { o: id, d: nobody } });
    const again = await ask(token, { ...body, variables });
    // A request with an explicit Accept type bypasses the cache.
    expect(again).toEqual(await ask(token, { ...body, variables }, 'application/json;q=0.9'));
    expect(again.status).toBe(status);
  });

  it('returns the requested content type', async () => {
    const { id, token } = await world.organization();
    const body = { query: teams, variables: { o: id } };
    const { headers } = await ask(token, body, 'application/graphql-response+json');
    expect(headers).toContainEqual(['content-type', 'application/graphql-response+json; charset=utf-8']);
    expect((await ask(token, body, 'text/html')).status).toBe(406);
  });

  it("returns each caller's own data, and 401 without a token", async () => {
    const [one, other] = [await world.organization(), await world.organization()];
    const read = async (token: string | undefined) =>
      JSON.parse((await ask(token, { query: '{ account { id } }' })).text);
    expect(await read(one.token)).toEqual({ data: { account: { id: one.id } } });
    expect(await read(other.token)).toEqual({ data: { account: { id: other.id } } });
    expect(await read(undefined)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    const body = { query: teams, variables: { o: one.id } };
    expect(JSON.parse((await ask(one.token, body)).text).data.teams).toEqual({ items: [], totalCount: 0 });
    expect(JSON.parse((await ask(other.token, body)).text).errors).toMatchObject([
      { extensions: { code: 'NOT_FOUND' } },
    ]);
  });

  it('stops at the GraphQL timeout', async () => {
    const { id, token } = await hasty.organization();
    const body = { query: teams, variables: { o: id } };
    await ask(token, body, '*/*', hasty);
    const blocker = await hasty.pool.connect();
    await blocker.query('begin; lock table team in access exclusive mode');
    try {
      const again = await ask(token, body, '*/*', hasty);
      expect(JSON.parse(again.text).errors).toMatchObject([{ extensions: { code: 'TIMEOUT' } }]);
      expect(again).toEqual(await ask(token, body, 'application/json;q=0.9', hasty));
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
  });
});
