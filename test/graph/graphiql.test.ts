import { describe, expect, it } from '@jest/globals';
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
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; connect-src 'self'/);
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
    const { body } = await owner.graph(query, { organizationId: owner.id });
    expect(body.errors).toBeUndefined();
    expect(Object.keys(body.data!)).toHaveLength(1);
  });
});
