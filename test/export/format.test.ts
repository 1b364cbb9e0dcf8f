import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

type Line = Record<string, any>;

const world = useWorld();
let owner: AccountActor;
let application: string;
let hook: string;
const start = 1_700_000_000;

const at = (parameters: Record<string, string>) => `${application}/export?${new URLSearchParams(parameters)}`;
const text = async (parameters: Record<string, string>) => (await owner.get<string>(at(parameters))).body;
const rows = async (parameters: Record<string, string>): Promise<Line[]> =>
  parse(await text(parameters), { columns: true, record_delimiter: '\r\n' });
const lines = async (parameters: Record<string, string>): Promise<Line[]> =>
  (await text({ ...parameters, format: 'ndjson' }))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const parquet = async (parameters: Record<string, string> = {}) => {
  const response = await fetch(`${world.url}/ddp/v1${at({ ...parameters, format: 'parquet' })}`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/vnd.apache.parquet']);
  const file = await response.arrayBuffer();
  return { metadata: parquetMetadata(file), found: await parquetReadObjects({ file, useOffsetIndex: false }) };
};

beforeAll(async () => {
  owner = await world.organization();
  const product = await owner.make(`/organizations/${owner.id}/products`, {
    name: 'Sensor',
    version: '1',
    variables: [
      { name: 'temperature', type: 'FLOAT32' },
      { name: 'label', type: 'TXT' },
      { name: 'open', type: 'BOOL' },
      { name: 'count', type: 'INT64' },
    ],
  });
  const id = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Field' });
  application = `/applications/${owner.id}/${id}`;
  for (const [serial, tags] of [
    ['0a', ['north']],
    ['0b', []],
    ['0c', ['south']],
  ] as const) {
    const device = await owner.make(`/organizations/${owner.id}/devices/${serial}`, {
      name: `Pump ${serial}`,
      tags,
      ...(serial !== '0c' && { product: { id: product }, location: { lat: 1.5, lon: -2 } }),
    });
    await owner.put(`${application}/devices/${device}`);
  }
  await owner.post(
    `/organizations/${owner.id}/records`,
    Array.from({ length: 24 }, (_, index) => ({
      serial: index % 2 === 0 ? '0a' : '0b',
      ts: start + index * 600 + 0.000001,
      data: {
        temperature: index / 2,
        label: `=${index}`,
        open: index % 3 === 0,
        count: index === 0 ? '9007199254740993' : index,
      },
    })),
  );
  await owner.post(`/organizations/${owner.id}/records`, [
    { serial: '0c', ts: start + 20_000, data: { temperature: 'warm', count: 1.5, label: { a: [1] }, open: 'yes' } },
  ]);
  hook = await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/', disabled: true });
  for (let times = 0; times < 3; times++) await owner.post(`${application}/hooks/${hook}/ping`);
});

describe('record export as Parquet', () => {
  it('has typed columns that another reader reads back', async () => {
    const { found, metadata } = await parquet();
    expect(Number(metadata.num_rows)).toBe(25);
    expect(found[0]).toMatchObject({
      ts: expect.any(Date),
      'device.serial': '0a',
      'data.temperature': 0,
      'data.label': '=0',
      'data.open': true,
      'data.count': 9007199254740993n,
    });
    expect(found.map((row) => (row['ts'] as Date).getTime())).toEqual([
      ...Array.from({ length: 24 }, (_, index) => (start + index * 600) * 1000),
      (start + 20_000) * 1000,
    ]);
    expect(found.slice(1, 24).map((row) => Number(row['data.count']))).toEqual(
      Array.from({ length: 23 }, (_, index) => index + 1),
    );
  });

  it('has null for a value that does not fit its column, and the value under data', async () => {
    const { found } = await parquet({
      columns: 'data.temperature,data.count,data.open,data.label,data',
      from: `${start + 20_000}`,
    });
    const [{ data, ...others }] = found as [Line];
    expect(others).toEqual({
      'data.temperature': null,
      'data.count': null,
      'data.open': null,
      'data.label': null,
    });
    expect(JSON.parse(data)).toEqual({ temperature: 'warm', count: 1.5, label: { a: [1] }, open: 'yes' });
  });

  it('creates a valid file when there are no records', async () => {
    const { found, metadata } = await parquet({ to: '1' });
    expect([found, Number(metadata.num_rows)]).toEqual([[], 0]);
  });

  it('contains devices and deliveries too', async () => {
    expect((await parquet({ of: 'devices' })).found).toMatchObject([
      { serial: '0a', tags: '["north"]', 'location.lat': 1.5, createdAt: expect.any(Date) },
      { serial: '0b', tags: '[]' },
      { serial: '0c', 'location.lat': null },
    ]);
    expect((await parquet({ of: 'deliveries' })).found.map((row) => row['successful'])).toEqual([false, false, false]);
  });
});

describe('export of aggregations', () => {
  it('has a row for each innermost bucket, with the keys of the outer ones', async () => {
    const aggs = {
      device: {
        terms: { field: 'device.serial', order: { _key: 'asc' } },
        aggs: {
          open: { terms: { field: 'data.open' }, aggs: { warmth: { stats: { field: 'data.temperature' } } } },
          most: { max: { field: 'data.temperature' } },
        },
      },
    };
    const found = await rows({ of: 'aggregations', aggs: JSON.stringify(aggs), to: `${start + 14_400}` });
    expect(found).toHaveLength(4);
    expect(found[0]).toEqual({
      device: '0a',
      'device.doc_count': '12',
      most: '11',
      open: 'false',
      'open.doc_count': '8',
      'warmth.count': '8',
      'warmth.min': '1',
      'warmth.max': '11',
      'warmth.avg': '6',
      'warmth.sum': '48',
    });
  });

  it('writes times as the aggregation does, in its zone', async () => {
    const aggs = { hour: { date_histogram: { field: 'ts', fixed_interval: '2h', time_zone: '+01:00' } } };
    const found = await lines({
      of: 'aggregations',
      aggs: JSON.stringify(aggs),
      query: '{"term":{"device.serial":"0a"}}',
    });
    expect(found).toEqual([
      { hour: '2023-11-14T22:00:00.000+01:00', 'hour.doc_count': 3 },
      { hour: '2023-11-15T00:00:00.000+01:00', 'hour.doc_count': 6 },
      { hour: '2023-11-15T02:00:00.000+01:00', 'hour.doc_count': 3 },
    ]);
  });

  it('has a column for each source of a composite, and one row when there are only metrics', async () => {
    const aggs = {
      by: {
        composite: { sources: [{ d: { terms: { field: 'device.id' } } }, { o: { terms: { field: 'data.open' } } }] },
      },
    };
    const found = await lines({ of: 'aggregations', aggs: JSON.stringify(aggs) });
    expect(Object.keys(found[0]!)).toEqual(['by.d', 'by.o', 'by.doc_count']);
    expect(await lines({ of: 'aggregations', aggs: '{"most":{"max":{"field":"data.temperature"}}}' })).toEqual([
      { most: 11.5 },
    ]);
  });
});

describe('device export of an application', () => {
  it("contains the application's devices in order of creation", async () => {
    const found = await rows({
      of: 'devices',
      columns: 'serial,name,tags,product.id,location.lat,createdAt',
      timeZone: '+02:00',
    });
    expect(found.map(({ serial, name, tags }) => [serial, name, tags])).toEqual([
      ['0a', 'Pump 0a', '["north"]'],
      ['0b', 'Pump 0b', '[]'],
      ['0c', 'Pump 0c', '["south"]'],
    ]);
    expect(found.map((row) => row['location.lat'])).toEqual(['1.5', '1.5', '']);
    expect(found[0]!['createdAt']).toMatch(/^2\d{3}-.*\+02:00$/);
  });

  it('resumes after a cursor', async () => {
    const all = await rows({ of: 'devices', columns: 'serial,cursor' });
    expect(await text({ of: 'devices', columns: 'serial', after: all[0]!['cursor'] })).toBe('0b\r\n0c\r\n');
    expect((await owner.get(at({ of: 'deliveries', after: all[0]!['cursor'] }))).status).toBe(422);
  });

  it('contains whole devices as NDJSON', async () => {
    const [first] = await lines({ of: 'devices' });
    expect(first).toMatchObject({
      serial: '0a',
      tags: ['north'],
      location: { lat: 1.5, lon: -2 },
      applicationCount: 1,
    });
    expect(Object.keys(first!)).not.toEqual(expect.arrayContaining(['productId', 'lat', 'cursor']));
  });
});

describe('delivery export of an application', () => {
  it('contains the deliveries of all hooks, or of one hook in a given state', async () => {
    const found = await rows({ of: 'deliveries' });
    expect(found.map((row) => [row['applicationHookId'], row['successful'], row['attemptsMade']])).toEqual(
      Array.from({ length: 3 }, () => [hook, 'false', '1']),
    );
    const count = async (parameters: Record<string, string>) =>
      (await rows({ of: 'deliveries', ...parameters })).length;
    expect(await count({ applicationHookId: hook, state: 'failed' })).toBe(3);
    expect(await count({ state: 'succeeded' })).toBe(0);
    expect(await count({ applicationHookId: 'none' })).toBe(0);
    expect(await count({ to: '1600000000' })).toBe(0);
  });

  it('returns 403 to members who may only read the application', async () => {
    const member = await world.member(owner, Role.member);
    const team = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Readers' });
    await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${team}${application.replace(`/${owner.id}`, '')}`, { permission: 'read' });
    expect((await member.get(at({ of: 'devices' }))).status).toBe(200);
    expect((await member.get(at({ of: 'deliveries' }))).status).toBe(403);
  });
});
