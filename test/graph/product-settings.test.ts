import { beforeAll, describe, expect, it } from '@jest/globals';
import { setPublic } from '#operator/product.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let other: AccountActor;

beforeAll(async () => {
  [owner, other] = [await world.organization(), await world.organization()];
});

const fields = `settings { variables { name counter { rollsOverAt jitter } words { value word } decimals } }`;
const variables = [
  { name: 'energy', type: 'FLOAT32' },
  { name: 'state', type: 'UINT8' },
  { name: 'note', type: 'TXT' },
];
const settings = {
  variables: [
    {
      name: 'state',
      words: [
        { value: '2', word: 'open' },
        { value: '1', word: 'closed' },
      ],
      decimals: 0,
    },
    { name: 'energy', counter: { rollsOverAt: 1e6 } },
    { name: 'gone' },
  ],
};
const shown = {
  variables: [
    { name: 'energy', counter: { rollsOverAt: 1e6, jitter: 0 }, words: [], decimals: null },
    { name: 'gone', counter: null, words: [], decimals: null },
    {
      name: 'state',
      counter: null,
      words: [
        { value: '1', word: 'closed' },
        { value: '2', word: 'open' },
      ],
      decimals: 0,
    },
  ],
};

const newProduct = () => owner.make(`/organizations/${owner.id}/products`, { name: 'Meter', version: '1', variables });

const put = (actor: AccountActor, productId: string, sent: object, organizationId = owner.id) =>
  actor.graph(
    `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
      putProductSettings(organizationId: $o, productId: $p, settings: $s) { ${fields} } }`,
    { o: organizationId, p: productId, s: sent },
  );

const read = async (actor: AccountActor, productId: string) => {
  const query = `query ($o: ID!, $p: ID!) { product(organizationId: $o, productId: $p) { ${fields} } }`;
  return (await actor.graph(query, { o: owner.id, p: productId })).body.data!['product'] as object;
};

describe('putProductSettings', () => {
  it('replaces all settings, which a PUT of the variables keeps and REST does not show', async () => {
    const id = await newProduct();
    expect(await read(owner, id)).toEqual({ settings: { variables: [] } });
    expect((await put(owner, id, settings)).body.data).toEqual({ putProductSettings: { settings: shown } });
    const path = `/products/${owner.id}/${id}`;
    const { body } = await owner.put<object>(path, { name: 'Meter', version: '2', variables: variables.slice(0, 1) });
    expect(Object.keys(body)).not.toContain('settings');
    expect(await read(owner, id)).toEqual({ settings: shown });
    await put(owner, id, { variables: [] });
    expect(await read(owner, id)).toEqual({ settings: { variables: [] } });
  });

  it('says how to show the variables of records, derived ones included', async () => {
    const id = await newProduct();
    const derived = [{ name: 'double', unit: 'Wh', type: 'FLOAT32', formula: 'energy * 2' }];
    const words = [{ value: 'on', word: 'Running' }];
    await put(owner, id, {
      derived,
      variables: [
        { name: 'note', words },
        { name: 'double', decimals: 1 },
      ],
    });
    const { body } = await owner.graph(
      `query ($o: ID!, $p: ID!) { product(organizationId: $o, productId: $p) {
        recordedVariables { name unit type decimals words } } }`,
      { o: owner.id, p: id },
    );
    const plain = { unit: null, decimals: null, words: null };
    const shows = [
      { ...plain, name: 'note', words: { on: 'Running' } },
      { ...plain, name: 'double', unit: 'Wh', type: 'FLOAT32', decimals: 1 },
    ];
    const all = (body.data!['product'] as { recordedVariables: { name: string }[] }).recordedVariables;
    expect(all).toHaveLength(variables.length + 1);
    expect(all.at(-1)).toEqual(shows[1]);
    expect(all.find(({ name }) => name === 'note')).toMatchObject(shows[0]!);
  });

  it('leaves the former and new settings in the audit log', async () => {
    const id = await newProduct();
    await put(owner, id, settings);
    const { body } = await owner.graph(
      `query ($o: ID!) { auditEvents(organizationId: $o, filter: { action: "putProductSettings" }, limit: 1, sort: "-at") {
        items { target { kind } changes { field after } } } }`,
      { o: owner.id },
    );
    expect(body.data!['auditEvents'].items).toMatchObject([
      { target: { kind: 'product' }, changes: [{ field: 'settings' }] },
    ]);
  });

  it('refuses to overwrite what somebody else saved since the version was read', async () => {
    const id = await newProduct();
    const save = async (version: string | null, decimals: number) => {
      const { body } = await owner.graph(
        `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!, $v: String) {
          putProductSettings(organizationId: $o, productId: $p, settings: $s, version: $v) { settings { version } } }`,
        { o: owner.id, p: id, s: { variables: [{ name: 'energy', decimals, counter: {} }] }, v: version },
      );
      const saved = body.data?.['putProductSettings'] as { settings: { version: string } } | null | undefined;
      return saved?.settings.version ?? body.errors![0]!.extensions.code;
    };
    const stored = async () => {
      const query = `query ($o: ID!, $p: ID!) { product(organizationId: $o, productId: $p) { settings { version } } }`;
      const { product } = (await owner.graph(query, { o: owner.id, p: id })).body.data!;
      return (product as { settings: { version: string } }).settings.version;
    };
    const first = await stored();
    const second = await save(first, 1);
    expect(second).not.toBe(first);
    expect(await stored()).toBe(second);
    expect(await save(first, 2)).toBe('CONFLICT');
    const both = await Promise.all([save(second, 3), save(second, 4)]);
    expect(both.filter((each) => each === 'CONFLICT')).toHaveLength(1);
    expect(both).toContain(await stored());
    expect(await save(null, 5)).toBe(await stored());
  });

  it('takes names of any kind as they are', async () => {
    const id = await newProduct();
    const names = ['__proto__', 'constructor', 'a.b', 'ä'];
    const { body } = await put(owner, id, { variables: names.map((name) => ({ name, decimals: 1 })) });
    const answer = body.data!['putProductSettings'] as { settings: { variables: { name: string }[] } };
    expect(answer.settings.variables.map(({ name }) => name)).toEqual(['__proto__', 'a.b', 'constructor', 'ä']);
  });

  it.each<[string, object]>([
    ['variables.1.name', { variables: [{ name: 'energy' }, { name: 'energy' }] }],
    ['variables.0.name', { variables: [{ name: ' ' }] }],
    ['variables.0.name', { variables: [{ name: 'x'.repeat(101) }] }],
    ['variables.0.counter', { variables: [{ name: 'note', counter: {} }] }],
    ['variables.0.counter.rollsOverAt', { variables: [{ name: 'energy', counter: { rollsOverAt: 0 } }] }],
    ['variables.0.counter.jitter', { variables: [{ name: 'energy', counter: { jitter: -1 } }] }],
    ['variables.0.counter.jitter', { variables: [{ name: 'energy', counter: { rollsOverAt: 10, jitter: 10 } }] }],
    ['variables.0.decimals', { variables: [{ name: 'energy', decimals: 16 }] }],
    ['variables.0.words.0.word', { variables: [{ name: 'energy', words: [{ value: '1', word: '' }] }] }],
    [
      'variables.0.words.1.value',
      { variables: [{ name: 'energy', words: [1, 2].map((n) => ({ value: '1', word: `w${n}` })) }] },
    ],
    [
      'variables.0.words',
      { variables: [{ name: 'energy', words: Array.from({ length: 201 }, (_, n) => ({ value: `${n}`, word: 'w' })) }] },
    ],
    ['variables', { variables: Array.from({ length: 1001 }, (_, n) => ({ name: `v${n}` })) }],
    [
      'variables',
      {
        variables: Array.from({ length: 11 }, (_, v) => ({
          name: `v${v}`,
          words: Array.from({ length: 200 }, (_none, n) => ({ value: `${n}`, word: 'w' })),
        })),
      },
    ],
  ])('refuses a fault at settings.%s', async (path, sent) => {
    const { body } = await put(owner, await newProduct(), sent);
    expect(body.errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: `settings.${path}` }] } },
    ]);
  });

  it('lets only owners of the organization that has the product change settings, also when it is public', async () => {
    const id = await newProduct();
    await put(owner, id, settings);
    expect((await put(other, id, {})).body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    await setPublic(world.pool, id, true, new Date());
    expect(await read(other, id)).toEqual({ settings: shown });
    expect((await put(other, id, {})).body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    await other.make(`/organizations/${other.id}/devices/aa-01`, { product: { id } });
    await setPublic(world.pool, id, false, new Date());
    await put(owner, id, { variables: [{ name: 'secret' }] });
    const query = `query ($o: ID!) { devices(organizationId: $o) { items { product { ${fields} } } } }`;
    const { body } = await other.graph(query, { o: other.id });
    expect(body.data!['devices']).toEqual({ items: [{ product: { settings: shown } }] });
  });
});

describe('putProducts with settings', () => {
  const products = async (item: object) => {
    const { body } = await owner.graph(
      `mutation ($o: ID!, $i: [ProductInput!]!) { putProducts(organizationId: $o, products: $i) {
        results { status id error { errors { path } } } } }`,
      { o: owner.id, i: [{ externalId: 'meter', name: 'Meter', version: '1', variables, ...item }] },
    );
    return body.data!['putProducts'].results[0] as { status: string; id: string; error: object };
  };

  it('puts settings, and keeps them where an item has none', async () => {
    const { id } = await products({ settings });
    expect(await products({ settings })).toMatchObject({ status: 'unchanged' });
    expect(await products({})).toMatchObject({ status: 'unchanged' });
    expect(await read(owner, id)).toEqual({ settings: shown });
    expect(await products({ settings: null })).toMatchObject({ status: 'updated' });
    expect(await read(owner, id)).toEqual({ settings: { variables: [] } });
  });

  it('names the place of a fault in its item', async () => {
    const twice = { variables: [{ name: 'energy' }, { name: 'energy' }] };
    expect(await products({ settings: twice })).toMatchObject({
      status: 'failed',
      error: { errors: [{ path: 'settings.variables.1.name' }] },
    });
  });
});
