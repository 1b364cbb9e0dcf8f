import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { GraphAnswer } from '../support/actor.js';
import { Client } from '../support/client.js';
import { useWorld } from '../support/world.js';
import { SlowSender } from './slow-sender.js';

const persisted = (query: string) => ({
  persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
});

describe('rate limit by content', () => {
  const world = useWorld({ config: { rateLimit: 20 } });

  it('counts a query of a batch as a tenth, and a mutation as half', async () => {
    const owner = await world.organization();
    const queries = Array.from({ length: 20 }, () => ({ query: '{ account { id } }' }));
    const { headers } = await owner.postGraph(queries);
    expect(headers.get('x-ratelimit-remaining')).toBe('38');
    const create = 'mutation ($o: ID!) { createTeam(organizationId: $o, name: "T") { id } }';
    const other = await world.organization();
    const mutations = Array.from({ length: 20 }, () => ({ query: create, variables: { o: other.id } }));
    const answer = await other.postGraph(mutations);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('30');
  });

  it('charges the objects in the lists of a batch to later requests', async () => {
    const owner = await world.organization();
    const query = '{ account { devices(limit: 1000) { items { id } } } }';
    const answer = await owner.postGraph([{ query }, { query }]);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('31');
  });

  it('counts a call that puts many things by their number', async () => {
    const owner = await world.organization();
    const query = 'mutation ($o: ID!, $d: [DeviceInput!]!) { putDevices(organizationId: $o, devices: $d) { created } }';
    const d = Array.from({ length: 200 }, (_, index) => ({ serial: (4096 + index).toString(16) }));
    const { body, headers } = await owner.graph(query, { o: owner.id, d });
    expect(body.data).toEqual({ putDevices: { created: 200 } });
    expect(headers.get('x-ratelimit-remaining')).toBe('19');
  });

  it('counts the items that a persisted mutation puts, from a variable, its default or the document', async () => {
    const literal = (count: number) =>
      `[${Array.from({ length: count }, (_, index) => `{ serial: "${(4096 + index).toString(16)}" }`).join(' ')}]`;
    const put = (signature: string, devices: string) =>
      `mutation ($o: ID!${signature}) { putDevices(organizationId: $o, devices: ${devices}) { created } }`;
    const items = Array.from({ length: 200 }, (_, index) => ({ serial: (4096 + index).toString(16) }));
    for (const [query, variables] of [
      [put(', $d: [DeviceInput!]!', '$d'), { d: items }],
      [put(`, $d: [DeviceInput!]! = ${literal(200)}`, '$d'), {}],
      [put('', literal(200)), {}],
    ] as const) {
      const first = await world.organization();
      const extensions = persisted(query);
      const stored = await first.postGraph({ query, extensions, variables: { ...variables, o: first.id } });
      expect([stored.body.errors, stored.headers.get('x-ratelimit-remaining')]).toEqual([undefined, '19']);
      const owner = await world.organization();
      const { body, headers } = await owner.postGraph({ extensions, variables: { ...variables, o: owner.id } });
      expect(body.data).toEqual({ putDevices: { created: 200 } });
      expect(headers.get('x-ratelimit-remaining')).toBe('19');
      const other = await world.organization();
      const batch = await other.postGraph([{ extensions, variables: { ...variables, o: other.id } }]);
      expect(batch.headers.get('x-ratelimit-remaining')).toBe('19');
    }
  });

  it('counts nothing for what `@skip` or `@include` leaves out, by a literal, a variable or its default', async () => {
    const items = Array.from({ length: 200 }, (_, index) => ({ serial: (4096 + index).toString(16) }));
    const put = 'putDevices(organizationId: $o, devices: $d) { created }';
    const of = (signature: string, more: string) =>
      `mutation ($o: ID!, $d: [DeviceInput!]!${signature}) { createTeam(organizationId: $o, name: "T") { id } ${more} }`;
    for (const [query, variables] of [
      [of('', `a: ${put.replace('{', '@skip(if: true) {')}`), {}],
      [of('', `... @include(if: false) { ${put} }`), {}],
      [of(', $b: Boolean!', `... on Mutation @skip(if: $b) { ${put} }`), { b: true }],
      [of(', $b: Boolean! = false', `...More @include(if: $b) } fragment More on Mutation { ${put}`), {}],
    ] as const) {
      const owner = await world.organization();
      const extensions = persisted(query);
      const call = { query, extensions, variables: { ...variables, o: owner.id, d: items } };
      const { body, headers } = await owner.postGraph(call);
      expect([body.errors, Object.keys(body.data!), headers.get('x-ratelimit-remaining')]).toEqual([
        undefined,
        ['createTeam'],
        '39',
      ]);
      const other = await world.organization();
      const byHash = { extensions, variables: { ...call.variables, o: other.id } };
      const batch = await other.postGraph<GraphAnswer[]>([byHash, byHash]);
      expect(batch.body.map(({ data }) => Object.keys(data!))).toEqual([['createTeam'], ['createTeam']]);
      expect(batch.headers.get('x-ratelimit-remaining')).toBe('39');
    }
  });

  it('counts a persisted query of a batch as a tenth, also when its text came in the same batch', async () => {
    const owner = await world.organization();
    const query = `{ account { id } } # ${owner.id}`;
    const extensions = persisted(query);
    const batch = [{ query, extensions }, ...Array.from({ length: 19 }, () => ({ extensions }))];
    const { body, headers } = await owner.postGraph<GraphAnswer[]>(batch);
    expect(body).toEqual(Array.from({ length: 20 }, () => ({ data: { account: { id: owner.id } } })));
    expect(headers.get('x-ratelimit-remaining')).toBe('38');
  });

  it('accepts a refused batch once `Retry-After` has passed', async () => {
    const owner = await world.organization();
    const query = 'mutation ($o: ID!) { createTeam(organizationId: $o, name: "T") { id } }';
    const batch = Array.from({ length: 70 }, () => ({ query, variables: { o: owner.id } }));
    const answers = await Promise.all([owner.postGraph(batch), owner.postGraph(batch)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429]);
    const refused = answers.find(({ status }) => status === 429)!;
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThanOrEqual(1);
    await delay(wait * 1000);
    expect((await owner.postGraph(batch)).status).toBe(200);
    expect((await owner.get<unknown[]>(`/organizations/${owner.id}/teams?limit=1000`)).body).toHaveLength(140);
  });

  it('counts a GraphQL operation as many times as it has mutations, so that a batch of 600 is refused', async () => {
    const owner = await world.organization();
    const fields = (count: number) =>
      Array.from({ length: count }, (_, index) => `m${index}: createTeam(organizationId: $o, name: "T") { id }`).join(
        '\n',
      );
    const query = `mutation ($o: ID!) { ${fields(15)} ...More } fragment More on Mutation { last: createTeam(organizationId: $o, name: "T") { id } }`;
    const counted = await owner.graph(query, { o: owner.id });
    expect(counted.body.errors).toBeUndefined();
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('24');
    const other = await world.organization();
    const batch = Array.from({ length: 20 }, () => ({
      query: `mutation ($o: ID!) { ${fields(30)} }`,
      variables: { o: other.id },
    }));
    const { status, headers, body } = await other.postGraph(batch);
    expect([status, headers.get('retry-after')]).toEqual([429, null]);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
  });
});

describe('rate limit of unknown tokens', () => {
  const world = useWorld({ config: { rateLimit: 2, ingestRateLimit: 0 } });

  it('counts them by address on the ingestion path too, without a limit for a valid token', async () => {
    const owner = await world.organization();
    const unknown = new Client(`${world.url}/ddp/v1`, 'unknown');
    const post = () => unknown.post(`/organizations/${owner.id}/records`, []);
    const answers = await Promise.all([post(), post(), post(), post(), post()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([401, 401, 401, 401, 429]);
    expect((await owner.post(`/organizations/${owner.id}/records`, [])).status).toBe(200);
  });
});

describe('limit of connections without a token', () => {
  const http = { keepAliveTimeout: 75_000, requestTimeout: 60_000, perAddress: 20, maxConnections: 0, stopDelay: 0 };
  const world = useWorld({ config: { http } });

  it('allows 20 per address, excludes those that showed a token, and frees a slot when a connection closes', async () => {
    const owner = await world.organization();
    const get = `GET /ddp/v1/account HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`;
    const open = async () => {
      const sender = await SlowSender.to(world.url);
      sender.socket.write(get);
      return { sender, status: await sender.status() };
    };
    const known = [];
    for (let count = 0; count < 30; count++) known.push(await open());
    expect(known.every(({ status }) => status === 200)).toBe(true);
    const strangers = [];
    for (let count = 0; count < 20; count++) {
      const stranger = await SlowSender.to(world.url);
      stranger.socket.write('GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n');
      expect(await stranger.status()).toBe(200);
      strangers.push(stranger);
    }
    const refused = await SlowSender.to(world.url);
    await refused.closed();
    expect(refused.answer).toBe('');
    // Connections that were accepted stay open.
    const first = known[0]!.sender;
    first.socket.write(get);
    while ((first.answer.match(/HTTP\/1\.1 200/g) ?? []).length < 2) await new Promise(setImmediate);
    for (const stranger of strangers) stranger.leave();
    let status: number | undefined;
    while (status === undefined) ({ status } = await open());
    expect(status).toBe(200);
    for (const { sender } of known) sender.leave();
  });
});
