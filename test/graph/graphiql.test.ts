import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse, print } from 'graphql';
import { examples } from '#graph/examples.js';
import { createFetcher } from '../../pages/graphiql/fetcher.js';
import { describeInBrowser, useBrowser } from '../console/browser.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

const open = () => fetch(`${world.url}/graphql`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });

describe('GraphiQL', () => {
  it('opens in a browser without a token', async () => {
    const response = await open();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  });

  it('loads everything from its own host', async () => {
    const response = await open();
    const page = await response.text();
    expect(page).not.toMatch(/https?:\/\//);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; frame-ancestors 'none'; connect-src 'self'/,
    );
    const parts = [...page.matchAll(/(?:src|href)="(graphql[^"]+)"/g)].map(([, part]) => part);
    expect(parts).toHaveLength(2);
    for (const part of parts) {
      const answer = await fetch(`${world.url}/${part}`);
      expect([part, answer.status]).toEqual([part, 200]);
      expect((await answer.text()).length).toBeGreaterThan(100);
    }
  });

  it('returns 401 to clients that ask for JSON without a token', async () => {
    const response = await fetch(`${world.url}/graphql`, { headers: { accept: 'application/json' } });
    expect(response.status).toBe(401);
  });

  it('opens with the ten documents of the guide', () => {
    const guide = readFileSync('docs/graphql.md', 'utf8');
    const [, section = ''] = /^## Ten documents$([^]*?)^## /m.exec(guide) ?? [];
    const documents = [...section.matchAll(/```graphql\n([^]*?)```/g)];
    const printed = (query: string) => print(parse(query));
    const tabs = examples.map(({ query }) => printed(query));
    expect(documents).toHaveLength(10);
    for (const [, query] of documents) expect(tabs).toContain(printed(query!));
  });

  it.each(examples.map(({ query }) => [query]))('offers an example that works: %s', async (query) => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold chain' });
    const call = query.includes('subscription') ? 'firstEvent' : 'graph';
    const { body } = await owner[call](query, { organizationId: owner.id, applicationId });
    expect(body.errors).toBeUndefined();
    expect(Object.keys(body.data!)).toHaveLength(1);
  });

  it('shows subscription events as they arrive, and stops at once', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold chain' });
    const query = `subscription { recordReceived(organizationId: "${owner.id}", applicationId: "${applicationId}") { missed } }`;
    const fetcher = createFetcher(`${world.url}/graphql`, () => undefined, fetch);
    const stream = fetcher(
      { query },
      { documentAST: parse(query), headers: { authorization: `Bearer ${owner.token}` } },
    ) as AsyncGenerator;
    expect(await stream.next()).toEqual({ done: false, value: { data: { recordReceived: { missed: 0 } } } });
    const waiting = stream.next();
    await stream.return(undefined);
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

describeInBrowser('GraphiQL in a browser', () => {
  const browser = useBrowser();

  it('runs an operation with the token of the tab, under the content security policy of the page', async () => {
    const owner = await world.organization();
    const { page, faults } = await browser.open(`${world.url}/graphql`);
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    const headers = page.locator('.graphiql-editor-tool .monaco-editor').last();
    await headers.click();
    await page.keyboard.press('ControlOrMeta+A');
    // The editor closes the string and the brace by itself.
    await page.keyboard.insertText(`{ "Authorization": "Bearer ${owner.token}`);
    await page.getByRole('button', { name: 'Execute query' }).click();
    await page.locator('.graphiql-response', { hasText: owner.id }).waitFor();
    expect(faults).toEqual([]);
    expect([...hosts]).toEqual([new URL(world.url).host]);
  });
});
