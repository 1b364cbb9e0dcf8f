import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { GraphAnswer } from '../support/actor.js';
import { useWorld } from '../support/world.js';

const world = useWorld();
const code = 'VALIDATION_FAILED';

const deep = (levels: number) => {
  const inner = 'applications { items { devices { items { '.repeat(Math.floor((levels - 3) / 4));
  const rest = ['', 'applications { ', 'applications { items { ', 'applications { items { devices { '][
    (levels - 3) % 4
  ]!;
  const open = `${inner}${rest}`;
  const leaf = open.endsWith('items { ') || open === '' ? 'id' : 'totalCount';
  return `query ($o: ID!) { devices(organizationId: $o, limit: 1) { items { ${open}${leaf}${' }'.repeat(open.split('{').length - 1)} } } }`
    .replaceAll('applications {', 'applications(limit: 1) {')
    .replaceAll('devices {', 'devices(limit: 1) {');
};

/** Builds fragments that each spread the next one `times` times; the last selects one field. */
const spreading = (fragments: number, times: number, root = 'account', type = 'Organization', field = 'id') =>
  [
    `{ ${root} { ...f0 } }`,
    ...Array.from({ length: fragments }, (_, i) => {
      const next = i + 1 < fragments ? `...f${i + 1} `.repeat(times) : '';
      return `fragment f${i} on ${type} { ${field} ${next}}`;
    }),
  ].join(' ');

describe('limits of a GraphQL request', () => {
  it('returns 422 for more than 10 levels of depth', async () => {
    const owner = await world.organization();
    const ten = await owner.graph(deep(10), { o: owner.id });
    expect(ten).toMatchObject({ status: 200, body: { data: { devices: { items: [] } } } });
    const eleven = await owner.graph(deep(11), { o: owner.id });
    expect(eleven.status).toBe(422);
    expect(eleven.body.errors).toMatchObject([
      {
        message: 'This operation is 11 levels deep; at most 10 are allowed.',
        extensions: {
          code: 'VALIDATION_FAILED',
          errors: [{ path: 'depth', message: 'is 11; at most 10 are allowed' }],
        },
      },
    ]);
  });

  it('counts the depth inside fragments', async () => {
    const owner = await world.organization();
    const { body } = await owner.graph(
      `query ($o: ID!) { devices(organizationId: $o, limit: 1) { ...page } }
       fragment page on DevicePage { items { applications(limit: 1) { items { ...app } } } }
       fragment app on Application { devices(limit: 1) { items { applications(limit: 1) { items { devices(limit: 1) { items { id } } } } } } }`,
      { o: owner.id },
    );
    expect(body.errors![0]!.message).toBe('This operation is 11 levels deep; at most 10 are allowed.');
  });

  it.each([
    ['25 that double', spreading(25, 2), '67,108,863'],
    ['20 that triple', spreading(20, 3), '3,486,784,401'],
    ['25 below introspection', spreading(25, 2, '__schema', '__Schema', 'description'), '67,108,863'],
    ['160 that double', spreading(160, 2), /^[\d,]{60,}$/],
  ])('returns 422 at once for fragments that expand beyond 2,000 selections: %s', async (_, query, figure) => {
    const owner = await world.organization();
    const { status, body } = await owner.graph(query);
    expect(status).toBe(422);
    const [, told] = /^This operation has ([\d,]+) selections once .* at most 2,000 are allowed\.$/.exec(
      body.errors![0]!.message,
    )!;
    expect(told).toEqual(typeof figure === 'string' ? figure : expect.stringMatching(figure));
    expect(body.errors![0]!.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'selections' }],
    });
  });

  it('refuses too many selections by GET, in a batch and with a hash as well', async () => {
    const owner = await world.organization();
    const query = spreading(25, 2);
    const refused = { message: expect.stringContaining('67,108,863 selections'), extensions: { code } };
    const search = new URLSearchParams({ query });
    const got = await fetch(`${world.url}/graphql?${search.toString()}`, {
      headers: { authorization: `Bearer ${owner.token}`, 'apollo-require-preflight': 'true' },
    });
    expect(await got.json()).toMatchObject({ errors: [refused] });
    const batch = await owner.postGraph<GraphAnswer[]>([{ query }, { query: '{ account { id } }' }]);
    expect(batch.body).toMatchObject([{ errors: [refused] }, { data: { account: { id: owner.id } } }]);
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    expect((await owner.postGraph({ query, extensions })).body).toMatchObject({ errors: [refused] });
    expect((await owner.postGraph({ extensions })).body).toMatchObject({
      errors: [{ message: 'PersistedQueryNotFound' }],
    });
  });

  it('accepts fragments that expand to exactly 2,000 selections', async () => {
    const owner = await world.organization();
    const document = (fields: number) =>
      `{ account { ${'...f '.repeat(20)} ${'id '.repeat(fields)} } } fragment f on Organization { ${'id username '.repeat(49)} }`;
    const allowed = await owner.graph(document(19));
    expect(allowed.body).toEqual({ data: { account: { id: owner.id, username: expect.any(String) } } });
    const { status, body } = await owner.graph(document(20));
    expect(status).toBe(422);
    expect(body.errors![0]!.message).toContain('has 2,001 selections');
  });

  it('returns 400 for fragments that spread themselves', async () => {
    const owner = await world.organization();
    const fragment = (name: string, next: string) => `fragment ${name} on Organization { id ...${next} ...${next} }`;
    const { status, body } = await owner.graph(`{ account { ...a } } ${fragment('a', 'b')} ${fragment('b', 'a')}`);
    expect(status).toBe(400);
    expect(body.errors![0]).toMatchObject({
      message: 'Cannot spread fragment "a" within itself via "b".',
      extensions: { code },
    });
  });

  it('excludes introspection from depth and cost', async () => {
    const owner = await world.organization();
    const types = 'type { ofType { ofType { ofType { ofType { ofType { ofType { ofType { name } } } } } } } }';
    const { body } = await owner.graph(`{ __schema { types { fields { ${types} } } } }`);
    expect(body.errors).toBeUndefined();
    expect(body.data!.__schema.types.length).toBeGreaterThan(10);
  });

  it('returns 422 for more than 30 aliases', async () => {
    const owner = await world.organization();
    const document = (count: number) =>
      `{ ${Array.from({ length: count }, (_, i) => `a${i}: account { id }`).join(' ')} }`;
    expect(await owner.graph(document(30))).toMatchObject({ status: 200, body: { data: { a29: { id: owner.id } } } });
    const { status, body } = await owner.graph(document(31));
    expect(status).toBe(422);
    expect(body.errors![0]!.message).toBe('This document has 31 aliases; at most 30 are allowed.');
  });

  it('returns 422 for more than 20 directives', async () => {
    const owner = await world.organization();
    const document = (count: number) => `{ account { id ${'... @include(if: true) { name } '.repeat(count)} } }`;
    expect((await owner.graph(document(20))).body.errors).toBeUndefined();
    const { status, body } = await owner.graph(document(21));
    expect(status).toBe(422);
    expect(body.errors![0]!.message).toBe('This document has 21 directives; at most 20 are allowed.');
  });

  it('returns 400 for more than 2,000 tokens', async () => {
    const owner = await world.organization();
    const document = (tokens: number) => `{ accounts(ids: [${'"" '.repeat(tokens - 12)}]) { totalCount } }`;
    const allowed = await owner.graph(document(2000));
    expect(allowed.body.errors).toMatchObject([{ extensions: { errors: [{ path: 'ids' }] } }]);
    const { status, body } = await owner.graph(document(2001));
    expect(status).toBe(400);
    expect(body.errors![0]).toMatchObject({
      message: 'This document has 2,001 tokens; at most 2,000 are allowed.',
      extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'tokens' }] },
    });
  });

  it('returns 400 when fields are repeated too often to be compared', async () => {
    const owner = await world.organization();
    const document = (times: number) => `{ account { ${'id '.repeat(times)} } }`;
    expect((await owner.graph(document(500))).body).toEqual({ data: { account: { id: owner.id } } });
    const { status, body } = await owner.graph(document(1000));
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        message: 'This document selects the same fields too often to compare them with each other. Select each once.',
        extensions: { code },
      },
    ]);
  });

  it('returns 422 for lists that may hold over 25,000 objects, with the limit that would pass', async () => {
    const owner = await world.organization();
    const lists = (count: number, limit: number) =>
      Array.from({ length: count }, (_, i) => `a${i}: devices(organizationId: $o, limit: ${limit}) { items { id } }`);
    const ask = (...fields: string[]) => owner.graph(`query ($o: ID!) { ${fields.join(' ')} }`, { o: owner.id });
    expect((await ask(...lists(25, 1000))).body.errors).toBeUndefined();
    const { status, body } = await ask(...lists(26, 1000));
    expect(status).toBe(422);
    expect(body.errors![0]).toMatchObject({
      message:
        'This request may return 26,000 objects; at most 25,000 are allowed. `a0` costs most: with `limit: 961` on every list it would pass.',
      extensions: {
        code: 'VALIDATION_FAILED',
        errors: [{ path: 'cost', message: 'is 26000; at most 25000 are allowed' }],
      },
    });
    expect((await ask(...lists(26, 961))).body.errors).toBeUndefined();
  });

  it('returns estimated and actual cost when the request asks for it', async () => {
    const owner = await world.organization();
    for (const serial of ['aa-01', 'aa-02']) await owner.make(`/organizations/${owner.id}/devices/${serial}`);
    const { body } = await owner.postGraph({
      query: 'query ($o: ID!) { devices(organizationId: $o, limit: 20) { items { id product { id } } } }',
      variables: { o: owner.id },
      extensions: { cost: true },
    });
    expect(body.extensions).toEqual({ cost: { objects: 40, found: 4, limit: 25_000 } });
  });

  it('returns 413 for more than 1 MiB', async () => {
    const owner = await world.organization();
    const { status, body } = await owner.graph('{ account { id } }', { padding: 'x'.repeat(1024 * 1024) });
    expect(status).toBe(413);
    expect(body.errors![0]).toMatchObject({
      message: 'The body is too large: send at most 1 MiB.',
      extensions: { code: 'TOO_LARGE' },
    });
  });

  it.each([
    ['in the text', '(limit: -99999)', ''],
    ['as a default', '(limit: $less)', ', $less: Int! = -99999'],
  ])('ignores a negative limit beside @skip in the cost, written %s', async (_, limit, variable) => {
    const owner = await world.organization();
    const document = `query ($o: ID!${variable}) { organization(organizationId: $o) {
      ${Array.from({ length: 26 }, (_each, i) => `a${i}: devices(limit: 1000) { items { id } }`).join(' ')}
      teams(limit: 1) { items { cheap: members${limit} @skip(if: true) { items { teams(limit: 1) { items { id } } } } } } } }`;
    const { status, body } = await owner.graph(document, { o: owner.id });
    expect(status).toBe(422);
    expect(body.errors![0]!.message).toMatch(/^This request may return 26,\d\d\d objects/);
  });

  it('suggests the field that may have been meant', async () => {
    const owner = await world.organization();
    const { status, body } = await owner.graph('{ account { nam } }');
    expect(status).toBe(400);
    expect(body.errors![0]).toMatchObject({
      message: expect.stringContaining('Did you mean "name"'),
      extensions: { code: 'VALIDATION_FAILED' },
    });
  });

  it('names the variable that is missing', async () => {
    const owner = await world.organization();
    const { status, body } = await owner.graph('query ($o: ID!) { organization(organizationId: $o) { id } }', {});
    expect(status).toBe(400);
    expect(body.errors![0]).toMatchObject({
      message: expect.stringContaining('$o'),
      extensions: { code: 'VALIDATION_FAILED' },
    });
  });
});
