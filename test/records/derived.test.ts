import { beforeAll, describe, expect, it } from '@jest/globals';
import { setPublic } from '#operator/product.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let at: string;
let count = 0;

beforeAll(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

const layout = (varNumber: number) => ({ mappings: [{ streamId: 1, streamType: 'RAW', varNumber }] });
const variables = [
  { name: 'temperature', type: 'INT16', ...layout(1) },
  { name: 'volume 1', type: 'FLOAT32' },
  { name: 'open', type: 'BOOL' },
];
const derived = [
  { name: 'hot', type: 'BOOL', formula: 'fahrenheit > 100' },
  { name: 'fahrenheit', unit: '°F', type: 'FLOAT32', formula: 'temperature * 1.8 + 32' },
  { name: 'density', type: 'FLOAT32', formula: 'temperature / `volume 1`' },
  { name: 'word', type: 'TXT', formula: 'open ? "open" : "closed"' },
  { name: 'small', type: 'UINT8', formula: 'temperature + 200' },
];

interface Made {
  product: string;
  device: string;
  application: string;
  serial: string;
}

const put = async (productId: string, sent: object, actor = owner) => {
  const { body } = await actor.graph(
    `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
      putProductSettings(organizationId: $o, productId: $p, settings: $s) { settings { derived { name unit type formula } } } }`,
    { o: owner.id, p: productId, s: sent },
  );
  return body;
};

const make = async (settings: object = { derived }): Promise<Made> => {
  const serial = `de-${(count += 1)}`;
  const product = await owner.make(`${at}/products`, { name: 'Tank', version: '1', variables });
  if ((await put(product, settings)).errors) throw new Error('The settings were refused.');
  const device = await owner.make(`${at}/devices/${serial}`, { product: { id: product } });
  const application = await owner.make(`${at}/applications`, { name: 'Tanks' });
  await owner.put(`/applications/${owner.id}/${application}/devices/${device}`);
  return { product, device, application, serial };
};

const ingest = async ({ serial }: Made, ...records: object[]) => {
  const { body } = await owner.post<{ accepted: number }>(
    `${at}/records`,
    records.map((record) => ({ serial, ...record })),
  );
  expect(body.accepted).toBe(records.length);
};

interface Stored {
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
  given: object | null;
  numbers: number[] | null;
  texts: string[] | null;
  ignored: string[] | null;
}

const stored = async ({ device }: Made): Promise<Stored[]> =>
  (
    await world.pool.query<Stored>(
      'select data, metadata, given, numbers, texts, ignored from record where device_id = $1 order by ts, seq',
      [device],
    )
  ).rows;

const search = async ({ application }: Made, query: object) =>
  (
    await owner.post<{
      responses: [{ aggregations: Record<string, object>; hits: { hits: object[]; total: object } }];
    }>(`/applications/${owner.id}/${application}/search`, {
      ts: { gte: 1.5e9, lte: 4e9 },
      queries: [{ products: [], ...query }],
    })
  ).body.responses[0];

const recompute = async (product: string, more: object = {}) => {
  const { body } = await owner.graph(
    `mutation ($o: ID!, $p: ID!, $d: [ID!], $from: UnixTime, $dry: Boolean) {
      recomputeProduct(organizationId: $o, productId: $p, deviceIds: $d, from: $from, dryRun: $dry) { id kind } }`,
    { o: owner.id, p: product, ...more },
  );
  const { id, kind } = body.data!['recomputeProduct'] as { id: string; kind: string };
  expect(kind).toBe('recompute');
  for (;;) {
    const { body: job } = await owner.get<{ state: string; done: number; changed: number }>(`${at}/jobs/${id}`);
    if (job.state === 'done' || job.state === 'failed') return job;
  }
};

describe('a product with derived variables', () => {
  it('computes them when a record is stored, from what was sent or decoded', async () => {
    const made = await make();
    await ingest(
      made,
      { ts: 1.7e9, data: { temperature: '40', 'volume 1': 8, open: true } },
      { ts: 1.7e9 + 1, data: { 'volume 1': 2 }, frame: { streamId: 1, streamType: 'RAW', payload: '0064' } },
    );
    expect((await stored(made)).map(({ data }) => data)).toEqual([
      {
        temperature: '40',
        'volume 1': 8,
        open: true,
        fahrenheit: 104,
        hot: true,
        density: 5,
        word: 'open',
        small: 240,
      },
      { temperature: 100, 'volume 1': 2, fahrenheit: 212, hot: true, density: 50 },
    ]);
  });

  it('leaves them out, with the reason, where they have no value', async () => {
    const made = await make();
    await ingest(made, { data: { temperature: 60, 'volume 1': 0 } }, { data: {} });
    const [divided, empty] = await stored(made);
    expect(divided).toMatchObject({
      data: { fahrenheit: 140, hot: true },
      metadata: {
        derived: {
          absent: [
            { variable: 'density', code: 'DIVISION_BY_ZERO' },
            { variable: 'word', code: 'MISSING', input: 'open' },
            { variable: 'small', code: 'OUT_OF_RANGE' },
          ],
        },
      },
    });
    expect(Object.keys(divided!.data).toSorted()).toEqual(['fahrenheit', 'hot', 'temperature', 'volume 1']);
    expect(empty!.data).toEqual({});
    expect((empty!.metadata['derived'] as { absent: object[] }).absent).toContainEqual({
      variable: 'hot',
      code: 'MISSING',
      input: 'fahrenheit',
    });
  });

  it('moves what the device sends under their names to the metadata', async () => {
    const made = await make({ derived: [{ name: 'double', type: 'FLOAT32', formula: 'temperature * 2' }] });
    await ingest(
      made,
      { ts: 1.7e9, data: { temperature: 4, double: 'mine' }, metadata: { rssi: -1, derived: { sent: { x: 1 } } } },
      { ts: 1.7e9 + 1, data: { temperature: 4 }, metadata: { derived: 5 } },
    );
    expect(await stored(made)).toMatchObject([
      { data: { temperature: 4, double: 8 }, metadata: { rssi: -1, derived: { sent: { double: 'mine' } } } },
      { data: { temperature: 4, double: 8 }, metadata: {} },
    ]);
    expect((await stored(made))[1]!.metadata).toEqual({});
  });

  it('searches, draws and reads them like declared variables', async () => {
    const made = await make();
    await ingest(
      made,
      { ts: 1.7e9, data: { temperature: 10, open: false } },
      { ts: 1.7e9 + 60, data: { temperature: 20, open: true } },
    );
    const found = await search(made, {
      query: { range: { 'data.fahrenheit': { gt: 60 } } },
      aggs: {
        all: { global: {}, aggs: { mean: { avg: { field: 'data.fahrenheit' } } } },
        words: { terms: { field: 'data.word' } },
      },
    });
    expect(found.hits.hits).toMatchObject([{ _source: { data: { fahrenheit: 68, word: 'open' } } }]);
    expect(found.aggregations).toMatchObject({
      all: { mean: { value: 59 } },
      words: { buckets: [{ key: 'open', doc_count: 1 }] },
    });
    const { body } = await owner.graph(
      `query ($o: ID!, $d: ID!) {
        device(organizationId: $o, deviceId: $d) {
          latest { name type unit value } product { variables { name } }
          series(from: 1.7e9, to: 1.7000001e9, interval: 60) { name unit values } }
        suggestion: series(organizationId: $o, deviceIds: [$d], variables: ["fahrenheit"], from: 1.7e9, to: 1.7000001e9, interval: 60) { unit values } }`,
      { o: owner.id, d: made.device },
    );
    expect(body.errors).toBeUndefined();
    const { latest, product } = body.data!['device'] as {
      latest: { name: string }[];
      product: { variables: { name: string }[] };
    };
    expect(latest.find(({ name }) => name === 'fahrenheit')).toEqual({
      name: 'fahrenheit',
      type: 'FLOAT32',
      unit: '°F',
      value: 68,
    });
    expect(product.variables.map(({ name }) => name)).toEqual(variables.map(({ name }) => name));
    expect(body.data!['suggestion']).toMatchObject([{ unit: '°F', values: [50, 68] }]);
  });

  it('has the same records after recomputing as if they were stored today, after any change of formulas', async () => {
    const made = await make({ derived: [] });
    const records = [
      { ts: 1.7e9, data: { temperature: 40, 'volume 1': 8, hot: 'sent' } },
      { ts: 1.7e9 + 1, frame: { streamId: 1, streamType: 'RAW', payload: '0010' }, data: { open: true, hot: 1 } },
      { ts: 1.7e9 + 2, data: { open: false } },
    ];
    await ingest(made, ...records);
    const settings = [derived, derived.slice(1, 3), [{ name: 'cold', type: 'BOOL', formula: 'temperature < 20' }], []];
    for (const some of settings) {
      await put(made.product, { derived: some });
      const dry = await recompute(made.product, { dry: true });
      const job = await recompute(made.product);
      expect([dry.changed, job.changed]).toEqual([job.changed, 3]);
      expect(await recompute(made.product)).toMatchObject({ done: 3, changed: 0 });
      const today = await make({ derived: some });
      await ingest(today, ...records);
      // Slots depend on the earlier variables of a product.
      const content = (rows: Stored[]) => rows.map(({ numbers: _, texts: _texts, ...row }) => row);
      expect(content(await stored(made))).toEqual(content(await stored(today)));
    }
  });

  it('recomputes records of the named devices and times alone', async () => {
    const made = await make({ derived: [] });
    const other = await owner.make(`${at}/devices/de-99`, { product: { id: made.product } });
    await ingest(made, { ts: 1.7e9, data: { temperature: 1 } }, { ts: 1.7e9 + 100, data: { temperature: 2 } });
    await ingest({ ...made, serial: 'de-99' }, { ts: 1.7e9, data: { temperature: 3 } });
    await put(made.product, { derived: derived.slice(1, 2) });
    expect(await recompute(made.product, { d: [made.device], from: 1.7e9 + 50 })).toMatchObject({
      done: 1,
      changed: 1,
    });
    expect(await recompute(made.product, { d: ['nobody'] })).toMatchObject({ done: 0, changed: 0 });
    expect((await stored(made)).map(({ data }) => data['fahrenheit'])).toEqual([undefined, 35.6]);
    expect((await stored({ ...made, device: other })).map(({ data }) => data['fahrenheit'])).toEqual([undefined]);
  });

  it('tells that a formula no longer fits the variables, after a PUT of these', async () => {
    const made = await make({ derived: derived.slice(1, 2) });
    const path = `/products/${owner.id}/${made.product}`;
    await owner.put(path, { name: 'Tank', version: '2', variables: [{ name: 'temperature', type: 'TXT' }] });
    await ingest(made, { data: { temperature: 20 } });
    expect((await stored(made))[0]).toMatchObject({
      data: { temperature: 20 },
      metadata: { derived: { absent: [{ variable: 'fahrenheit', code: 'FORMULA' }] } },
    });
  });

  it('keeps them for other organizations as they were when it was withdrawn', async () => {
    const other = await world.organization();
    const made = await make({ derived: derived.slice(1, 2) });
    await setPublic(world.pool, made.product, true, new Date());
    await other.make(`/organizations/${other.id}/devices/aa-01`, { product: { id: made.product } });
    await setPublic(world.pool, made.product, false, new Date());
    await put(made.product, { derived: [{ name: 'secret', type: 'FLOAT32', formula: 'temperature + 1' }] });
    await other.post(`/organizations/${other.id}/records`, { serial: 'aa-01', data: { temperature: 10 } });
    const { rows } = await world.pool.query('select data from record where organization_id = $1', [other.id]);
    expect(rows).toEqual([{ data: { temperature: 10, fahrenheit: 50 } }]);
  });
});

describe('putProductSettings with derived variables', () => {
  const float = (name: string, formula: string) => ({ name, type: 'FLOAT32', formula });

  it.each<[string, object[]]>([
    ['0.formula', [float('a', 'temperatur * 2')]],
    ['0.formula', [float('a', 'open')]],
    ['0.formula', [float('a', `${'('.repeat(100)}temperature${')'.repeat(100)}`)]],
    ['0.formula', [float('a', '('.repeat(10_000))]],
    ['0.formula', [float('a', '1'.repeat(900_000))]],
    ['0.formula', [float('a', ' ')]],
    ['0.formula', [float('a', 'a + 1')]],
    ['1.formula', [float('a', '1'), float('b', 'c'), float('c', 'b')]],
    ['0.name', [float('temperature', '1')]],
    ['0.name', [float('a.b', '1')]],
    ['1.name', [float('a', '1'), float('a', '2')]],
    ['', Array.from({ length: 51 }, (_, index) => float(`v${index}`, '1'))],
    ['', Array.from({ length: 50 }, (_, index) => float(`v${index}`, Array(15).fill('1').join('+')))],
  ])('refuses a fault at settings.derived.%s', async (path, sent) => {
    const product = await owner.make(`${at}/products`, { name: 'Tank', version: '1', variables });
    const { errors } = await put(product, { derived: sent });
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'VALIDATION_FAILED',
          errors: expect.arrayContaining([expect.objectContaining({ path: `settings.derived${path && `.${path}`}` })]),
        },
      },
    ]);
  });

  it('refuses a variable with the name of a derived one', async () => {
    const { product } = await make();
    const path = `/products/${owner.id}/${product}`;
    for (const name of ['hot', 'hot.spot'])
      expect(
        await owner.put(path, { name: 'Tank', version: '1', variables: [...variables, { name, type: 'BOOL' }] }),
      ).toMatchObject({ status: 422, body: { errors: [{ path: 'variables.3.name' }] } });
  });
});
