import { describe, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { begun, buildLiveWorld, codeOf, missed, values } from './live-world.js';
import { overEvents, overSocket } from './subscriber.js';

const world = useWorld();

const query = `subscription ($organizationId: ID = "none", $applicationId: ID!, $query: JSONObject, $limit: Int, $after: String) {
  recordReceived(organizationId: $organizationId, applicationId: $applicationId, query: $query, limit: $limit, after: $after) { missed } }`;

describe.each([
  ['a WebSocket', overSocket],
  ['server-sent events', overEvents],
])('subscription input over %s', (_way, subscribe) => {
  it.each([
    ['a text for a number', { limit: 'many' }],
    ['an object for an identifier', { applicationId: {} }],
    ['a text for an object', { query: 'all' }],
    ['a list for an object', { query: [] }],
    ['null for a required variable', { applicationId: null }],
    ['null for a required variable with a default', { organizationId: null }],
    ['a number that is too large', { limit: 2 ** 31 }],
    ['a number of a query that loses digits', { query: { term: { 'data.total': 2 ** 53 } } }],
    ['NUL in a text', { after: 'a\0b' }],
    ['a lone surrogate in a text', { after: 'a\ud800' }],
  ])('returns VALIDATION_FAILED for %s', async (_name, more) => {
    const { owner, applicationId } = await buildLiveWorld(world);
    const variables = { organizationId: owner.id, applicationId, ...more };
    const subscriber = subscribe(world.url, owner.token, { query, variables });
    await subscriber.until(({ over, results }) => over || results.length > 0);
    expect(codeOf(subscriber)).toBe('VALIDATION_FAILED');
    subscriber.leave();
  });

  it('matches nothing with a query text that PostgreSQL cannot hold, as in a search', async () => {
    const place = await buildLiveWorld(world);
    for (const text of ['a\0b', 'a\ud800']) {
      const subscriber = subscribe(
        world.url,
        place.owner.token,
        place.records({ query: { term: { 'data.name': text } } }),
      );
      const beside = subscribe(
        world.url,
        place.owner.token,
        place.records({ query: { exists: { field: 'data.name' } } }),
      );
      for (const one of [subscriber, beside]) await one.until(begun);
      await place.send({ name: 'a' });
      await beside.until((heard) => values(heard).length === 1);
      await place.send({ name: 'b' });
      await beside.until((heard) => values(heard).length === 2);
      expect([codeOf(subscriber), values(subscriber), missed(subscriber)]).toEqual([undefined, [], 0]);
      for (const one of [subscriber, beside]) one.leave();
    }
  });

  it('charges 100 records per event when `limit` is not given', async () => {
    const { owner, applicationId } = await buildLiveWorld(world);
    // Each record costs twelve objects, and the lists cost 24,000 however many records there are.
    const singles = Array.from({ length: 10 }, (_, n) => `o${n}: organization { id }`).join(' ');
    const lists = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']
      .map((name) => `${name}: applications(limit: 1000) { items { id organization { id } } }`)
      .join(' ');
    const document = (
      arguments_: string,
    ) => `subscription { recordReceived(organizationId: "${owner.id}", applicationId: "${applicationId}"${arguments_}) {
      records { device { ${singles} ${lists} } } } }`;
    const dear = [document(''), document(', limit: null'), document(', limit: 100')];
    for (const each of dear) {
      const refused = subscribe(world.url, owner.token, { query: each });
      await refused.until(({ over, results }) => over || results.length > 0);
      expect(codeOf(refused)).toBe('VALIDATION_FAILED');
      const [error] = refused.fault ?? refused.results[0]!.errors;
      expect(error.message).toContain('objects; at most 25,000');
      refused.leave();
    }
    const cheap = subscribe(world.url, owner.token, { query: document(', limit: 50') });
    await cheap.until(({ results }) => results.length > 0);
    expect(codeOf(cheap)).toBeUndefined();
    cheap.leave();
  });
});

it('returns no INTERNAL error for a search with a product identifier that PostgreSQL cannot hold', async () => {
  const { owner, applicationId } = await buildLiveWorld(world);
  const document = `query ($o: ID!, $a: ID!, $p: [ID!]) {
    search(organizationId: $o, applicationId: $a, filter: { products: $p }) { __typename } }`;
  for (const product of ['a\0b', 'a\ud800']) {
    const { body } = await owner.graph(document, { o: owner.id, a: applicationId, p: [product] });
    expect(body.errors?.map(({ extensions }) => extensions.code) ?? []).not.toContain('INTERNAL');
  }
});
