import { Script } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'graphql';
import { examples } from '../../src/graph/examples.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

const open = () => fetch(`${world.url}/graphql`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });

describe('GraphiQL', () => {
  it('opens in a browser without a token', async () => {
    const response = await open();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  });

  it('needs no other host', async () => {
    const response = await open();
    const page = await response.text();
    expect(page).not.toMatch(/https?:\/\//);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; frame-ancestors 'none'; connect-src 'self'/,
    );
    const parts = [...page.matchAll(/(?:src|href)="(graphql[^"]+)"/g)].map(([, part]) => part);
    expect(parts).toHaveLength(5);
    for (const part of parts) {
      const answer = await fetch(`${world.url}/${part}`);
      expect([part, answer.status]).toEqual([part, 200]);
      expect((await answer.text()).length).toBeGreaterThan(100);
    }
  });

  it('leaves clients that ask for JSON to the graph', async () => {
    const response = await fetch(`${world.url}/graphql`, { headers: { accept: 'application/json' } });
    expect(response.status).toBe(401);
  });

  it.each(examples.map(({ query }) => [query]))('begins with documents that work: %s', async (query) => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold chain' });
    const call = query.includes('subscription') ? 'firstEvent' : 'graph';
    const { body } = await owner[call](query, { organizationId: owner.id, applicationId });
    expect(body.errors).toBeUndefined();
    expect(Object.keys(body.data!)).toHaveLength(1);
  });

  it('shows subscriptions as they come, and stops at once', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold chain' });
    const query = `subscription { recordReceived(organizationId: "${owner.id}", applicationId: "${applicationId}") { missed } }`;
    const script = await (await fetch(`${world.url}/graphql/assets/start.js`)).text();
    const fetcher = fetcherOf(script);
    const stream = fetcher(
      { query },
      { documentAST: parse(query), headers: { authorization: `Bearer ${owner.token}` } },
    );
    expect(await stream.next()).toEqual({ done: false, value: { data: { recordReceived: { missed: 0 } } } });
    const waiting = stream.next();
    await stream.return(undefined);
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

type Fetcher = (params: object, options: object) => AsyncGenerator<unknown>;

/** What the page's script gives to GraphiQL to fetch with. */
function fetcherOf(script: string): Fetcher {
  let given: Fetcher | undefined;
  const names = ['GraphiQL', 'React', 'ReactDOM', 'location', 'document', 'fetch'];
  const page = [
    { createFetcher: () => () => undefined },
    { createElement: (_type: unknown, { fetcher }: { fetcher: Fetcher }) => (given = fetcher) },
    { createRoot: () => ({ render: () => undefined }) },
    { pathname: '/graphql' },
    { getElementById: () => undefined },
    (path: string, options: RequestInit) => fetch(`${world.url}${path}`, options),
  ];
  new Script(`(${names.join(', ')}) => { ${script} }`).runInThisContext()(...page);
  return given!;
}
