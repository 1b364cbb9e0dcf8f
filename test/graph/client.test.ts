import { describe, expect, it } from '@jest/globals';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import { useWorld, type World } from '../support/world.js';

const origin = 'https://dashboard.example.com';
const world = useWorld({ config: { corsOrigins: [origin] } });
const query = 'query Teams($o: ID!) { teams(organizationId: $o) { totalCount items { name } } }';
const answer = { teams: { totalCount: 1, items: [{ name: 'Field Ops' }] } };

async function withTeam(): Promise<Awaited<ReturnType<World['organization']>>> {
  const owner = await world.organization();
  await owner.make(`/organizations/${owner.id}/teams`, { name: 'Field Ops' });
  return owner;
}

describe('third-party GraphQL client', () => {
  it.each([
    ['by its own choice of method', {}],
    ['by GET', { preferGetMethod: 'force' as const }],
    ['by POST', { preferGetMethod: false }],
  ])('reads with urql %s', async (_how, options) => {
    const owner = await withTeam();
    const methods: string[] = [];
    const client = new Client({
      url: `${world.url}/graphql`,
      exchanges: [cacheExchange, fetchExchange],
      fetchOptions: { headers: { authorization: `Bearer ${owner.token}` } },
      fetch: (input, init) => {
        methods.push(init?.method ?? 'GET');
        return fetch(input, init);
      },
      ...options,
    });
    const { data, error } = await client.query(query, { o: owner.id }).toPromise();
    expect(error).toBeUndefined();
    expect(data).toMatchObject(answer);
    expect(methods).toHaveLength(1);
  });

  it.each(['GET', 'POST'] as const)('reads with graphql-request by %s', async (method) => {
    const owner = await withTeam();
    const client = new GraphQLClient(`${world.url}/graphql`, {
      method,
      headers: { authorization: `Bearer ${owner.token}` },
      jsonSerializer: JSON,
    });
    expect(await client.request(query, { o: owner.id })).toEqual(answer);
  });
});

describe('CORS of /graphql', () => {
  it('allows the headers that the guide names', async () => {
    const response = await fetch(`${world.url}/graphql?query={account{id}}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'apollo-require-preflight, authorization',
      },
    });
    const allowed = response.headers.get('access-control-allow-headers')!.toLowerCase().split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['apollo-require-preflight', 'authorization', 'content-type']));
  });

  it('returns 401 for a simple request, which carries no token', async () => {
    const response = await fetch(`${world.url}/graphql?query=${encodeURIComponent('{ account { id } }')}`, {
      headers: { origin },
    });
    expect(response.status).toBe(401);
  });
});
