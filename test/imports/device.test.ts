import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';
import { counts, importing } from './imported.js';

const service = useService();

interface DeviceShape {
  id: string;
  serial: string;
  name?: string;
  slug: string;
  tags: string[];
  product?: { id: string };
  location?: { lat: number; lon: number };
  applicationCount: number;
}

describe('device import from CSV', () => {
  let tenant: Tenant;
  let files: ReturnType<typeof importing>;
  let productId: string;
  let applicationId: string;
  const devices = async (q = '') =>
    (await tenant.owner.get<DeviceShape[]>(`/organizations/${tenant.id}/devices?limit=1000${q}`)).body;
  beforeAll(async () => {
    tenant = await createTenant(service);
    files = importing(tenant);
    const make = async (path: string, body: object) =>
      (await tenant.owner.post<{ id: string }>(`/organizations/${tenant.id}/${path}`, body)).body.id;
    productId = await make('products', { name: 'Pump sensor', version: '1', variables: [] });
    applicationId = await make('applications', { name: 'Pumps' });
  });

  it('keeps serials as written, and matches existing ones regardless of case and dashes', async () => {
    const registered = await files.whole('/devices?dryRun=false', 'serial,name\nD0-0A-FF,First');
    expect(counts(registered)).toMatchObject({ created: 1, rejected: 0 });
    expect(await devices('&q=d00aff')).toMatchObject([{ serial: 'D0-0A-FF', name: 'First' }]);
    await files.whole('/devices?dryRun=false', 'serial\nD2-0A');
    expect(await devices('&q=d20a')).toMatchObject([{ slug: 'd2-0a' }]);
    const renamed = await files.whole('/devices?dryRun=false', 'serial,name\nd00aff,Second');
    expect(counts(renamed)).toMatchObject({ created: 0, updated: 1, rejected: 0 });
    expect(await devices('&q=D0-0A-FF')).toMatchObject([{ serial: 'D0-0A-FF', name: 'Second' }]);
    const twice = await files.whole('/devices', 'serial\nD1-0A\nd10a');
    expect(twice.faults).toMatchObject([{ line: 3, column: 1, field: 'serial' }]);
    for (const { id } of await devices()) await tenant.owner.delete(`/devices/${tenant.id}/${id}`);
  });

  it('reports ten errors of 1,000 devices in the dry run, and then registers 990', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => {
      const serial = `a0-${index.toString(16).padStart(6, '0')}`;
      return [serial, `Pump ${index}`, 'Pump sensor', 'north;well', '59.8586', '17.6389', 'Pumps'];
    });
    const spoil = (line: number, column: number, text: string) => (rows[line - 2]![column - 1] = text);
    spoil(10, 1, '');
    spoil(20, 1, 'no serial');
    spoil(30, 1, rows[0]![0]!.toUpperCase());
    spoil(40, 2, 'x'.repeat(201));
    spoil(50, 3, 'No such product');
    spoil(60, 4, Array.from({ length: 51 }, (_, index) => `t${index}`).join(';'));
    spoil(70, 5, '91');
    spoil(80, 6, '"17,6389"');
    spoil(90, 7, 'No such application');
    rows[98]!.push('more');
    const file = ['serial,name,product,tags,lat,lon,application', ...rows.map((row) => row.join(','))].join('\r\n');
    const checked = await files.whole('/devices', file);
    expect(checked).toMatchObject({
      state: 'checked',
      kind: 'devices',
      job: { state: 'done', done: 1000, total: 1000 },
    });
    expect(counts(checked)).toEqual({
      lines: 1000,
      created: 990,
      updated: 0,
      unchanged: 0,
      rejected: 10,
      faultCount: 10,
    });
    expect(checked.faults.map(({ line, column, field }) => [line, column, field])).toEqual([
      [10, 1, 'serial'],
      [20, 1, 'serial'],
      [30, 1, 'serial'],
      [40, 2, 'name'],
      [50, 3, 'product'],
      [60, 4, 'tags'],
      [70, 5, 'lat'],
      [80, 6, 'lon'],
      [90, 7, 'application'],
      [100, undefined, undefined],
    ]);
    expect(checked.faults[2]!.message).toBe('The serial is already on line 2.');
    expect(checked.faults[7]!.message).toContain('write 17.6389');
    expect(await devices()).toEqual([]);

    const done = await files.apply(checked.id);
    expect(done.state).toBe('done');
    expect(counts(done)).toEqual(counts(checked));
    expect(done.faults).toEqual(checked.faults);
    const registered = await devices();
    expect(registered).toHaveLength(990);
    const first = registered.find(({ serial }) => serial === 'a0-000000')!;
    expect(first).toMatchObject({ name: 'Pump 0', slug: 'pump-0', tags: ['north', 'well'], applicationCount: 1 });
    const { body } = await tenant.owner.get<DeviceShape>(`/devices/${tenant.id}/${first.id}`);
    expect(body).toMatchObject({ product: { id: productId }, location: { lat: 59.8586, lon: 17.6389 } });
    const linked = await tenant.owner.get(`/applications/${tenant.id}/${applicationId}/devices`);
    expect(linked.headers.get('x-total-count')).toBe('990');
  }, 60_000);

  it('changes devices by serial, and only the columns of the file', async () => {
    const first = 'serial,name,tags,location,product\nb0-01,One,a|b,"1.5, 2.5",\nB0-02,Two,,,Pump sensor\n';
    expect(counts(await files.whole('/devices?dryRun=false', first))).toMatchObject({ created: 2 });
    const second = 'name;serial;location\nFirst;b001;\n;b0-02;59.5 17.5\n;b0-03;\n';
    const checked = await files.whole('/devices', second);
    expect(counts(checked)).toMatchObject({ lines: 3, created: 1, updated: 2, unchanged: 0 });
    expect(counts(await files.apply(checked.id))).toMatchObject({ created: 1, updated: 2, unchanged: 0 });
    const of = async (serial: string) => {
      const [{ id }] = (await devices(`&q=^${serial}$`)) as [DeviceShape];
      return (await tenant.owner.get<DeviceShape>(`/devices/${tenant.id}/${id}`)).body;
    };
    expect(await of('b0-01')).toMatchObject({ name: 'First', slug: 'first', tags: ['a', 'b'], location: { lat: 1.5 } });
    expect(await of('b0-02')).toMatchObject({
      name: 'Two',
      product: { id: productId },
      location: { lat: 59.5, lon: 17.5 },
    });
    expect(counts(await files.whole('/devices?dryRun=false', second))).toMatchObject({ updated: 0, unchanged: 3 });
    const cleared = await files.whole('/devices?dryRun=false&clearEmpty=true', second);
    expect(counts(cleared)).toMatchObject({ updated: 2, unchanged: 1 });
    expect(await of('b0-02')).not.toHaveProperty('name');
    expect(await of('b0-01')).not.toHaveProperty('location');
  });

  it('accepts a byte order mark, CRLF, quoted line breaks, empty lines and a separator line', async () => {
    const file = '\uFEFFsep=;\r\nserial;name\r\n\r\nc0-01;"Say ""hello"";\r\nor go"\r\n\r\nc0-02;Two\r\nc0-xx;Three';
    const checked = await files.whole('/devices', file);
    expect(checked).toMatchObject({
      lines: 3,
      created: 2,
      rejected: 1,
      faults: [{ line: 8, column: 1, field: 'serial' }],
    });
    await files.apply(checked.id);
    expect((await devices('&q=^c0-01$'))[0]).toMatchObject({ name: 'Say "hello";\r\nor go' });
  });

  it('accepts a gzipped file', async () => {
    const headers = { 'content-type': 'text/csv; charset=utf-8', 'content-encoding': 'gzip' };
    expect(counts(await files.whole('/devices', gzipSync('serial\nd0-01\n'), headers))).toMatchObject({ created: 1 });
  });

  it('reports lines with broken quotes, and imports the others', async () => {
    const file = 'serial,name\ne0-01,One\ne0-02,"Two" and\ne0-03,Th"ree\ne0-04,Four\ne0-05,"Five\n';
    const checked = await files.whole('/devices?dryRun=false', file);
    expect(checked).toMatchObject({ lines: 5, created: 2, rejected: 3, faultCount: 3 });
    expect(checked.faults.map(({ line }) => line)).toEqual([3, 4, 6]);
    expect(checked.faults[2]!.message).toContain('never closed');
  });

  it('reads no further than 100 lines that are no CSV, and lists faults in the order of lines', async () => {
    const file = `serial,name\n${'x,One\ne5-01,"Two" and\n'.repeat(150)}`;
    const checked = await files.whole('/devices', file);
    expect(checked).toMatchObject({ state: 'checked', lines: 200, rejected: 200, faultCount: 201 });
    expect(checked.faults.map(({ line }) => line)).toEqual(Array.from({ length: 201 }, (_, index) => index + 2));
    expect(checked.faults.at(-1)!.message).toContain('not read');
  });

  it('ends at the maximum number of lines, even if the next line is not CSV', async () => {
    const file = `serial,name\n${',\n'.repeat(100_000)}e6-01,"One" and\ne6-02,Two\n`;
    const checked = await files.whole('/devices', file);
    expect(checked).toMatchObject({ state: 'checked', lines: 0, rejected: 0, faultCount: 1 });
    expect(checked.faults).toMatchObject([{ line: 100_002, message: expect.stringContaining('at most 100000 lines') }]);
  });

  it('stops at an invalid header', async () => {
    const wrong = await files.whole('/devices', 'serial,nmae\nf0-01,One\n');
    expect(wrong).toMatchObject({ state: 'checked', lines: 0, faults: [{ line: 1, column: 2, field: 'nmae' }] });
    const none = await files.whole('/devices', 'name\nOne\n');
    expect(none.faults[0]).toMatchObject({ line: 1, field: 'serial' });
  });

  it('reads decimal commas if semicolons separate the cells, and skips a first column without a name', async () => {
    const file = [';serial;lat;lon', '0;f6-01;59,8586;-17,5', '1;f6-02;1.234,5;17,5'].join('\n');
    const places = [
      'serial;location',
      'f6-03;59,8586 17,5',
      'f6-04;"59,8586; 17,5"',
      'f6-05;59.8586,17.5',
      'f6-06;59,8586',
    ].join('\n');
    const one = await files.whole('/devices?dryRun=false', file);
    expect(one.faults).toEqual([
      { line: 3, column: 3, field: 'lat', message: '1.234,5 has separators of thousands: write 1234.5' },
    ]);
    const other = await files.whole('/devices?dryRun=false', places);
    expect(other.faults).toMatchObject([{ line: 5, column: 2, field: 'location' }]);
    const columns = 'serial,location.lat,location.lon';
    const { body } = await tenant.owner.get<string>(`/organizations/${tenant.id}/export?columns=${columns}`);
    expect(body.split('\r\n').filter((line) => line.startsWith('f6-'))).toEqual([
      'f6-01,59.8586,-17.5',
      'f6-03,59.8586,17.5',
      'f6-04,59.8586,17.5',
      'f6-05,59.8586,17.5',
    ]);
  });

  it('lists the first 1,000 errors and counts all', async () => {
    const file = `serial,name\n${'x,One\n'.repeat(1200)}`;
    const checked = await files.whole('/devices', file);
    expect(checked).toMatchObject({ faultCount: 1200, rejected: 1200 });
    expect(checked.faults.map(({ line }) => line)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 2));
  });

  it.each([
    ['UTF-16', Buffer.from('\uFEFFserial\n', 'utf16le'), /UTF-16/],
    ['a spreadsheet', Buffer.from('PK\x03\x04...'), /spreadsheet/],
    ['Latin-1', Buffer.from('serial,name\na1,Uppsala\na2,M\xf6lndal\n', 'latin1'), /Line 3 is not UTF-8/],
    ['zero bytes', Buffer.from('serial\n\0'), /zero/],
    ['gzip without its header', gzipSync('serial\n'), /Content-Encoding/],
  ])('returns 422 with advice for %s', async (_what, body, message) => {
    const answer = await files.send('/devices', body);
    expect([answer.status, answer.body]).toEqual([
      422,
      expect.objectContaining({ code: 'VALIDATION_FAILED', message: expect.stringMatching(message) }),
    ]);
  });

  it('refuses an empty body, other types, broken gzip and a file that is too large', async () => {
    const statusOf = async (body: Buffer | string, headers: Record<string, string>) =>
      (await files.send('/devices', body, headers)).status;
    const type = { 'content-type': 'text/csv' };
    expect(await statusOf('', type)).toBe(400);
    expect(await statusOf('{}', { 'content-type': 'application/json' })).toBe(415);
    expect(await statusOf('serial', { 'content-type': 'text/csv; charset=iso-8859-1' })).toBe(415);
    expect(await statusOf('no gzip', { ...type, 'content-encoding': 'gzip' })).toBe(400);
    const large = gzipSync(Buffer.alloc(65 * 2 ** 20, 'serial\n'));
    expect(await statusOf(large, { ...type, 'content-encoding': 'gzip' })).toBe(413);
  }, 60_000);

  it('applies a file once, after its dry run, and deletes another one', async () => {
    const { id } = await files.whole('/devices', 'serial\nf1-01\n');
    await files.apply(id);
    expect(await tenant.owner.post(`${files.at}/${id}/apply`)).toMatchObject({ status: 409 });
    const other = await files.whole('/devices', 'serial\nf1-02\n');
    expect((await tenant.owner.delete(`${files.at}/${other.id}`)).status).toBe(204);
    expect((await tenant.owner.get(`${files.at}/${other.id}`)).status).toBe(404);
    expect(await devices('&q=^f1-02$')).toEqual([]);
  });

  it('changes nothing when it receives an export of all devices', async () => {
    const other = await createTenant(service);
    const fleet = 'serial,name,tags,lat,lon\nf5-01,=1+1,"a,b;c",1.5,-2\nf5-02,\'quoted,,,\n';
    await importing(other).whole('/devices?dryRun=false', fleet);
    const { body } = await other.owner.get<string>(`/organizations/${other.id}/export`);
    expect(body).toContain("'=1+1");
    expect(counts(await importing(other).whole('/devices?clearEmpty=true', body))).toMatchObject({
      lines: 2,
      unchanged: 2,
      faultCount: 0,
    });
  });

  it('hides a file from other organizations, and refuses their products', async () => {
    const other = await createTenant(service);
    const { id } = await files.whole('/devices', 'serial\nf2-01\n');
    for (const path of [`/organizations/${other.id}/imports/${id}`, `${files.at}/${id}`]) {
      expect((await other.owner.get(path)).status).toBe(404);
      expect((await other.owner.post(`${path}/apply`)).status).toBe(404);
      expect((await other.owner.delete(path)).status).toBe(404);
    }
    const theirs = await importing(other).whole('/devices', `serial,product\nf2-01,${productId}\nf2-02,Pump sensor\n`);
    expect(theirs).toMatchObject({ rejected: 2, faults: [{ field: 'product' }, { field: 'product' }] });
  });

  it('returns 409 beyond 20 waiting files of an organization, also for concurrent uploads', async () => {
    const other = await createTenant(service);
    const send = () => importing(other).send('/devices', 'serial\nf3-01\n');
    const statuses = (await Promise.all(Array.from({ length: 25 }, send))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(20).fill(200), ...Array(5).fill(409)]);
    expect((await send()).status).toBe(409);
  });

  it('accepts a file over GraphQL', async () => {
    const query = `mutation ($id: ID!, $file: FileContent!) {
      importDevices(organizationId: $id, file: $file, dryRun: false) { id state bytes job { kind } } }`;
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tenant.owner.token}` },
      body: JSON.stringify({ query, variables: { id: tenant.id, file: 'serial\nf4-01\n' } }),
    });
    const { data } = (await response.json()) as { data: { importDevices: { id: string } } };
    expect(data.importDevices).toMatchObject({ bytes: 13, job: { kind: 'importDevices' } });
    const { body } = await tenant.owner.get<never>(`${files.at}/${data.importDevices.id}`);
    expect(await files.over(body)).toMatchObject({ state: 'done', created: 1 });
  });
});
