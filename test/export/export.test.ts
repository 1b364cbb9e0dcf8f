import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { TokenScope } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

type Line = Record<string, any>;

/** Milliseconds by which the service's clock is ahead. */
let ahead = 0;
const world = useWorld({ clock: () => Date.now() + ahead });
let owner: AccountActor;
let application: string;
let base: string;
let product: string;
const devices: string[] = [];

const serials = ['0a', '0b', '0c'];
/** The moment when clocks go back in Berlin (2026-10-25T01:00:00Z). */
const change = Date.UTC(2026, 9, 25, 1) / 1000;

const exportOf = (parameters: Record<string, string> = {}) =>
  owner.get<string>(`${application}/export?${new URLSearchParams(parameters)}`);
const linesOf = (text: string | undefined): Line[] =>
  (text ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const rowsOf = (text: string): Line[] => parse(text, { columns: true, record_delimiter: '\r\n' });
const post = async (records: object[]) => {
  for (let at = 0; at < records.length; at += 5000) {
    const answer = await owner.post<{ accepted: number }>(
      `/organizations/${owner.id}/records`,
      records.slice(at, at + 5000),
    );
    expect(answer.body.accepted).toBe(Math.min(5000, records.length - at));
  }
};

/** Creates an application with its own device. */
const another = async (serial: string, productId?: string) => {
  const id = await owner.make(`/organizations/${owner.id}/applications`, { name: serial });
  const device = await owner.make(
    `/organizations/${owner.id}/devices/${serial}`,
    productId ? { product: { id: productId } } : {},
  );
  await owner.put(`/applications/${owner.id}/${id}/devices/${device}`);
  return { path: `/applications/${owner.id}/${id}`, device };
};

beforeAll(async () => {
  owner = await world.organization();
  product = await owner.make(`/organizations/${owner.id}/products`, {
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
  base = `${world.url}/ddp/v1${application}/export`;
  for (const serial of serials) {
    const device = await owner.make(`/organizations/${owner.id}/devices/${serial}`, {
      name: `=Pump ${serial}`,
      tags: ['north', 'wet'],
      product: { id: product },
      location: { lat: 1.5, lon: -2 },
    });
    devices.push(device);
    await owner.put(`${application}/devices/${device}`);
  }
  await post([
    { serial: '0a', ts: change - 1800, data: { temperature: -21.5, label: '=cmd|"/c calc"!A1', open: true, count: 7 } },
    {
      serial: '0b',
      ts: change + 1800.000123,
      data: { temperature: 3, label: '+49 "x", y\nz' },
      metadata: { rssi: -90 },
    },
    { serial: '0c', ts: change + 7200, data: { label: '-12.50', count: '9007199254740993' } },
  ]);
});

describe('record export as CSV', () => {
  it('has the columns of the products, oldest records first, and numbers as numbers', async () => {
    const { status, headers, body } = await exportOf();
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="records.csv"');
    expect(body.split('\r\n', 1)[0]).toBe(
      'id,ts,device.id,device.serial,device.name,data.temperature,data.label,data.open,data.count',
    );
    const rows = rowsOf(body);
    expect(rows.map((row) => [row['device.serial'], row['ts'], row['data.temperature'], row['data.open']])).toEqual([
      ['0a', '2026-10-25T00:30:00.000Z', '-21.5', 'true'],
      ['0b', '2026-10-25T01:30:00.000123Z', '3', ''],
      ['0c', '2026-10-25T03:00:00.000Z', '', ''],
    ]);
    expect(rows.map((row) => row['data.count'])).toEqual(['7', '', '9007199254740993']);
  });

  it('escapes texts that a spreadsheet would run as formulas, and leaves numbers unchanged', async () => {
    const rows = rowsOf((await exportOf()).body);
    expect(rows.map((row) => row['data.label'])).toEqual([`'=cmd|"/c calc"!A1`, `'+49 "x", y\nz`, '-12.50']);
    expect(rows.map((row) => row['device.name'])).toEqual(["'=Pump 0a", "'=Pump 0b", "'=Pump 0c"]);
  });

  it('writes times in the given zone, so that the two hours of a clock change differ', async () => {
    const { body } = await exportOf({ timeZone: 'Europe/Berlin', columns: 'ts' });
    expect(rowsOf(body).map(({ ts }) => ts)).toEqual([
      '2026-10-25T02:30:00.000+02:00',
      '2026-10-25T02:30:00.000123+01:00',
      '2026-10-25T04:00:00.000+01:00',
    ]);
    expect(rowsOf((await exportOf({ timeZone: '-03:30', columns: 'ts' })).body)[0]).toEqual({
      ts: '2026-10-24T21:00:00.000-03:30',
    });
  });

  it('has the chosen columns, with objects as JSON', async () => {
    const { body } = await exportOf({ columns: 'device.serial,metadata,metadata.rssi,device.tags,data.nothing' });
    expect(rowsOf(body)[1]).toEqual({
      'device.serial': '0b',
      metadata: '{"rssi":-90}',
      'metadata.rssi': '-90',
      'device.tags': '["north","wet"]',
      'data.nothing': '',
    });
  });

  it('contains only records of the given query, products and time range', async () => {
    const serialsOf = async (parameters: Record<string, string>) =>
      rowsOf((await exportOf(parameters)).body).map((row) => row['device.serial']);
    expect(await serialsOf({ query: '{"range":{"data.temperature":{"gt":0}}}' })).toEqual(['0b']);
    expect(await serialsOf({ from: `${change}`, to: `${change + 1800.000123}` })).toEqual(['0b']);
    expect(await serialsOf({ from: `${change * 1000}` })).toEqual(['0b', '0c']);
    expect(await serialsOf({ products: product })).toEqual(['0a', '0b', '0c']);
    expect(await serialsOf({ products: devices[0]! })).toEqual([]);
  });

  it('consists of the header line when there are no records', async () => {
    const { body } = await exportOf({ to: '1', columns: 'ts,id' });
    expect(body).toBe('ts,id\r\n');
  });
});

describe('record export as NDJSON', () => {
  it('has each record as a search returns it, with its identifier', async () => {
    const { headers, body } = await exportOf({ format: 'ndjson' });
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    const [first, second] = linesOf(body);
    expect(first).toMatchObject({
      ts: change - 1800,
      data: { temperature: -21.5, open: true },
      device: { serial: '0a' },
    });
    expect(second).toMatchObject({ ts: change + 1800.000123, metadata: { rssi: -90 } });
    expect(Object.keys(first!).sort()).toEqual(['data', 'device', 'id', 'metadata', 'ts']);
  });

  it('has the chosen columns by path, and times in the given zone', async () => {
    const { body } = await exportOf({ format: 'ndjson', columns: 'ts,data.label', timeZone: 'Europe/Berlin' });
    expect(linesOf(body)[0]).toEqual({ ts: '2026-10-25T02:30:00.000+02:00', 'data.label': '=cmd|"/c calc"!A1' });
    expect(linesOf((await exportOf({ format: 'ndjson', timeZone: 'Europe/Berlin' })).body)[0]!['ts']).toBe(
      '2026-10-25T02:30:00.000+02:00',
    );
  });
});

describe('large record export', () => {
  const count = 12_000;
  let large: { path: string; device: string };
  beforeAll(async () => {
    large = await another('1a', product);
    // Many records at one instant, a gap of years, and one record a minute.
    await post(
      Array.from({ length: count }, (_, index) => ({
        serial: '1a',
        ts: index < 3000 ? 1_500_000_000 : 1_700_000_000 + index * 60,
        data: { count: index },
      })),
    );
  });
  const read = async (parameters: Record<string, string>) =>
    rowsOf((await owner.get<string>(`${large.path}/export?${new URLSearchParams(parameters)}`)).body);
  const counts = (rows: Line[]) => rows.map((row) => Number(row['data.count']));
  const everyOne = Array.from({ length: count }, (_, index) => index);

  it('contains each record once, ordered by time', async () => {
    const rows = await read({ columns: 'ts,data.count' });
    expect(counts(rows)).toEqual(everyOne);
  });

  it('contains each record present at its start once, while others are stored', async () => {
    const response = await fetch(`${world.url}/ddp/v1${large.path}/export?columns=data.count`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    const late = Array.from({ length: 50 }, (_, index) => ({
      serial: '1a',
      ts: [1_500_000_000, 1_600_000_000, 1_700_500_000][index % 3],
      data: { count: count + index },
    }));
    const reader = response.body!.getReader();
    const first = await reader.read();
    await post(late);
    const chunks = [first.value!];
    for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value);
    expect(counts(rowsOf(Buffer.concat(chunks).toString()))).toEqual(everyOne);
  });

  it('resumes after the cursor of any row with the same records', async () => {
    const rows = await read({ columns: 'data.count,cursor', to: '1700500000' });
    for (const at of [0, 1500, 2999, 3000, rows.length - 2]) {
      const after = rows[at]!['cursor'];
      const { body } = await owner.get<string>(
        `${large.path}/export?${new URLSearchParams({ columns: 'data.count', to: '1700500000', after })}`,
      );
      expect(body.split('\r\n').slice(0, -1)).toEqual(rows.slice(at + 1).map((row) => row['data.count']));
    }
  });

  it('stops when the client goes away, and frees its slot', async () => {
    for (let times = 0; times < 5; times++) {
      const left = new AbortController();
      const response = await fetch(`${world.url}/ddp/v1${large.path}/export?format=ndjson`, {
        headers: { authorization: `Bearer ${owner.token}` },
        signal: left.signal,
      });
      await response.body!.getReader().read();
      left.abort();
    }
    expect(counts(await read({ columns: 'data.count', to: '1600000000' })).length).toBeGreaterThanOrEqual(3000);
  });
});

describe('slowly read export', () => {
  let big: { path: string; device: string };
  const token = () => world.bearer({ organizationId: owner.id });
  beforeAll(async () => {
    big = await another('2a');
    const text = 'x'.repeat(2000);
    for (let part = 0; part < 4; part++)
      await post(
        Array.from({ length: 3000 }, (_, index) => ({
          serial: '2a',
          ts: 1_600_000_000 + part * 3000 + index,
          data: { text },
        })),
      );
  });

  it('delays no other request, except a third export, which waits until one of two has ended', async () => {
    const { port } = new URL(world.url);
    const open = () => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      socket.write(
        `GET /ddp/v1${big.path}/export?format=ndjson HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`,
      );
      return socket;
    };
    const sockets = [open(), open()];
    for (const socket of sockets) await once(socket, 'readable');
    let isOver = false;
    const third = exportOf().finally(() => (isOver = true));
    expect((await owner.get('/account')).status).toBe(200);
    expect((await (await world.organization()).get('/account')).status).toBe(200);
    expect(isOver).toBe(false);
    sockets[0]!.destroy();
    expect((await third).status).toBe(200);
    sockets[1]!.destroy();
  });

  it.each([
    ['within a minute', 60_000],
    ['even when the clock is stepped back by an hour', -3_600_000],
  ])('stops when its token is revoked, %s', async (_, step) => {
    const bearer = await token();
    const response = await fetch(`${world.url}/ddp/v1${big.path}/export?format=ndjson`, {
      headers: { authorization: `Bearer ${bearer.token}` },
    });
    const reader = response.body!.getReader();
    await reader.read();
    await world.pool.query('update api_token set revoked_at = now() where prefix = $1', [bearer.token!.slice(0, 8)]);
    ahead += step;
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow('terminated');
  });
});

describe('invalid or forbidden export', () => {
  it.each([
    [{ format: 'xlsx' }, 'format'],
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ columns: 'ts,secret' }, 'columns.1'],
    [{ query: '{"term":' }, 'query'],
    [{ query: '{"nonsense":{}}' }, 'query'],
    [{ after: 'abc' }, 'after'],
    [{ format: 'parquet', timeZone: 'UTC' }, 'timeZone'],
    [{ aggs: '{}' }, 'aggs'],
    [{ state: 'failed' }, 'state'],
    [{ of: 'aggregations' }, 'aggs'],
    [{ of: 'aggregations', aggs: '{"a":{"nonsense":{}}}' }, 'aggs'],
    [{ of: 'devices', query: '{}' }, 'query'],
    [{ of: 'devices', columns: 'data.x' }, 'columns.0'],
    [{ colums: 'ts' }, 'colums'],
  ])('returns 422 with the parameter for %j', async (parameters, path) => {
    const answer = await owner.get<any>(
      `${application}/export?${new URLSearchParams(parameters as Record<string, string>)}`,
    );
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, path]);
  });

  it('returns 422 for a cursor of another export', async () => {
    const [row] = rowsOf((await exportOf({ columns: 'cursor' })).body);
    const answer = await owner.get(`${application}/export?from=5&after=${row!['cursor']}`);
    expect(answer.status).toBe(422);
  });

  it('returns 404 to other organizations, and 403 to ingest tokens', async () => {
    const other = await world.organization();
    expect((await other.get(`${application}/export`)).status).toBe(404);
    const ingest = await world.bearer({ organizationId: owner.id, scope: TokenScope.ingest });
    expect((await ingest.get(`${application}/export`)).status).toBe(403);
  });
});

describe('HEAD of an export', () => {
  it('returns the headers only', async () => {
    const response = await fetch(base, { method: 'HEAD', headers: { authorization: `Bearer ${owner.token}` } });
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/csv; charset=utf-8',
      '',
    ]);
  });
});

describe('answer of an export', () => {
  it('contains nosniff and a file name, so that browsers do not guess another type', async () => {
    const { headers } = await exportOf();
    expect([headers.get('x-content-type-options'), headers.get('content-disposition')]).toEqual([
      'nosniff',
      'attachment; filename="records.csv"',
    ]);
  });
});

describe('applicationExport', () => {
  it('returns the address of an export with the given parameters', async () => {
    const [, organizationId, applicationId] = application.slice(1).split('/');
    const { body } = await owner.graph(
      `query ($o: ID!, $a: ID!, $q: LocatedJSON) {
        applicationExport(organizationId: $o, applicationId: $a, format: ndjson, columns: ["device.serial"], query: $q) { url } }`,
      { o: organizationId, a: applicationId, q: { term: { 'device.serial': '0b' } } },
    );
    const response = await fetch(body.data!['applicationExport'].url, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    expect(linesOf(await response.text())).toEqual([{ 'device.serial': '0b' }]);
  });
});
