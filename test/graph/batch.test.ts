import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { GraphAnswer } from '../support/actor.js';
import type { TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

/** Selects five objects for each device. */
const five = 'product { id organization { id } } organization { id } a: organization { id }';

const createTeam = 'mutation ($o: ID!, $name: String!) { createTeam(organizationId: $o, name: $name) { id name } }';
const teams = 'query ($o: ID!) { teams(organizationId: $o) { totalCount items { name } } }';

describe('GraphQL batch', () => {
  it('runs its operations in order, each seeing the changes of those before it', async () => {
    const owner = await world.organization();
    const o = owner.id;
    const { status, body } = await owner.postGraph<GraphAnswer[]>([
      { query: teams, variables: { o } },
      { query: createTeam, variables: { o, name: 'One' } },
      { query: teams, variables: { o } },
      { query: createTeam, variables: { o, name: 'Two' } },
      { query: teams, variables: { o } },
      { query: '{ account { id } }' },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { data: { teams: { totalCount: 0 } } },
      { data: { createTeam: { name: 'One' } } },
      { data: { teams: { totalCount: 1, items: [{ name: 'One' }] } } },
      { data: { createTeam: { name: 'Two' } } },
      { data: { teams: { totalCount: 2, items: [{ name: 'One' }, { name: 'Two' }] } } },
      { data: { account: { id: o } } },
    ]);
  });

  it("returns an operation's errors without failing the others", async () => {
    const owner = await world.organization();
    const o = owner.id;
    const { status, body } = await owner.postGraph<GraphAnswer[]>([
      { query: '{ nothing }' },
      { query: createTeam, variables: { o, name: '' } },
      42,
      { query: createTeam, variables: { o, name: 'Kept' } },
      { query: '{' },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] },
      { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'name' }] } }] },
      { errors: [{ extensions: { code: 'MALFORMED_REQUEST' } }] },
      { data: { createTeam: { name: 'Kept' } } },
      { errors: [{ extensions: { code: 'MALFORMED_REQUEST' } }] },
    ]);
  });

  it('takes 100 operations, and returns 422 for more', async () => {
    const owner = await world.organization();
    const batch = (size: number) => Array.from({ length: size }, () => ({ query: '{ account { id } }' }));
    expect((await owner.postGraph<GraphAnswer[]>(batch(100))).body).toHaveLength(100);
    const { status, body } = await owner.postGraph(batch(101));
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ message: 'This batch has 101 operations; at most 100 are allowed.' }]);
  });

  it('refuses the operation with which the batch may return over 25,000 objects', async () => {
    const owner = await world.organization();
    const query = `query ($o: ID!, $n: Int!) { devices(organizationId: $o, limit: $n) { items { ${five} } } }`;
    const ask = (n: number) => ({ query, variables: { o: owner.id, n } });
    const { body } = await owner.postGraph<GraphAnswer[]>(Array(5).fill(ask(1000)));
    expect(body).toEqual(Array.from({ length: 5 }, () => ({ data: { devices: { items: [] } } })));
    const over = await owner.postGraph<GraphAnswer[]>([...Array(5).fill(ask(1000)), ask(1)]);
    expect(over.body.flatMap(({ errors }) => errors ?? [])).toMatchObject([
      { message: expect.stringContaining('This request may return 25,005 objects; at most 25,000 are allowed. ') },
    ]);
  });

  it('refuses the last query when the sum passes 25,000 objects, even if the others are new documents', async () => {
    const owner = await world.organization();
    const ask = (name: string, n: number) => ({
      query: `query ${name}($o: ID!, $n: Int!) { devices(organizationId: $o, limit: $n) { items { ${five} } } } # ${owner.id}`,
      variables: { o: owner.id, n },
    });
    const wide = ask('New', 1000);
    wide.query = wide.query.replace('items', 'totalCount items');
    // The document is cached now, so the service runs it at once.
    await owner.postGraph(ask('Known', 1));
    await owner.postGraph(ask('Latest', 1));
    const { body } = await owner.postGraph<GraphAnswer[]>([
      ask('Known', 1000),
      wide,
      { query: '{ broken' },
      ask('Known', 1000),
      ask('Known', 1000),
      ask('Known', 1000),
      ask('Latest', 1),
    ]);
    const answered = { data: { devices: { items: [] } } };
    expect(body).toMatchObject([
      answered,
      answered,
      { errors: [{ extensions: { code: 'MALFORMED_REQUEST' } }] },
      answered,
      answered,
      answered,
      { errors: [{ message: expect.stringContaining('return 25,005 objects') }] },
    ]);
  });

  it('leaves refused operations out of the object count', async () => {
    const owner = await world.organization();
    const query = `query ($o: ID!, $n: Int!) { devices(organizationId: $o, limit: $n) { items { ${five} } } }`;
    const ask = (n: number) => ({ query, variables: { o: owner.id, n } });
    const { body } = await owner.postGraph<GraphAnswer[]>([
      ...Array(4).fill(ask(1000)),
      ask(1001),
      ask(500),
      ask(500),
      ask(1),
    ]);
    const refused = (figure: string) => ({
      errors: [{ message: expect.stringContaining(`return ${figure} objects`) }],
    });
    const answered = { data: { devices: { items: [] } } };
    expect(body).toMatchObject([
      answered,
      answered,
      answered,
      answered,
      refused('25,005'),
      answered,
      answered,
      refused('25,005'),
    ]);
    const { body: after } = await owner.postGraph<GraphAnswer[]>([ask(5001), { query: '{ account { id } }' }]);
    expect(after).toMatchObject([{ errors: [{}] }, { data: { account: { id: owner.id } } }]);
  });

  it('reports the cost of each operation with that of the operations before it', async () => {
    const owner = await world.organization();
    for (const serial of ['a0-01', 'a0-02', 'a0-03']) await owner.make(`/organizations/${owner.id}/devices/${serial}`);
    const ask = (limit: number) => ({
      query: 'query ($o: ID!, $n: Int!) { devices(organizationId: $o, limit: $n) { items { id } } }',
      variables: { o: owner.id, n: limit },
      extensions: { cost: true },
    });
    const tooMany = { ...ask(1), query: ask(1).query.replace('$n)', '$n, sort: "nothing")') };
    const { body } = await owner.postGraph<{ extensions: { cost: unknown } }[]>([
      ask(2),
      ask(100),
      tooMany,
      { query: createTeam, variables: { o: owner.id, name: 'T' } },
      ask(1),
    ]);
    const costs = body.map(({ extensions }) => extensions?.cost);
    expect(costs).toMatchObject([
      { objects: 2, found: 2 },
      { objects: 102, found: 5 },
      { objects: 103, found: 5 },
      undefined,
      { objects: 105, found: 6 },
    ]);
  });

  it('reports of a refused operation the cost of those before it', async () => {
    const owner = await world.organization();
    const ask = (limit: number) => ({
      query: `{ devices(organizationId: "${owner.id}", limit: ${limit}) { items { id organization { id } product { id } } } }`,
      extensions: { cost: true },
    });
    const objectsOf = (answer: { extensions?: unknown }) =>
      (answer.extensions as { cost?: { objects: number } } | undefined)?.cost?.objects;
    const invalid = { query: '{ nothing }', extensions: { cost: true } };
    const unreadable = { query: '{', extensions: { cost: true } };
    const create = { query: createTeam, variables: { o: owner.id, name: 'T' }, extensions: { cost: true } };
    const wide = Array.from(
      { length: 30 },
      (_, n) => `a${n}: devices(organizationId: "${owner.id}", limit: 1000) { items { id } }`,
    );
    const tooMuch = { query: `{ ${wide.join(' ')} }`, extensions: { cost: true } };
    const { body } = await owner.postGraph<object[]>([tooMuch, ask(2), tooMuch, invalid, create, ask(1), unreadable]);
    expect(body.map(objectsOf)).toEqual([0, 6, 6, 6, 7, 10, 10]);
    for (const alone of [tooMuch, invalid]) expect(objectsOf((await owner.postGraph<object>(alone)).body)).toBe(0);
  });

  it('returns an empty list for an empty batch', async () => {
    const owner = await world.organization();
    expect(await owner.postGraph<GraphAnswer[]>([])).toMatchObject({ status: 200, body: [] });
  });
});

describe('GraphQL batch with a slow search', () => {
  const own = useWorld({ config: { search: { timeout: 60_000, rollups: true }, graph: { timeout: 120_000 } } });

  it('does the other operations meanwhile, and returns the answers in order', async () => {
    const owner = await own.organization();
    const o = owner.id;
    const at = `/organizations/${o}`;
    const a = await owner.make(`${at}/applications`, { name: 'Field' });
    const d = await owner.make(`${at}/devices/ab-01`, {});
    await owner.put(`/applications/${o}/${a}/devices/${d}`);
    const search = `query ($o: ID!, $a: ID!) {
      search(organizationId: $o, applicationId: $a, ts: { gte: 1774742400, lte: 1774828800 }, queries: [{ products: [] }]) { responses } }`;
    const quick = (name: string) => ({
      query: createTeam,
      variables: { o, name },
      extensions: { concurrent: true },
    });
    const teamsNow = async () => (await owner.get<object[]>(`${at}/teams`)).body.length;
    const holder = await own.pool.connect();
    await holder.query('begin; lock table record in access exclusive mode');
    let isAnswered = false;
    const before = await answeredQueries(own);
    const sent = owner
      .postGraph<GraphAnswer[]>([
        { query: '{ first: account { id } }' },
        { query: search, variables: { o, a } },
        { query: '{ account { id } }' },
        quick('First'),
        quick('Second'),
        { query: '{ viewer { role } }' },
      ])
      .finally(() => (isAnswered = true));
    try {
      await until(async () => isAnswered || ((await teamsNow()) === 2 && (await answeredQueries(own)) === before + 3));
      expect(isAnswered).toBe(false);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await sent).body).toMatchObject([
      { data: { first: { id: o } } },
      { data: { search: { responses: [{ status: 200, timed_out: false }] } } },
      { data: { account: { id: o } } },
      { data: { createTeam: { name: 'First' } } },
      { data: { createTeam: { name: 'Second' } } },
      { data: { viewer: { role: 'owner' } } },
    ]);
  });
});

/** Returns how many queries of the graph a service has answered. */
async function answeredQueries({ url }: TestService): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^ddp_graphql_operation_seconds_count\{kind="query"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

describe('persisted query', () => {
  it('runs by its hash after it was sent once with its text, in batches too', async () => {
    const owner = await world.organization();
    const query = `{ account { id username } } # ${owner.id}`;
    const hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
    const unknown = await owner.postGraph({ extensions });
    expect(unknown.body.errors).toMatchObject([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ]);
    expect((await owner.postGraph({ query, extensions })).body.data!.account.id).toBe(owner.id);
    expect((await owner.postGraph({ extensions })).body.data!.account.id).toBe(owner.id);
    const { body } = await owner.postGraph<GraphAnswer[]>([{ extensions }, { extensions }]);
    expect(body).toMatchObject([{ data: { account: { id: owner.id } } }, { data: { account: { id: owner.id } } }]);
  });

  it.each([
    ['the hash of another text', { version: 1, sha256Hash: 'a'.repeat(64) }, 'provided sha does not match query'],
    ['a number for a hash', { version: 1, sha256Hash: 1 }, 'provided sha does not match query'],
    ['no hash', { version: 1 }, 'provided sha does not match query'],
    ['another version', { version: 2, sha256Hash: 'a'.repeat(64) }, 'Unsupported persisted query version'],
    ['a text in place of both', 'x', 'Unsupported persisted query version'],
  ])('returns 400 for %s', async (_, persistedQuery, message) => {
    const owner = await world.organization();
    const { status, body } = await owner.postGraph({
      query: '{ account { id } }',
      extensions: { persistedQuery },
    });
    expect(status).toBe(400);
    expect(body).toEqual({ errors: [{ message, extensions: { code: 'MALFORMED_REQUEST' } }] });
  });

  it('returns 405 for a mutation sent by GET', async () => {
    const owner = await world.organization();
    const search = new URLSearchParams({
      query: `mutation { createTeam(organizationId: "${owner.id}", name: "x") { id } }`,
    });
    const response = await fetch(`${world.url}/graphql?${search.toString()}`, {
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });
});
