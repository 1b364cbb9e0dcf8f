import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { TokenScope } from '#entities/enums.js';
import type { Client } from '../support/client.js';
import { useService } from '../support/service.js';
import { createTenant, type Tenant, withDatabase } from '../support/tenant.js';

const service = useService();
let tenant: Tenant;
let owner: Client;
let records: string;
let product: string;
let application: string;

beforeAll(async () => {
  tenant = await createTenant(service);
  owner = tenant.owner;
  records = `/organizations/${tenant.id}/records`;
  const variables = [
    { name: 'temperature', type: 'FLOAT32', mappings: [{ streamId: 1, streamType: 'BIN', varNumber: 1 }] },
    { name: 'humidity', type: 'UINT8', mappings: [{ streamId: 1, streamType: 'BIN', varNumber: 2 }] },
  ];
  const made = await owner.post<{ id: string }>(`/organizations/${tenant.id}/products`, {
    name: 'Probe',
    version: '1',
    variables,
  });
  product = made.body.id;
  application = (await owner.post<{ id: string }>(`/organizations/${tenant.id}/applications`, { name: 'Fleet' })).body
    .id;
  for (const serial of ['ab-cd', '0004a30b001c0530', '01-01-01-01-01-01-01-01', '001a2345']) {
    const { body: device } = await owner.post<{ id: string }>(`/organizations/${tenant.id}/devices/${serial}`, {
      product: { id: product, organizationId: tenant.id },
    });
    await link(device.id);
  }
});

interface IngestAnswer {
  accepted: number;
  duplicates: number;
  rejected: number;
  results: { index: number; status: string; recordId?: string; error?: { code: string } }[];
}

const ingest = (body: unknown, headers: Record<string, string> = {}) =>
  owner.request<IngestAnswer>('POST', records, { body, headers });

interface Stored {
  ts: number;
  metadata: Record<string, unknown>;
  data: Record<string, unknown>;
  frame: Record<string, unknown> | null;
}

const newest = (serial: string): Promise<Stored> =>
  withDatabase(service, async (db) => {
    const { rows } = await db.query<Stored>(
      `select extract(epoch from ts)::float8 as ts, r.metadata, r.data, r.frame from record r join device d on d.id = device_id
       where serial_key = $1 order by seq desc limit 1`,
      [serial],
    );
    return rows[0]!;
  });

interface Hit {
  _ignored?: string[];
  _source: { data: Record<string, unknown> };
}

/** Returns the newest records of the application that match a query. */
const search = async (query: object): Promise<Hit[]> => {
  const { body } = await owner.post<{ responses: [{ hits: { hits: Hit[] } }] }>(
    `/applications/${tenant.id}/${application}/search`,
    { ts: { gte: 1.5e9, lte: 4e9 }, queries: [{ products: [], query }] },
  );
  return body.responses[0].hits.hits;
};

const link = (device: string) => owner.put(`/applications/${tenant.id}/${application}/devices/${device}`);

describe('POST /organizations/:organizationId/records', () => {
  it('returns 200 for a single object, whether the record is stored or rejected', async () => {
    expect(await ingest({ serial: 'ABCD', data: { temperature: 21.5 } })).toMatchObject({
      status: 200,
      body: { accepted: 1, duplicates: 0, rejected: 0, results: [] },
    });
    expect(await ingest({ serial: 'ffff', data: {} })).toMatchObject({
      status: 200,
      body: {
        accepted: 0,
        rejected: 1,
        results: [{ index: 0, status: 'rejected', error: { code: 'UNKNOWN_DEVICE' } }],
      },
    });
  });

  it('stores the valid items of an array and reports the invalid ones', async () => {
    const { body } = await ingest([{ serial: 'ab-cd', data: {} }, 1, { serial: 'ab-cd', ts: 1, data: {} }]);
    expect(body).toMatchObject({ accepted: 1, rejected: 2 });
    expect(body.results.map(({ index, error }) => [index, error?.code])).toEqual([
      [1, 'VALIDATION_FAILED'],
      [2, 'TS_OUT_OF_RANGE'],
    ]);
  });

  it('accepts NDJSON, gzipped too, and rejects only the lines that are not JSON', async () => {
    const line = JSON.stringify({ serial: 'ab-cd', data: {} });
    const headers = { 'content-type': 'application/x-ndjson' };
    expect((await ingest(`${line}\n{\n${line}\n`, headers)).body).toMatchObject({
      accepted: 2,
      results: [{ index: 1, error: { code: 'MALFORMED_REQUEST' } }],
    });
    const zipped = await ingest(gzipSync(line), { ...headers, 'content-encoding': 'gzip' });
    expect(zipped.body).toMatchObject({ accepted: 1 });
  });

  it.each([3, 5000])('advises NDJSON or an array for %i lines of JSON that are sent as JSON', async (count) => {
    const { status, body } = await ingest('{"serial":"ab-cd","data":{}}\n'.repeat(count));
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({
        code: 'MALFORMED_REQUEST',
        message: expect.stringMatching(/line 2, column 1\)\. Send lines .*application\/x-ndjson", or .* one array\.$/),
      }),
    ]);
  });

  it.each([
    ['lines', (items: string[]) => items.join('\n'), { 'content-type': 'application/x-ndjson' }, 'NaN'],
    ['items of an array', (items: string[]) => `[${items.join()}]`, {}, '9'.repeat(401)],
  ])('rejects thousands of %s that cannot be read, and stores the others', async (_what, bodyOf, headers, value) => {
    const items = Array.from({ length: 5000 }, (_, index) => {
      const x = index % 1000 === 0 ? '1' : `[${value},${value}]`;
      return `{"serial":"ab-cd","data":{"x":${x}}}`;
    });
    const { status, body } = await ingest(bodyOf(items), headers);
    expect([status, body.accepted, body.rejected]).toEqual([200, 5, 4995]);
    expect(body.results[0]).toMatchObject({ index: 1, error: { code: 'MALFORMED_REQUEST' } });
  });

  it('lists stored and duplicate records with their identifiers when verbose=true', async () => {
    const { body } = await owner.post<IngestAnswer>(`${records}?verbose=true`, { serial: 'ab-cd', key: 'v', data: {} });
    expect(body.results).toEqual([{ index: 0, status: 'stored', recordId: expect.any(String) }]);
    const again = await owner.post<IngestAnswer>(`${records}?verbose=true`, { serial: 'ab-cd', key: 'v', data: {} });
    expect(again.body).toMatchObject({
      duplicates: 1,
      results: [{ status: 'duplicate', recordId: body.results[0]?.recordId }],
    });
  });

  it('counts the characters of a key, and rejects one of more than 200', async () => {
    const keys = ['😀'.repeat(200), '😀'.repeat(201), 'k'.repeat(401)];
    const { body } = await ingest(keys.map((key) => ({ serial: 'ab-cd', key, data: {} })));
    expect(body.results).toMatchObject([
      { index: 1, error: { code: 'VALIDATION_FAILED' } },
      { index: 2, error: { code: 'VALIDATION_FAILED' } },
    ]);
    expect(body.accepted).toBe(1);
  });

  it('returns the first answer for a repeated Idempotency-Key, and 422 for the key with another body', async () => {
    const headers = { 'idempotency-key': 'again' };
    const first = await ingest({ serial: 'ab-cd', key: 'i', data: {} }, headers);
    expect(first.body).toMatchObject({ accepted: 1 });
    expect((await ingest({ serial: 'ab-cd', key: 'i', data: {} }, headers)).body).toEqual(first.body);
    expect(await ingest({ serial: 'ab-cd', data: { a: 1 } }, headers)).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'Idempotency-Key' }] },
    });
  });

  it('keeps the exact digits of numbers that a double cannot hold', async () => {
    await ingest('{"serial":"ab-cd","data":{"big":9007199254740993,"huge":1e400,"small":0.1}}');
    expect((await newest('abcd')).data).toEqual({ big: '9007199254740993', huge: '1e400', small: 0.1 });
  });

  it('stores a negative zero as zero, from JSON and from a frame', async () => {
    const frame = { streamId: 1, streamType: 'BIN', payload: '0480000000' };
    await ingest([{ serial: 'ab-cd', data: { sent: 'zero' }, frame }]);
    await ingest('{"serial":"ab-cd","data":{"sent":"zero","temperature":-0,"other":-0.0}}');
    const found = await search({
      bool: { filter: [{ term: { 'data.sent': 'zero' } }, { term: { 'data.temperature': 0 } }] },
    });
    expect(found.map(({ _source }) => _source.data)).toEqual([
      { sent: 'zero', temperature: 0, other: 0 },
      { sent: 'zero', temperature: 0 },
    ]);
  });

  it('accepts a ts with more digits than a double holds, and rejects a ts sent as text', async () => {
    const times =
      '1.70000000000000000001e9 1700000000.25000000000000000001 "1700000000.250" "1700000000.25000000000000000001"';
    const items = times.split(' ').map((ts) => `{"serial":"ab-cd","ts":${ts},"data":{"ts":1.70000000000000000001e9}}`);
    const refused = [2, 3].map((index) => ({ index, status: 'rejected', error: { code: 'VALIDATION_FAILED' } }));
    const headers = { 'content-type': 'application/x-ndjson' };
    const answers = [await ingest(`[${items.join(',')}]`), await ingest(items.join('\n'), headers)];
    for (const { body } of answers) expect(body).toMatchObject({ accepted: 2, rejected: 2, results: refused });
    const { rows } = await withDatabase(service, (db) =>
      db.query<{ ts: number; data: unknown }>(
        `select extract(epoch from ts)::float8 as ts, data from record where organization_id = $1 and data ->> 'ts' is not null order by seq limit 2`,
        [tenant.id],
      ),
    );
    const data = { ts: '1.70000000000000000001e9' };
    expect(rows).toEqual([
      { ts: 1_700_000_000, data },
      { ts: 1_700_000_000.25, data },
    ]);
  });

  it('stores fields whose names are too long for the field catalogue', async () => {
    const long = randomBytes(6000).toString('base64');
    const parts = Array.from({ length: 50 }, () => randomBytes(60).toString('hex'));
    const nested = parts.reduceRight<object>((inner, key) => ({ [key]: inner }), { end: 1 });
    const data = { [long]: 1, nested, short: 2 };
    expect(await ingest({ serial: 'ab-cd', data })).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect((await newest('abcd')).data).toEqual(data);
    expect(await search({ term: { 'data.short': 2 } })).toHaveLength(1);
  });

  it('returns 413 for more than 10,000 items', async () => {
    const item = JSON.stringify({ serial: 'ab-cd', ts: 1, data: {} });
    const items = (count: number) => `[${Array.from({ length: count }, () => item).join(',')}]`;
    expect(await ingest(items(10_000))).toMatchObject({ status: 200, body: { rejected: 10_000 } });
    expect(await ingest(items(10_001))).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
  });

  it('accepts ingest tokens, and refuses read tokens, members and other organizations', async () => {
    const body = { serial: 'ab-cd', data: {} };
    const status = async (client: Client) => (await client.post(records, body)).status;
    expect(await status(await tenant.client({ scope: TokenScope.ingest }))).toBe(200);
    expect(await status(await tenant.client({ scope: TokenScope.read }))).toBe(403);
    expect(await status((await tenant.member()).client)).toBe(403);
    expect(await status((await createTenant(service)).owner)).toBe(404);
  });
});

describe('POST /organizations/:organizationId/ingest', () => {
  const fixture = (name: string) => readFileSync(`test/data/ingest/${name}.json`, 'utf8');
  const post = (path: string, body: unknown) => owner.post(`/organizations/${tenant.id}/ingest/${path}`, body);
  it.each([
    ['the-things-stack', 'the-things-stack-uplink', '0004a30b001c0530', { temperature: 1, luminosity: 0.64 }],
    ['chirpstack?event=up', 'chirpstack-up', '01-01-01-01-01-01-01-01', {}],
    ['sigfox', 'sigfox-data-bidir', '001a2345', {}],
    ['thingsboard/AB-CD', 'thingsboard-telemetry', 'ab-cd', { temperature: 42, active: true }],
  ])('stores a real payload sent to %s and makes it searchable', async (path, name, serial, data) => {
    expect(await post(path, fixture(name))).toMatchObject({ status: 204, body: undefined });
    const provider = path.replace(/[?/].*/, '');
    const [hit] = await search({ term: { 'metadata.provider': provider } });
    expect(hit?._source).toMatchObject({ data, metadata: { provider }, device: { serial } });
  });

  it('decodes the frame of an uplink, whose values win over fields that the network server decoded', async () => {
    const uplink = JSON.parse(fixture('chirpstack-up')) as object;
    const data = Buffer.from('0441AC00000D37', 'hex').toString('base64');
    await post('chirpstack', { ...uplink, deduplicationId: 'x', data, object: { temperature: 1, extra: true } });
    expect(await newest('0101010101010101')).toMatchObject({
      data: { temperature: 21.5, humidity: 55, extra: true },
      metadata: { decode: { status: 'ok' } },
      frame: { streamId: 1, streamType: 'BIN', payload: '0441ac00000d37' },
    });
  });

  it('returns 204 for a repeated uplink and for events that are not stored', async () => {
    expect((await post('the-things-stack', fixture('the-things-stack-uplink'))).status).toBe(204);
    expect((await post('the-things-stack', { downlink_ack: { f_port: 1 } })).status).toBe(204);
    expect((await post('chirpstack?event=join', { deviceInfo: {} })).status).toBe(204);
    // Property names that every JavaScript object inherits.
    expect((await post('chirpstack?event=valueOf', { deviceInfo: {} })).status).toBe(204);
    expect((await post('chirpstack?event=__proto__', { deviceInfo: {} })).status).toBe(204);
    expect((await post('sigfox', { device: '1A2345' })).status).toBe(204);
  });

  it('returns 422 with the field that lacks the serial, and 404 for an unknown device', async () => {
    expect(await post('sigfox', { data: 'aa' })).toMatchObject({ status: 422, body: { errors: [{ path: 'device' }] } });
    expect((await post('thingsboard/eeee', { t: 1 })).status).toBe(404);
    expect((await post('chirpstack', [])).status).toBe(400);
  });
});

describe('POST /products/:organizationId/:productId/decode', () => {
  const path = () => `/products/${tenant.id}/${product}`;

  it('explains a frame part by part', async () => {
    const { body } = await owner.post(`${path()}/decode`, {
      streamId: 1,
      streamType: 'BIN',
      payload: '0441AC0000 0D37 2D01',
    });
    expect(body).toEqual({
      streamType: 'BIN',
      status: 'partial',
      data: { temperature: 21.5, humidity: 55 },
      parts: [
        { offset: 0, bytes: '0441ac0000', variable: 'temperature', value: 21.5 },
        { offset: 5, bytes: '0d37', variable: 'humidity', value: 55 },
        { offset: 7, bytes: '2d01', variable: 6, warning: 'UNKNOWN_VARIABLE' },
      ],
      unusedMappings: [],
    });
  });

  it('accepts mapping numbers from 0, and lists the mappings that no frame can use', async () => {
    const mapped = (name: string, ...mappings: object[]) => ({ name, type: 'UINT8', mappings });
    const unused = [
      { streamId: 0, streamType: 'BIN', varNumber: 0 },
      { streamId: 0, streamType: 'BIN', varNumber: 33 },
      { streamId: 256, streamType: 'RAW', varNumber: 1 },
    ];
    const variables = [
      mapped('a', { streamId: 0, streamType: 'RAW', varNumber: 0 }, { streamId: 0, streamType: 'TXT', varNumber: 0 }),
      mapped('b', ...unused, { streamId: 0, streamType: 'RAW', varNumber: 2_147_483_647 }),
    ];
    const make = { name: 'From 0', version: '1', variables };
    const { body: product } = await owner.post<{ id: string }>(`/organizations/${tenant.id}/products`, make);
    const at = `/products/${tenant.id}/${product.id}`;
    expect((await owner.get(at)).body).toMatchObject({ variables });
    const decoded = async (streamType: string, payload: string, encoding = 'hex') =>
      (await owner.post(`${at}/decode`, { streamId: 0, streamType, payload, encoding })).body;
    const unusedMappings = unused.map((place) => ({ variable: 'b', ...place }));
    expect(await decoded('RAW', '0708')).toMatchObject({ status: 'ok', data: { a: 7, b: 8 }, unusedMappings });
    expect(await decoded('BIN', '0507')).toMatchObject({ status: 'failed', data: {} });
    await owner.post(`/organizations/${tenant.id}/devices/0f-f0`, { product: { id: product.id } });
    const frame = { streamId: 0, streamType: 'RAW', payload: '0708' };
    expect(await ingest([{ serial: '0FF0', frame }])).toMatchObject({ body: { accepted: 1 } });
    const tooLarge = [mapped('a', { streamId: 2_147_483_648, streamType: 'RAW', varNumber: -1 })];
    expect(await owner.put(at, { ...make, variables: tooLarge })).toMatchObject({ status: 422 });
  });

  it('redecodes stored frames as a job after the variables change, and marks values of an outdated type until then', async () => {
    const serial = 'dec0';
    const variable = (type: string, varNumber: number) => ({
      name: 'level',
      type,
      mappings: [{ streamId: 3, streamType: 'RAW', varNumber }],
    });
    const make = { name: 'Later', version: '1', variables: [variable('UINT8', 1)] };
    const { body: later } = await owner.post<{ id: string }>(`/organizations/${tenant.id}/products`, make);
    const { body: made } = await owner.post<{ id: string }>(`/organizations/${tenant.id}/devices/${serial}`, {
      product: { id: later.id },
    });
    await link(made.id);
    const ignored = async () =>
      (await search({ term: { 'device.serial': serial } })).map(({ _ignored }) => _ignored ?? []);
    const frame = { streamId: 3, streamType: 'RAW', payload: '0102' };
    await ingest([
      { serial, frame },
      { serial, data: { level: '7' } },
    ]);
    const path = `/products/${tenant.id}/${later.id}`;
    expect(await ignored()).toEqual([[], []]);
    await owner.put(path, { ...make, variables: [variable('UINT16', 1)] });
    expect(await ignored()).toEqual([['data.level'], ['data.level']]);
    const redecode = async (body: object) => {
      const asked = await owner.post<{ id: string; state: string }>(`${path}/redecode`, body);
      expect(asked).toMatchObject({ status: 200, body: { kind: 'redecode' } });
      for (;;) {
        const { body: job } = await owner.get<{ state: string }>(`/organizations/${tenant.id}/jobs/${asked.body.id}`);
        if (job.state === 'done' || job.state === 'failed') return job;
      }
    };
    expect(await redecode({ dryRun: true })).toMatchObject({ state: 'done', done: 2, total: 2, changed: 2 });
    expect(await redecode({ from: 0, to: 1 })).toMatchObject({ state: 'done', done: 0, total: 0, changed: 0 });
    expect(await redecode({})).toMatchObject({ state: 'done', done: 2, changed: 2 });
    expect(await ignored()).toEqual([[], []]);
    expect(await redecode({})).toMatchObject({ state: 'done', done: 2, changed: 0 });
    const { body } = await owner.get(`/organizations/${tenant.id}/devices?q=${serial}`);
    const [device] = body as { id: string }[];
    expect((await owner.get(`/devices/${tenant.id}/${device?.id}/latest`)).body).toMatchObject({
      serial,
      values: [{ name: 'level', value: expect.any(Number) }],
    });
    const found = await search({ term: { 'device.serial': serial } });
    expect(found.map(({ _source: { data } }) => data['level']).toSorted()).toEqual([258, '7']);
  });

  it('returns 403 to members and 404 to owners who cannot read the product', async () => {
    const body = { streamId: 1, streamType: 'BIN', payload: '' };
    expect((await (await tenant.member()).client.post(`${path()}/decode`, body)).status).toBe(403);
    expect((await (await createTenant(service)).owner.post(`${path()}/decode`, body)).status).toBe(404);
  });
});

describe('GET /applications/:organizationId/:applicationId/latest', () => {
  it('returns the latest values of each device of the application', async () => {
    const { body: application } = await owner.post<{ id: string }>(`/organizations/${tenant.id}/applications`, {
      name: 'Latest',
    });
    const { body: device } = await owner.post<{ id: string }>(`/organizations/${tenant.id}/devices/1a7e57`, {});
    await owner.put(`/applications/${tenant.id}/${application.id}/devices/${device.id}`);
    await ingest({ deviceId: device.id, ts: 1700000000.5, data: { a: 1, b: 'x' } });
    expect(await owner.get(`/applications/${tenant.id}/${application.id}/latest`)).toMatchObject({
      status: 200,
      body: [
        {
          deviceId: device.id,
          serial: '1a7e57',
          values: [
            { name: 'a', ts: 1700000000.5, value: 1 },
            { name: 'b', ts: 1700000000.5, value: 'x' },
          ],
        },
      ],
    });
  });
});
