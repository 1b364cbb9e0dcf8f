import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { fairQueueFor } from '#database/pool-queue.js';
import { createPool } from '#database/pools.js';
import { VariableType } from '#entities/enums.js';
import { locate, type PlainJson } from '#json/json.js';
import { parseJson } from '#json/reader.js';
import { createClient } from '#records/opensearch/client.js';
import { createEngine } from '#records/opensearch/engine.js';
import { indexNames } from '#records/opensearch/indices.js';
import { FieldPlaces } from '#records/opensearch/place.js';
import { createClusterSearch } from '#records/opensearch/search/cluster-search.js';
import { buildWorld, type World, worldNow } from '../search/world.js';
import { useDatabase } from '../support/database.js';
import { openTestRecords, type TestRecords } from '../support/records.js';

type Plain = { [key: string]: PlainJson };

const database = useDatabase();
let pool: Pool;
let records: TestRecords;
let world: World;
let other: World;

const at = (day: number) => Date.UTC(2026, 10, day) / 1000;
const devices = [
  { serial: '01', name: 'roof', tags: ['north', 'high'], product: 'probe' },
  { serial: '02', name: 'cellar', tags: ['south'], product: 'probe' },
  { serial: '03', tags: [], product: 'probe' },
  { serial: '04', name: 'attic', tags: ['high'], product: 'probe' },
];
const [building, floor] = ['00000000-0000-7000-8000-00000000000b', '00000000-0000-7000-8000-00000000000f'];
const products = {
  probe: [
    { name: 'n', type: VariableType.INT16 },
    { name: 'state', type: VariableType.TXT },
  ],
};

beforeAll(async () => {
  pool = createPool(database.url, { pipeline: true });
  records = await openTestRecords(database.url, { clock: () => worldNow, timeoutMs: 30_000 });
  const values = devices.flatMap(({ serial }, index) =>
    Array.from({ length: index + 1 }, (_, n) => ({
      serial,
      ts: at(n + 1),
      data: { n, state: n === 0 ? 'ok' : 'bad' },
    })),
  );
  world = await buildWorld(pool, { products, devices, records: values }, records);
  const secret = [{ serial: '01', ts: at(1), data: { n: 7, state: 'secret' } }];
  other = await buildWorld(pool, { products, devices: [devices[0]!], records: secret }, records);
  // A building with a floor, on which the second device is; the fourth is in the building.
  await pool.query(
    `with made as (
       insert into site (id, organization_id, parent_id, path, name, created_at, updated_at)
       values ($2, $1, null, array[$2::uuid], 'Building', now(), now()), ($3, $1, $2, array[$2::uuid, $3::uuid], 'Floor', now(), now())
       returning id)
     insert into device_site (organization_id, device_id, site_id, started_at)
     select $1, d.id, made.id, '2026-01-01Z' from device d join made on made.id = case d.serial when '02' then $3::uuid else $2 end
      where d.organization_id = $1 and d.serial in ('02', '04')`,
    [world.organizationId, building, floor],
  );
  await pool.query(
    `insert into attribute (organization_id, device_id, name, valid_from, value)
     select $1, d.id, w.name, w.at::timestamptz, w.value::jsonb from device d join (values
         ('02', 'line', '2026-01-01Z', '"north"'), ('04', 'line', '2026-01-01Z', '"south"'), ('04', 'offset', '2026-01-01Z', '2.5'),
         ('03', 'offset', '2026-01-01Z', '1'), ('03', 'offset', '2026-01-02Z', null)) w (serial, name, at, value) using (serial)
      where d.organization_id = $1`,
    [world.organizationId],
  );
});
afterAll(async () => {
  await records?.close();
  await pool?.end();
});

const hitsOf = async (query: Plain) => {
  const answer = (await world.ask(query)) as unknown as {
    hits: { total: Plain; hits: { sort: PlainJson[]; _source: { device: Plain; data: Plain } }[] };
  };
  return answer.hits;
};
const shown = async (query: Plain) => {
  const { hits } = await hitsOf(query);
  return hits.map(({ _source: { device, data } }) => `${device['serial'] as string} ${data['n'] as number}`);
};

describe('partial match of _id on a cluster', () => {
  it.each([
    [{ range: { _id: { gte: '0' } } }],
    [{ prefix: { _id: '0' } }],
    [{ wildcard: { _id: '0*' } }],
    [{ regexp: { _id: '0.*' } }],
  ])('returns 400 as OpenSearch does for %j', async (query) => {
    expect(await world.ask({ query })).toMatchObject({ status: 400, error: { root_cause: [expect.anything()] } });
  });
});

describe('sort by a current field of the device on a cluster', () => {
  const byName: Plain[] = [{ 'device.name': 'asc' }, { ts: 'desc' }];
  const all = ['04 3', '04 2', '04 1', '04 0', '02 1', '02 0', '01 0', '03 2', '03 1', '03 0'];

  it('returns hits device by device, those without a value last', async () => {
    expect(await shown({ sort: byName, size: 100 })).toEqual(all);
    expect((await hitsOf({ sort: byName, size: 0 })).total).toEqual({ value: 10, relation: 'eq' });
  });

  it('returns pages by from and by search_after', async () => {
    expect(await shown({ sort: byName, from: 2, size: 5 })).toEqual(all.slice(2, 7));
    const read: string[] = [];
    for (let after: PlainJson[] | undefined; read.length < all.length; ) {
      const query = { sort: byName, size: 3, ...(after && { search_after: after }) };
      read.push(...(await shown(query)));
      after = (await hitsOf(query)).hits.at(-1)!.sort;
    }
    expect(read).toEqual(all);
  });

  it('sorts a device with several values by the first or last one, and a device without any by `missing`', async () => {
    const query = { query: { term: { 'data.n': 0 } }, size: 10 };
    expect(await shown({ ...query, sort: [{ 'device.tags': { order: 'desc', missing: 'm' } }] })).toEqual([
      '02 0',
      '01 0',
      '03 0',
      '04 0',
    ]);
    expect(await shown({ ...query, sort: [{ 'device.tags': { order: 'asc', missing: '_first' } }] })).toEqual([
      '03 0',
      '01 0',
      '04 0',
      '02 0',
    ]);
  });

  it('applies the post filter', async () => {
    const query = { sort: byName, post_filter: { range: { 'data.n': { gte: 2 } } } };
    expect(await shown(query)).toEqual(['04 3', '04 2', '03 2']);
  });
});

describe('aggregation over current fields of devices on a cluster', () => {
  const aggregationsOf = async (aggs: Plain, more: Plain = {}) => {
    const answer = (await world.ask({ size: 0, aggs, ...more })) as unknown as { aggregations: { a: Plain } };
    return answer.aggregations.a;
  };

  it('counts the records below a site', async () => {
    const sites = { terms: { field: 'device.site.id' }, aggs: { n: { sum: { field: 'data.n' } } } };
    expect(await aggregationsOf({ a: sites })).toMatchObject({
      buckets: [
        { key: building, doc_count: 6, n: { value: 7 } },
        { key: floor, doc_count: 2, n: { value: 1 } },
      ],
    });
    expect(await aggregationsOf({ a: { cardinality: { field: 'device.site.id' } } })).toEqual({ value: 2 });
    const n = { a: { sum: { field: 'data.n' } } };
    const of = async (query: Plain) => aggregationsOf(n, { query });
    expect(await of({ term: { 'device.site.id': building! } })).toEqual({ value: 7 });
    expect(await of({ terms: { 'device.site.id': [floor!] } })).toEqual({ value: 1 });
    expect(await of({ bool: { must_not: { exists: { field: 'device.site.id' } } } })).toEqual({ value: 3 });
  });

  it('finds records by attributes, and refuses to aggregate and sort by them', async () => {
    const n = { a: { sum: { field: 'data.n' } } };
    const of = async (query: Plain) => aggregationsOf(n, { query });
    const [line, offset] = ['device.attributes.line', 'device.attributes.offset'];
    expect(await of({ terms: { [line]: ['north', 'east'] } })).toEqual({ value: 1 });
    expect(await of({ range: { [offset]: { gte: 1 } } })).toEqual(await of({ term: { 'device.serial': '04' } }));
    expect(await of({ bool: { must_not: [{ exists: { field: line } }, { exists: { field: offset } }] } })).toEqual({
      value: 3,
    });
    expect(await of({ bool: { filter: [{ term: { [line]: 'north' } }, { exists: { field: 'data.n' } }] } })).toEqual({
      value: 1,
    });
    const refused: Plain[] = [{ terms: { field: line } }, { avg: { field: offset } }, { cardinality: { field: line } }];
    for (const aggs of refused) expect(await world.ask({ size: 0, aggs: { a: aggs } })).toMatchObject({ status: 400 });
    expect(await world.ask({ sort: [{ [line]: 'asc' }] })).toMatchObject({ status: 400 });
  });

  it('returns one bucket for a value that several devices share', async () => {
    const tags = { terms: { field: 'device.tags' }, aggs: { n: { sum: { field: 'data.n' } } } };
    expect(await aggregationsOf({ a: tags })).toMatchObject({
      buckets: [
        { key: 'high', doc_count: 5, n: { value: 6 } },
        { key: 'south', doc_count: 2, n: { value: 1 } },
        { key: 'north', doc_count: 1, n: { value: 0 } },
      ],
    });
  });

  it('returns composite buckets of serials page by page', async () => {
    const sources: Plain[] = [
      { s: { terms: { field: 'device.serial', order: 'desc' } } },
      { n: { terms: { field: 'data.n' } } },
    ];
    const first = await aggregationsOf({ a: { composite: { sources, size: 5 } } });
    expect(first['after_key']).toEqual({ s: '03', n: 0 });
    const rest = await aggregationsOf({ a: { composite: { sources, size: 50, after: first['after_key']! } } });
    const keys = [first, rest].flatMap(({ buckets }) =>
      (buckets as Plain[]).map(({ key }) =>
        Object.values(key as Record<string, string | number>)
          .map(String)
          .join(' '),
      ),
    );
    expect(keys).toEqual(['04 0', '04 1', '04 2', '04 3', '03 0', '03 1', '03 2', '02 0', '02 1', '01 0']);
  });

  it('returns 400 with the reason for a composite aggregation that a cluster cannot run', async () => {
    const sources: Plain[] = [{ s: { terms: { field: 'device.tags' } } }];
    expect(await world.ask({ aggs: { a: { composite: { sources } } } })).toMatchObject({
      status: 400,
      error: { type: 'illegal_argument_exception', reason: expect.stringContaining('on a cluster') },
    });
  });
});

describe('search in an index shared by several organizations', () => {
  it("returns terms of the caller's organization only, even with min_doc_count 0", async () => {
    const body = {
      size: 0,
      query: { match_none: {} },
      aggs: { a: { terms: { field: 'data.state', min_doc_count: 0 } } },
    };
    const keysOf = async (of: World) => {
      const { aggregations } = (await of.ask(body)) as unknown as {
        aggregations: { a: { buckets: { key: string }[] } };
      };
      return aggregations.a.buckets.map(({ key }) => key);
    };
    expect(await keysOf(world)).toEqual(['bad', 'ok']);
    expect(await keysOf(other)).toEqual(['secret']);
  });

  it("counts records of the caller's organization only, even in a global aggregation", async () => {
    const body = { size: 0, query: { match_none: {} }, aggs: { a: { global: {} } } };
    expect(await other.ask(body)).toMatchObject({
      hits: { total: { value: 0 } },
      aggregations: { a: { doc_count: 1 } },
    });
  });
});

describe('search for values of an outdated variable type on a cluster', () => {
  it('ignores them until they are decoded again, and lists them in _ignored', async () => {
    const product = world.productIds['probe']!;
    const declare = (type: string) =>
      pool.query(sql`
        update product set variables = jsonb_set(variables, '{0,type}', ${JSON.stringify(type)}::jsonb), version = version || '1'
        where id = ${product}`);
    const body = {
      size: 1,
      query: { match_all: {} },
      aggs: { a: { sum: { field: 'data.n' } }, b: { terms: { field: 'data.n' } } },
    };
    expect(await world.ask(body)).toMatchObject({ aggregations: { a: { value: 10 }, b: { buckets: { length: 4 } } } });
    await declare('FLOAT32');
    try {
      expect(await world.ask(body)).toMatchObject({
        hits: { hits: [{ _ignored: ['data.n'] }] },
        aggregations: { a: { value: 0 }, b: { buckets: [] } },
      });
      expect(await world.ask({ query: { exists: { field: 'data.n' } } })).toMatchObject({
        hits: { total: { value: 0 } },
      });
    } finally {
      await declare('INT16');
    }
  });
});

describe('search on a cluster that does not answer', () => {
  const servers: Server[] = [];
  const clients: Client[] = [];
  afterAll(async () => {
    for (const client of clients) await client.close();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  /** Prepares a search over a cluster at the given address. */
  const searchAt = (url: string, timeoutMs = 2000, query: object = {}) => {
    const client = createClient({ nodes: [url], caFile: undefined });
    clients.push(client);
    const search = createClusterSearch({
      pool,
      queue: fairQueueFor(pool),
      clock: () => worldNow,
      timeoutMs,
      engine: createEngine({ client, names: indexNames('ddp'), fresh: () => Promise.resolve() }),
      places: new FieldPlaces(pool, () => Promise.resolve()),
    });
    const { organizationId, applicationId } = world;
    const prepared = search.prepare(
      locate({ gte: 0, lte: 4e9 }),
      parseJson(
        JSON.stringify([
          { products: [], ...query },
          { products: [], query: { nope: {} } },
        ]),
      ),
    );
    return (signal?: AbortSignal) => prepared({ organizationId, applicationId, ...(signal && { signal }) });
  };
  const listen = async (answer: (end: (status: number, body: string) => void) => void): Promise<string> => {
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () =>
        answer((status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(body)),
      );
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it('fails with 503 when no node can be reached', async () => {
    await expect(searchAt('http://127.0.0.1:9')()).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 });
  });

  it.each([
    ['a page of a gateway', '<html>Bad gateway</html>'],
    ['invalid JSON', '{"responses":['],
    ['an answer without responses', '{"took":1}'],
    ['too few answers', '{"responses":[]}'],
    ['null', 'null'],
  ])('fails with 503 when a node returns %s', async (_, body) => {
    const url = await listen((end) => end(200, body));
    await expect(searchAt(url)()).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 });
  });

  it('returns timed_out for the valid queries, and 400 for the invalid one', async () => {
    const url = await listen(() => undefined);
    const { responses } = await searchAt(url, 300)();
    expect(responses).toMatchObject([{ timed_out: true, status: 200 }, { status: 400 }]);
  });

  it('stops when its caller goes away', async () => {
    const url = await listen(() => undefined);
    const caller = new AbortController();
    const answer = searchAt(url)(caller.signal);
    setTimeout(() => caller.abort(new Error('gone')), 100);
    await expect(answer).rejects.toThrow('gone');
  });

  it('returns 503 when no shard answers, and the number of shards when some do', async () => {
    const away = { status: 503, error: { type: 'search_phase_execution_exception', reason: 'all shards failed' } };
    const some = {
      status: 200,
      _shards: { total: 3, successful: 2, skipped: 0, failed: 1 },
      hits: { total: { value: 0, relation: 'eq' }, hits: [] },
    };
    let given: object = away;
    const url = await listen((end) => end(200, JSON.stringify({ responses: [given] })));
    expect((await searchAt(url)()).responses[0]).toMatchObject({
      status: 503,
      error: { type: 'search_phase_execution_exception' },
    });
    given = some;
    expect((await searchAt(url)()).responses[0]).toMatchObject({
      status: 200,
      _shards: { total: 3, successful: 2, failed: 1 },
    });
  });

  it.each([
    ['in counting the records of devices', { sort: [{ 'device.serial': 'asc' }] }],
    [
      'in finding the time span of the buckets',
      { aggs: { days: { auto_date_histogram: { field: 'ts', buckets: 5 } } } },
    ],
  ])('returns 503 when the shards fail %s, which is a separate request', async (_, query) => {
    const failing = { status: 503, error: { type: 'search_phase_execution_exception', reason: 'all shards failed' } };
    const buckets = Array.from({ length: 1000 }, (_, key) => ({ key, doc_count: 1 }));
    const counted = {
      status: 200,
      hits: { total: { value: 1, relation: 'eq' }, hits: [] },
      aggregations: { devices: { devices: { buckets } } },
    };
    const given: object[] = 'sort' in query ? [counted, failing] : [failing];
    const url = await listen((end) => end(200, JSON.stringify({ responses: [given.shift() ?? counted] })));
    expect((await searchAt(url, 2000, query)()).responses[0]).toMatchObject({
      status: 503,
      error: { type: 'search_phase_execution_exception' },
    });
    expect(given).toEqual([]);
  });

  it.each([404, 500, 503])('fails with 503 when all shards fail with %d', async (status) => {
    const error = { type: 'search_phase_execution_exception', reason: 'all shards failed' };
    const url = await listen((end) => end(200, JSON.stringify({ responses: [{ status, error }] })));
    const client = createClient({ nodes: [url], caFile: undefined });
    clients.push(client);
    const engine = createEngine({ client, names: indexNames('ddp'), fresh: () => Promise.resolve() });
    const call = { organizationId: world.organizationId, deadline: performance.now() + 2000, from: null, to: null };
    await expect(engine.search(call, [{ size: 1 }])).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 });
  });

  it.each([
    ['too_many_buckets_exception', 503, 'too_many_buckets_exception'],
    ['too_many_nested_clauses', 400, 'illegal_argument_exception'],
    ['circuit_breaking_exception', 429, 'circuit_breaking_exception'],
  ])('returns the error of the exceeded limit: %s', async (type, status, shown) => {
    const error = {
      type: 'search_phase_execution_exception',
      reason: 'x',
      failed_shards: [{ reason: { type, reason: 'but was [70000]' } }],
    };
    const url = await listen((end) => end(200, JSON.stringify({ responses: [{ status: 400, error }] })));
    expect((await searchAt(url)()).responses[0]).toMatchObject({ status, error: { type: shown } });
  });

  it('returns words of the service when the engine refuses a query', async () => {
    const error = { type: 'illegal_argument_exception', reason: 'Field [n7] of type [double] is not supported' };
    const url = await listen((end) => end(200, JSON.stringify({ responses: [{ status: 400, error }] })));
    expect((await searchAt(url)()).responses[0]).toMatchObject({
      status: 400,
      error: { reason: 'The cluster that has the records refused this query' },
    });
  });
});
