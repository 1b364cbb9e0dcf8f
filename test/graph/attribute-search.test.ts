import { beforeAll, describe, expect, it } from '@jest/globals';
import { newLink } from '../auth/operations.js';
import { rollUpAll } from '../search/rolled.js';
import { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let applicationId: string;
let application: string;

/** Attributes of devices by serial, with those that were or will be: each device sent two records on each of two days. */
const attributes: Record<string, object[]> = {
  'a0-01': [
    { name: 'line', value: 'north' },
    { name: 'offset', value: -0.5 },
    { name: 'spare', value: true },
    { name: 'mixed', value: 7 },
  ],
  'a0-02': [
    { name: 'line', value: 'south', validFrom: 1000 },
    { name: 'line', value: 'north', validFrom: 2000 },
    { name: 'offset', value: 2 },
    { name: 'spare', value: false },
    { name: 'mixed', value: 'seven' },
  ],
  'a0-03': [
    { name: 'line', value: 'south', validFrom: 1000 },
    { name: 'line', value: 'north', validFrom: 4e9 },
    { name: 'offset', value: 3, validFrom: 1000 },
    { name: 'offset', value: null, validFrom: 2000 },
  ],
  'a0-04': [],
};

beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const variables = [{ name: 'n', type: 'FLOAT32' }];
  const product = { id: await owner.make(`${at}/products`, { name: 'P', version: '1', variables }) };
  applicationId = await owner.make(`${at}/applications`, { name: 'A', hasDashboard: true });
  application = `/applications/${owner.id}/${applicationId}`;
  for (const [serial, list] of Object.entries(attributes)) {
    const id = await owner.make(`${at}/devices/${serial}`, { product });
    await owner.put(`${application}/devices/${id}`);
    if (list.length > 0)
      expect((await owner.put(`/devices/${owner.id}/${id}/attributes`, { attributes: list })).status).toBe(200);
  }
  const longAgo = Math.floor(Date.now() / 86_400_000 - 5) * 86_400 + 7200;
  const records = Object.keys(attributes).flatMap((serial, index) => [
    { serial, ts: longAgo, data: { n: 10 ** index } },
    { serial, data: { n: 10 ** index } },
  ]);
  await owner.post(`${at}/records`, records);
});

interface Answer {
  status: number;
  error?: { reason?: string };
  hits: { total: { value: number }; hits: { _source: { device: { serial: string } } }[] };
  aggregations?: Record<
    string,
    { value?: number; buckets?: { key: unknown; key_as_string?: string; doc_count: number; sum: { value: number } }[] }
  >;
}

const search = async (query: object, actor: Actor = owner): Promise<Answer> => {
  const { body } = await actor.post<{ responses: Answer[] }>(`${application}/search`, {
    ts: { gte: 0, lte: 4_000_000_000 },
    queries: [{ products: [], ...query }],
  });
  return body.responses[0]!;
};
const found = async (query: object, actor?: Actor) =>
  (await search({ query, track_total_hits: true }, actor)).hits.total.value;
const of = (name: string) => `device.attributes.${name}`;

const trials = () => {
  it.each<[string, object, number]>([
    ['a text', { term: { [of('line')]: 'north' } }, 4],
    ['some texts', { terms: { [of('line')]: ['south', 'east'] } }, 2],
    ['a number', { term: { [of('offset')]: 2 } }, 2],
    ['a range', { range: { [of('offset')]: { gte: -1, lt: 2.5 } } }, 4],
    ['a range that an ended value was in', { range: { [of('offset')]: { gte: 3 } } }, 0],
    ['a boolean', { term: { [of('spare')]: false } }, 2],
    ['any value', { exists: { field: of('offset') } }, 4],
    ['no value', { bool: { must_not: [{ exists: { field: of('line') } }] } }, 2],
    ['a number among values of several types, as text', { terms: { [of('mixed')]: ['7', 'seven'] } }, 4],
    [
      'a text and a measured value',
      { bool: { filter: [{ term: { [of('line')]: 'north' } }, { range: { 'data.n': { gt: 1 } } }] } },
      2,
    ],
    ['a query string', { query_string: { query: 'device.attributes.line:south' } }, 2],
    ['an attribute that no device has', { term: { [of('nothing')]: 1 } }, 0],
  ])('finds devices by %s', async (_title, query, count) => {
    expect(await found(query)).toBe(count);
  });

  it('makes buckets of texts, and computes with numbers', async () => {
    const { aggregations } = await search({
      size: 0,
      aggs: {
        lines: { terms: { field: of('line'), missing: 'none' }, aggs: { sum: { sum: { field: 'data.n' } } } },
        offset: { avg: { field: of('offset') } },
        offsets: { terms: { field: of('offset') } },
        spare: { terms: { field: of('spare') } },
      },
    });
    const bucketsOf = (name: string) =>
      aggregations![name]!.buckets!.map(({ key, doc_count: count }) => [key, count]).sort();
    expect(aggregations!['lines']!.buckets!.map(({ key, sum }) => [key, sum.value]).sort()).toEqual([
      ['none', 2000],
      ['north', 22],
      ['south', 200],
    ]);
    expect(aggregations!['offset']!.value).toBe(0.75);
    expect(bucketsOf('offsets')).toEqual([
      [-0.5, 2],
      [2, 2],
    ]);
    expect(bucketsOf('spare')).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });

  it('sums a day of the devices with an attribute', async () => {
    const { aggregations } = await search({
      size: 0,
      query: { term: { [of('line')]: 'north' } },
      aggs: {
        days: { date_histogram: { field: 'ts', fixed_interval: '1d' }, aggs: { sum: { sum: { field: 'data.n' } } } },
      },
    });
    const days = aggregations!['days']!.buckets!.filter(({ doc_count: count }) => count > 0);
    expect(days.map(({ sum }) => sum.value)).toEqual([11, 11]);
  });
};

describe('device.attributes in records', () => {
  trials();
});

describe('device.attributes in rollups', () => {
  beforeAll(() => rollUpAll(world.pool));
  trials();
});

describe('device.attributes in searches', () => {
  it('sorts hits, and shows no attribute in them', async () => {
    const { hits } = await search({ sort: [{ [of('offset')]: 'desc' }, { ts: 'asc' }], fields: ['device.*'], size: 4 });
    expect(hits.hits.map(({ _source }) => _source.device.serial)).toEqual(['a0-02', 'a0-02', 'a0-01', 'a0-01']);
    for (const { _source } of hits.hits) expect(_source.device).not.toHaveProperty('attributes');
    expect(JSON.stringify(hits.hits.map(({ _source }) => _source))).not.toContain('north');
  });

  it('refuses a value of another type', async () => {
    const { status, error } = await search({ query: { range: { [of('offset')]: { gt: 'much' } } } });
    expect([status, error?.reason]).toEqual([400, expect.stringContaining('much')]);
  });

  it('finds nothing for a link to a dashboard, which may not subscribe to it either', async () => {
    const link = new Actor(world.url, (await newLink({ owner, applicationId })).token);
    const ask = async (query: object) => {
      const { body } = await link.graph(
        `query ($o: ID!, $a: ID!, $q: LocatedJSON!) { search(organizationId: $o, applicationId: $a, ts: { gte: 0, lte: 4e9 }, queries: $q) { responses } }`,
        { o: owner.id, a: applicationId, q: [{ products: [], query, track_total_hits: true }] },
      );
      return (body.data!['search'] as { responses: Answer[] }).responses[0]!.hits.total.value;
    };
    expect(await ask({ exists: { field: 'data.n' } })).toBe(8);
    expect(await ask({ exists: { field: of('offset') } })).toBe(0);
    expect(await ask({ term: { [of('line')]: 'north' } })).toBe(0);
    const { body } = await link.firstEvent(
      `subscription ($o: ID!, $a: ID!, $q: JSONObject) {
        recordReceived(organizationId: $o, applicationId: $a, query: $q) { missed } }`,
      { o: owner.id, a: applicationId, q: { query_string: { query: 'device.attributes.lin\\e:north' } } },
    );
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
  });

  it('knows no attribute of another organization', async () => {
    const other = await world.organization();
    const id = await other.make(`/organizations/${other.id}/applications`, { name: 'A' });
    const { body } = await other.post<{ responses: Answer[] }>(`/applications/${other.id}/${id}/search`, {
      ts: { gte: 0, lte: 4e9 },
      queries: [{ products: [], query: { range: { [of('offset')]: { gt: 'much' } } } }],
    });
    expect(body.responses[0]!.status).toBe(200);
  });

  it('decides alert rules, and filters the records of hooks', async () => {
    const query = { bool: { filter: [{ term: { [of('line')]: 'north' } }, { range: { 'data.n': { gt: 40 } } }] } };
    await owner.make(`${application}/alert-rules`, { name: 'R', kind: 'threshold', when: { query } });
    const hook = await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/' });
    const filter = { query: { range: { [of('offset')]: { gt: 0 } } } };
    expect((await owner.put(`${application}/hooks/${hook}/settings`, { filter })).status).toBe(200);
    const records = Object.keys(attributes).map((serial) => ({ serial, data: { n: serial === 'a0-01' ? 5 : 50 } }));
    await owner.post(`/organizations/${owner.id}/records`, records);
    const devicesIn = (table: string) =>
      world.pool.query(
        `select d.serial from ${table} e join device d on d.id = e.device_id where e.organization_id = $1`,
        [owner.id],
      );
    expect((await devicesIn('episode')).rows).toEqual([{ serial: 'a0-02' }]);
    expect((await devicesIn('delivery')).rows).toEqual([{ serial: 'a0-02' }]);
  });
});
