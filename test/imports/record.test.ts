import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { fine, type Receiver, startReceiver } from '../hooks/receiver.js';
import { useService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';
import { counts, importing } from './imported.js';

const service = useService();

const ndjson = { 'content-type': 'application/x-ndjson' };
const parquet = { 'content-type': 'application/vnd.apache.parquet' };

interface SearchAnswer {
  responses: {
    hits: { total: { value: number }; hits: { _source: { ts: number; data: object; metadata: object } }[] };
    aggregations?: { by: { buckets: { doc_count: number; mean: { value: number } }[] } };
  }[];
}

describe('record import', () => {
  let tenant: Tenant;
  let files: ReturnType<typeof importing>;
  let applicationId: string;
  let receiver: Receiver;
  const make = async (path: string, body: object = {}) => (await tenant.owner.post<{ id: string }>(path, body)).body.id;
  const search = async (query: object, ts = { gte: 1_600_000_000, lte: 1_800_000_000 }) =>
    (
      await tenant.owner.post<SearchAnswer>(`/applications/${tenant.id}/${applicationId}/search`, {
        ts,
        queries: [{ products: [], size: 100, sort: [{ ts: 'asc' }], ...query }],
      })
    ).body.responses[0]!;
  const of = (serial: string) => ({ query: { term: { 'device.serial': serial } } });
  const device = async (serial: string, productId?: string) => {
    const body = productId === undefined ? {} : { product: { id: productId } };
    const id = await make(`/organizations/${tenant.id}/devices/${serial}`, body);
    await tenant.owner.put(`/applications/${tenant.id}/${applicationId}/devices/${id}`);
    return id;
  };

  beforeAll(async () => {
    tenant = await createTenant(service);
    files = importing(tenant);
    applicationId = await make(`/organizations/${tenant.id}/applications`, { name: 'History' });
    receiver = await startReceiver(fine);
    await make(`/applications/${tenant.id}/${applicationId}/hooks`, { url: receiver.url('/records') });
  });
  afterAll(() => receiver.close());

  it.each([
    ['PostgreSQL', 'serial,ts,level,open\nF1,2024-05-01 12:00:00.5+00,1,true\nF1,2024-05-01 14:00:00+02,2,false\n'],
    [
      'BigQuery',
      'serial,ts,level,open\nF2,2024-05-01 12:00:00.500000 UTC,1,true\nF2,2024-05-01 12:00:00 UTC,2,false\n',
    ],
    [
      'pandas',
      ',serial,ts,level,open\n0,F3,2024-05-01 12:00:00.5+00:00,1,True\n1,F3,2024-05-01 12:00:00+00:00,2,False\n',
    ],
    ['a spreadsheet', 'serial,ts,level,open\nF4,1714564800.5,1,TRUE\n,,,\nF4,1714564800,2,FALSE\n,,,\n'],
  ])('reads history as %s writes it', async (_, file) => {
    const serial = /F\d/.exec(file)![0];
    await device(serial);
    const done = counts(await files.whole('/records?dryRun=false', file));
    expect(done).toMatchObject({ lines: 2, created: 2, rejected: 0, faultCount: 0 });
    expect((await search(of(serial))).hits.hits.map(({ _source: { ts, data } }) => ({ ts, data }))).toEqual([
      { ts: 1714564800, data: { level: 2, open: false } },
      { ts: 1714564800.5, data: { level: 1, open: true } },
    ]);
  });

  it('matches device serials regardless of case and dashes', async () => {
    await device('C5-0A-1B');
    const file = ['serial,ts,level', 'c50a1b,1700000001,1', 'C50A-1B,1700000002,2', 'c5-0a-1b,1700000003,3'].join('\n');
    expect(counts(await files.whole('/records?dryRun=false', file))).toMatchObject({
      lines: 3,
      created: 3,
      rejected: 0,
    });
    expect((await search(of('c50A1B'))).hits.total.value).toBe(3);
  });

  it('checks a CSV file, stores each record once however often it is sent, and makes it searchable', async () => {
    const at = `/organizations/${tenant.id}/products`;
    const variables = [
      { name: 'temperature', type: 'FLOAT32' },
      { name: 'code', type: 'TXT' },
    ];
    const productId = await make(at, { name: 'Thermometer', version: '1', variables });
    await device('a1-01', productId);
    const file = [
      'serial;ts;temperature;code;metadata.rssi;place.floor',
      'a101;2024-05-01T12:00:00Z;21.5;0042;-90;3',
      'A1-01;1714568400.25;22;42;;',
      'a1-01;2024-05-01T17:00:00+02:00;"22,5";;;',
      'a1-01;01.05.2024;23;;;',
      'a1-02;1714568400;23;;;',
      'a1-01;946000000;23;;;',
    ].join('\n');
    const checked = await files.whole('/records', file);
    expect(counts(checked)).toEqual({ lines: 6, created: 3, updated: 0, unchanged: 0, rejected: 3, faultCount: 3 });
    expect(checked.faults.map(({ line, column, field }) => [line, column, field])).toEqual([
      [5, 2, 'ts'],
      [6, 1, 'serial'],
      [7, 2, 'ts'],
    ]);
    expect((await search(of('a1-01'))).hits.total.value).toBe(0);
    expect(counts(await files.apply(checked.id))).toEqual(counts(checked));
    const found = await search({
      ...of('a1-01'),
      aggs: {
        by: {
          date_histogram: { field: 'ts', fixed_interval: '1d' },
          aggs: { mean: { avg: { field: 'data.temperature' } } },
        },
      },
    });
    expect(found.hits.hits.map(({ _source: { ts, data, metadata } }) => [ts, data, metadata])).toEqual([
      [1_714_564_800, { temperature: 21.5, code: '0042', place: { floor: 3 } }, { rssi: -90 }],
      [1_714_568_400.25, { temperature: 22, code: '42' }, {}],
      [1_714_575_600, { temperature: 22.5 }, {}],
    ]);
    expect(found.aggregations!.by.buckets).toMatchObject([{ doc_count: 3, mean: { value: 22 } }]);
    const again = await files.whole('/records?dryRun=false', `${file}\na1-01;1714575600;24;;;`);
    expect(counts(again)).toMatchObject({ lines: 7, created: 1, unchanged: 3, rejected: 3 });
    expect((await search(of('a1-01'))).hits.total.value).toBe(4);
  }, 60_000);

  it('reads decimal commas only if semicolons separate the cells', async () => {
    await device('a8-01');
    const rows = [
      ['1714568400,25', '"22,5"', '22,5', '-0,5', '1,5E+02', '+007,25', 'a8,01'],
      ['1714568401', '22.5', '1', '', '', '', ''],
    ];
    const header = ['ts', 'a', 'b', 'c', 'd', 'e', 'metadata.f'];
    const fileOf = (separator: string, lines: string[][]) =>
      [['serial', ...header], ...lines.map((cells) => ['a8-01', ...cells])]
        .map((cells) => cells.join(separator))
        .join('\n');
    const done = counts(await files.whole('/records?dryRun=false', fileOf(';', rows)));
    expect(done).toMatchObject({ created: 2, rejected: 0 });
    expect(
      (await search(of('a8-01'))).hits.hits.map(({ _source: { ts, data, metadata } }) => [ts, data, metadata]),
    ).toEqual([
      [1_714_568_400.25, { a: 22.5, b: 22.5, c: -0.5, d: 150, e: 7.25 }, { f: 'a8,01' }],
      [1_714_568_401, { a: 22.5, b: 1 }, {}],
    ]);
    for (const separator of [',', '\t']) {
      const { faults } = await files.whole(
        '/records',
        fileOf(separator, [['1714568400', '"22,5"', '', '', '', '', '']]),
      );
      expect(faults).toEqual([{ line: 2, column: 3, field: 'a', message: '22,5 has a decimal comma: write 22.5' }]);
    }
  });

  it.each([
    ['1.234,5', '1234.5'],
    ['-1.234.567,25', '-1234567.25'],
    ['1 234,5', '1234.5'],
    ['1\u202F234,5', '1234.5'],
    ["1'234.5", '1234.5'],
    ['1,234.5', '1234.5'],
  ])('refuses separators of thousands, as in %s', async (text, number) => {
    await tenant.owner.post(`/organizations/${tenant.id}/devices/a9-01`, {});
    for (const separator of [';', ',']) {
      const file = ['serial', 'ts', 'level\na9-01', '1714568400', `"${text}"`].join(separator);
      const { rejected, faults } = await files.whole('/records', file);
      expect([rejected, faults]).toEqual([
        1,
        [{ line: 2, column: 3, field: 'level', message: `${text} has separators of thousands: write ${number}` }],
      ]);
    }
  });

  it.each([
    [
      'CSV',
      'aa-01',
      { 'content-type': 'text/csv' },
      'serial,ts,note.text,note.level,other.text\naa-01,1714568400,0042,7,x\naa-01,1714568401,"[1,2]",,\n',
    ],
    [
      'Parquet',
      'aa-02',
      parquet,
      Buffer.from(
        parquetWriteBuffer({
          columnData: [
            { name: 'serial', data: ['aa-02', 'aa-02'], type: 'STRING' },
            { name: 'ts', data: [1714568400, 1714568401], type: 'DOUBLE' },
            { name: 'note.text', data: ['0042', '[1,2]'], type: 'STRING' },
            { name: 'note.level', data: [7, null], type: 'DOUBLE' },
            { name: 'other.text', data: ['x', null], type: 'STRING' },
          ],
        }),
      ),
    ],
    [
      'exported NDJSON',
      'aa-03',
      ndjson,
      '{"ts":1714568400,"device.serial":"aa-03","data.note.text":"0042","data.note.level":7,"data.other.text":"x"}\n' +
        '{"ts":1714568401,"device.serial":"aa-03","data.note.text":"[1,2]"}\n',
    ],
  ])('gives declared variables their names, dots included, in %s', async (name, serial, headers, file) => {
    const variables = [{ name: 'note.text', type: 'TXT' }];
    const id = await device(
      serial,
      await make(`/organizations/${tenant.id}/products`, { name, version: '1', variables }),
    );
    const done = await files.whole('/records?dryRun=false', file, headers);
    expect([done.created, done.faults]).toEqual([2, []]);
    expect((await search(of(serial))).hits.hits.map(({ _source: { data } }) => data)).toEqual([
      { note: { level: 7 }, other: { text: 'x' }, 'note.text': '0042' },
      { 'note.text': '[1,2]' },
    ]);
    const latest = await tenant.owner.get<object>(`/devices/${tenant.id}/${id}/latest`);
    expect(JSON.stringify(latest.body)).toContain('"note.text"');
    // The same record in another format is known.
    const again = `serial,ts,data.note.text\n${serial},1714568401,"[1,2]"\n`;
    expect(counts(await files.whole('/records?dryRun=false', again))).toMatchObject({ created: 0, unchanged: 1 });
  });

  it('keeps values beside others whose names begin alike, in Parquet', async () => {
    await device('ab-01');
    const columnData = ['p.q', 'p'].map((name) => ({ name, data: [name.length], type: 'DOUBLE' as const }));
    const named = [
      { name: 'serial', data: ['ab-01'], type: 'STRING' as const },
      { name: 'ts', data: [1714568400], type: 'DOUBLE' as const },
    ];
    const file = Buffer.from(parquetWriteBuffer({ columnData: [...named, ...columnData] }));
    expect(counts(await files.whole('/records?dryRun=false', file, parquet))).toMatchObject({ created: 1 });
    expect((await search(of('ab-01'))).hits.hits.map(({ _source: { data } }) => data)).toEqual([{ p: 1, 'p.q': 3 }]);
  });

  it('counts in a dry run the values that do not fit their variables', async () => {
    const variables = [
      { name: 'temperature', type: 'FLOAT32' },
      { name: 'open', type: 'BOOL' },
      { name: 'note.text', type: 'TXT' },
    ];
    const productId = await make(`/organizations/${tenant.id}/products`, { name: 'Door', version: '1', variables });
    await device('ac-01', productId);
    const rows = ['21.5,1,a,free', 'n/a,TRUE,"[1,2]",', 'n/a,ajar,,', '-,,,', 'x,2,,'];
    const lines = rows.map((row, index) => `${index === 4 ? 'ac-02' : 'ac-01'},${1_714_568_400 + index},${row}`);
    const file = `serial,ts,temperature,open,note.text,other\n${lines.join('\n')}\n`;
    const checked = await files.whole('/records', file);
    expect(counts(checked)).toMatchObject({ lines: 5, created: 4, rejected: 1, faultCount: 1 });
    const ignored = {
      ignoredCount: 4,
      ignored: [
        { field: 'temperature', count: 3, line: 3, message: '"n/a" does not fit the type FLOAT32.' },
        { field: 'open', count: 1, line: 4, message: '"ajar" does not fit the type BOOL.' },
      ],
    };
    expect(checked).toMatchObject(ignored);
    expect(await files.apply(checked.id)).toMatchObject({ ...ignored, created: 4 });
    const filter = [of('ac-01').query, { exists: { field: 'data.temperature' } }];
    expect((await search({ query: { bool: { filter } } })).hits.hits).toHaveLength(1);
    const direct = await files.whole('/records?dryRun=false', file);
    expect(direct).toMatchObject({ unchanged: 4, ignored: [] });
    expect(direct).not.toHaveProperty('ignoredCount');
  });

  it('accepts NDJSON with records in our own form, with frames and keys', async () => {
    await device('a2-01');
    const lines = [
      { serial: 'a2-01', ts: 1_714_568_400, data: { level: 1 }, key: 'one' },
      { serial: 'a2-01', ts: 1_714_568_400, data: { level: 2 }, key: 'one' },
      { serial: 'a2-01', ts: 1_714_568_401, frame: { streamId: 1, streamType: 'BIN', payload: '00' } },
      { serial: 'a2-01', data: { level: 4 } },
      { id: 'x', ts: 1_714_568_402, device: { id: 'y', serial: 'a2-01' }, metadata: {}, data: { level: 5 } },
    ];
    const file = `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\r\n')}\n\n{"serial": }\n[]\n`;
    const done = await files.whole('/records?dryRun=false', file, ndjson);
    expect(counts(done)).toEqual({ lines: 7, created: 3, updated: 0, unchanged: 1, rejected: 3, faultCount: 3 });
    expect(done.faults).toMatchObject([{ line: 4, field: 'ts' }, { line: 7, column: 12 }, { line: 8 }]);
    expect((await search(of('a2-01'))).hits.total.value).toBe(3);
  });

  it('reports a file that is not Parquet or is broken', async () => {
    expect(await files.send('/records', Buffer.from('PAR1 and no more'), parquet)).toMatchObject({ status: 422 });
    const broken = await files.whole('/records', Buffer.from(`PAR1${'x'.repeat(100)}PAR1`), parquet);
    expect(broken).toMatchObject({ state: 'failed', job: { error: expect.stringMatching(/^The Parquet file/) } });
    expect(await tenant.owner.post(`${files.at}/${broken.id}/apply`)).toMatchObject({ status: 409 });
    const header = await files.whole(
      '/records',
      Buffer.from(parquetWriteBuffer({ columnData: [{ name: 'serial', data: ['a3-01'], type: 'STRING' }] })),
      parquet,
    );
    expect(header).toMatchObject({ state: 'checked', lines: 0, faults: [{ line: 1, field: 'ts' }] });
  });

  it('calls hooks only when callHooks=true', async () => {
    const id = await device('a4-01');
    const row = (ts: number) => `serial,ts,level\na4-01,${ts},1`;
    await files.whole('/records?dryRun=false', row(1_714_000_000));
    await files.whole('/records?dryRun=false&callHooks=true', row(1_714_000_001));
    await receiver.received(1);
    const calls = receiver.calls.map(
      ({ body }) => JSON.parse(String(body)) as { device: { id: string }; record: { ts: number } },
    );
    expect(calls.filter((call) => call.device.id === id).map(({ record }) => record.ts)).toEqual([1_714_000_001]);
  });

  it('keeps the latest value, and corrects existing aggregates', async () => {
    const id = await device('a5-01');
    const now = Math.floor(Date.now() / 1000);
    await tenant.owner.post(`/organizations/${tenant.id}/records`, { serial: 'a5-01', ts: now, data: { level: 9 } });
    const past = Array.from({ length: 1500 }, (_, index) => `a5-01,${now - 90_000 - index},1`).join('\n');
    const done = await files.whole('/records?dryRun=false', `serial,ts,level\n${past}\n`);
    expect(counts(done)).toMatchObject({ lines: 1500, created: 1500 });
    const latest = await tenant.owner.get<object>(`/devices/${tenant.id}/${id}/latest`);
    expect(JSON.stringify(latest.body)).toContain(`${now}`);
    const aggs = { by: { terms: { field: 'data.level' } } };
    const range = { gte: now - 200_000, lte: now + 10 };
    const { aggregations } = await search({ ...of('a5-01'), size: 0, aggs } as object, range);
    expect(aggregations!.by.buckets.map(({ doc_count }) => doc_count)).toEqual([1500, 1]);
  });

  it('rejects records for devices of another organization', async () => {
    const other = await createTenant(service);
    await device('a6-01');
    const theirs = await importing(other).whole('/records?dryRun=false', 'serial,ts,level\na6-01,1714000000,1\n');
    expect(theirs).toMatchObject({ created: 0, rejected: 1, faults: [{ line: 2, column: 1, field: 'serial' }] });
    expect((await search(of('a6-01'))).hits.total.value).toBe(0);
  });

  it('reports each error of the header', async () => {
    const { faults } = await files.whole('/records', 'serial,serial,level,level,data..x\n');
    expect(faults.map(({ column, field }) => [column, field])).toEqual([
      [2, 'serial'],
      [4, 'level'],
      [5, 'data..x'],
      [undefined, 'ts'],
    ]);
  });

  it('reports lines that end with CR alone, instead of reading a file without rows', async () => {
    const { lines, faults } = await files.whole('/records', 'serial,ts,level\ra0-01,2024-05-01T12:00:00Z,1\r');
    expect([lines, faults]).toEqual([
      0,
      [{ line: 1, column: 3, field: 'level\ra0-01', message: expect.stringContaining('CR alone') }],
    ]);
  });
});
