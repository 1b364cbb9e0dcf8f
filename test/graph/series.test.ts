import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import type { GraphAnswer } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
const start = 1_699_999_200;

let owner: AccountActor;
let o: string;
let applicationId: string;
const d: string[] = [];

beforeAll(async () => {
  owner = await world.organization();
  o = owner.id;
  const variables = [
    { name: 'temperature', type: 'FLOAT32', unit: '°C' },
    { name: 'door', type: 'BOOL' },
    { name: 'note', type: 'TXT' },
  ];
  const productId = await owner.make(`/organizations/${o}/products`, { name: 'Sensor', version: '1', variables });
  applicationId = await owner.make(`/organizations/${o}/applications`, { name: 'Field' });
  for (const serial of ['a1', 'a2', 'a3']) {
    const product = serial === 'a3' ? {} : { product: { id: productId } };
    const id = await owner.make(`/organizations/${o}/devices/${serial}`, { name: serial.toUpperCase(), ...product });
    d.push(id);
    if (serial !== 'a2') await owner.put(`/applications/${o}/${applicationId}/devices/${id}`);
  }
  for (const serial of ['a1', 'a2', 'a3']) {
    const records = Array.from({ length: 120 }, (_, index) => ({
      serial,
      ts: start + index * 60,
      data: { temperature: index, door: index % 2 === 0, note: 'n' },
    }));
    await owner.post(`/organizations/${o}/records`, records);
  }
});

const query = `query ($o: ID!, $d: [ID!], $a: ID, $v: [String!]!, $from: UnixTime, $to: UnixTime, $points: Int = 300, $interval: Int, $f: SeriesFunction) {
  series(organizationId: $o, deviceIds: $d, applicationId: $a, variables: $v, from: $from, to: $to, points: $points, interval: $interval, function: $f) {
    deviceId device { name } name type unit interval ts values
  }
}`;
const range = { from: start, to: start + 7199 };
const ask = (values: object, who = owner): Promise<{ body: GraphAnswer }> =>
  who.graph(query, { o, ...range, ...values });
const errorOf = async (values: object, who = owner) => (await ask(values, who)).body.errors?.[0];

describe('GraphQL series', () => {
  it('returns one line per device and variable in the requested order, with unit and type', async () => {
    const { body } = await ask({ d: [d[1], d[0]], v: ['temperature', 'door'], interval: 3600, f: 'avg' });
    expect(body.errors).toBeUndefined();
    const hours = [start, start + 3600];
    expect(body.data!.series).toEqual([
      line(d[1]!, 'A2', 'temperature', 'FLOAT32', '°C', hours, [29.5, 89.5]),
      line(d[1]!, 'A2', 'door', 'BOOL', null, hours, [0.5, 0.5]),
      line(d[0]!, 'A1', 'temperature', 'FLOAT32', '°C', hours, [29.5, 89.5]),
      line(d[0]!, 'A1', 'door', 'BOOL', null, hours, [0.5, 0.5]),
    ]);
  });

  it.each([
    ['min', [0, 60]],
    ['max', [59, 119]],
    ['sum', [1770, 5370]],
    ['count', [60, 60]],
    ['first', [0, 60]],
    ['last', [59, 119]],
  ])('returns the %s of each bucket', async (f, values) => {
    const { body } = await ask({ d: [d[0]], v: ['temperature'], interval: 3600, f });
    expect(body.data!.series[0].values).toEqual(values);
  });

  it('reads the devices of an application, and undeclared variables', async () => {
    const { body } = await ask({ a: applicationId, v: ['temperature', 'nothing'], interval: 3600 });
    expect(body.data!.series.map(({ device, name, values }: any) => [device.name, name, values])).toEqual([
      ['A1', 'temperature', [29.5, 89.5]],
      ['A1', 'nothing', []],
      ['A3', 'temperature', [29.5, 89.5]],
      ['A3', 'nothing', []],
    ]);
  });

  it('returns at most the requested number of points', async () => {
    const even = await ask({ d: [d[0]], v: ['temperature'], points: 10 });
    expect(even.body.data!.series[0]).toMatchObject({ interval: 900 });
    expect(even.body.data!.series[0].ts).toHaveLength(8);
    const drawn = await ask({ d: [d[0]], v: ['temperature'], points: 10, f: 'lttb' });
    expect(drawn.body.data!.series[0]).toMatchObject({ interval: null });
    expect(drawn.body.data!.series[0].ts).toHaveLength(10);
  });

  it('returns series below each device of a page', async () => {
    const { body } = await owner.graph(
      `query ($o: ID!, $from: UnixTime, $to: UnixTime) { devices(organizationId: $o, sort: "name") { items {
        name series(variables: ["temperature"], from: $from, to: $to, interval: 7200, function: max) { values } } } }`,
      { o, from: start - 2400, to: start + 4799 },
    );
    expect(body.data!.devices.items.map(({ series }: any) => series[0].values)).toEqual([[79], [79], [79]]);
  });

  it('returns all numeric and boolean variables of the product when no variables are named', async () => {
    const { body } = await owner.graph(
      `query ($o: ID!, $from: UnixTime, $to: UnixTime) { devices(organizationId: $o, sort: "name") { items {
        name series(from: $from, to: $to, interval: 7200) { name ts } } } }`,
      { o, ...range },
    );
    expect(body.errors).toBeUndefined();
    const lines = [
      { name: 'temperature', ts: [start] },
      { name: 'door', ts: [start] },
    ];
    expect(body.data!.devices.items).toEqual([
      { name: 'A1', series: lines },
      { name: 'A2', series: lines },
      { name: 'A3', series: [] },
    ]);
  });

  it('returns VALIDATION_FAILED with figure and limit for too many points', async () => {
    expect(await errorOf({ d, v: ['temperature', 'door'], interval: 1, from: start - 100_000 })).toMatchObject({
      message: 'interval is too fine: 3 devices x 2 variables x 107200 points = 643200; at most 50000 are answered.',
      extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'interval' }] },
    });
    expect(await errorOf({ d, v: Array.from({ length: 20 }, (_, index) => `v${index}`), points: 1000 })).toMatchObject({
      extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'points' }] },
    });
  });

  it.each([
    ['nothing to read from', { v: ['temperature'] }, 'deviceIds'],
    ['devices and an application', { d: [], a: 'x', v: ['temperature'] }, 'deviceIds'],
    ['no variable', { d: [], v: [] }, 'variables'],
    ['an end before the beginning', { d: [], v: ['t'], from: 2, to: 1 }, 'to'],
    ['a beginning that is still to come', { d: [], v: ['t'], from: 4_102_444_800, to: null }, 'from'],
    ['two points', { d: [], v: ['t'], points: 2 }, 'points'],
    ['an interval for lttb', { d: [], v: ['t'], interval: 60, f: 'lttb' }, 'interval'],
    ['an interval of nothing', { d: [], v: ['t'], interval: 0 }, 'interval'],
  ])('returns VALIDATION_FAILED for %s', async (_what, values, path) => {
    expect(await errorOf(values)).toMatchObject({ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
  });

  it('returns an empty line for a device whose variable is text', async () => {
    const variables = [{ name: 'temperature', type: 'TXT', unit: 'words' }];
    const productId = await owner.make(`/organizations/${o}/products`, { name: 'Speaker', version: '1', variables });
    const other = await owner.make(`/organizations/${o}/devices/a9`, { name: 'A9', product: { id: productId } });
    await owner.post(`/organizations/${o}/records`, { serial: 'a9', ts: start, data: { temperature: 'warm' } });
    const { body } = await ask({ d: [other, d[0]], v: ['temperature'], interval: 3600 });
    expect(body.errors).toBeUndefined();
    const hours = [start, start + 3600];
    expect(body.data!.series).toEqual([
      line(other, 'A9', 'temperature', 'TXT', 'words', [], []),
      line(d[0]!, 'A1', 'temperature', 'FLOAT32', '°C', hours, [29.5, 89.5]),
    ]);
    for (const f of ['avg', 'lttb']) {
      const text = await ask({ d: [d[0]], v: ['note'], f });
      expect(text.body.data!.series).toMatchObject([{ name: 'note', type: 'TXT', ts: [], values: [] }]);
    }
  });

  it('returns NOT_FOUND for devices that the caller cannot read', async () => {
    const [other, member] = [await world.organization(), await world.member(owner, Role.member)];
    const missing = { message: 'There is no such device.', extensions: { code: 'NOT_FOUND' } };
    expect(await errorOf({ o: other.id, d: [d[0]], v: ['temperature'] }, other)).toMatchObject(missing);
    expect(await errorOf({ d: [d[0]], v: ['temperature'] }, member)).toMatchObject(missing);
    expect(await errorOf({ d: ['no id'], v: ['temperature'] })).toMatchObject(missing);
    expect(await errorOf({ a: applicationId, v: ['temperature'] }, member)).toMatchObject({
      extensions: { code: 'NOT_FOUND' },
    });
    expect(await errorOf({ d: [d[0]], v: ['temperature'] }, other)).toMatchObject({
      extensions: { code: 'NOT_FOUND' },
    });
  });
});

const line = (
  deviceId: string,
  device: string,
  name: string,
  type: string,
  unit: string | null,
  ts: number[],
  values: number[],
) => ({
  deviceId,
  device: { name: device },
  name,
  type,
  unit,
  interval: 3600,
  ts,
  values,
});

describe('GraphQL latest', () => {
  const latest = `query ($o: ID!, $d: [ID!], $a: ID, $v: [String!]) {
    latest(organizationId: $o, deviceIds: $d, applicationId: $a, variables: $v) {
      serial device { name }
      values { name ts value type unit typed { ... on NumberValue { number } ... on BooleanValue { boolean } ... on TextValue { text } } }
    } }`;

  it('returns typed values in the requested order of devices', async () => {
    const { body } = await owner.graph(latest, { o, d: [d[2], d[0]], v: ['temperature', 'door'] });
    const ts = start + 119 * 60;
    expect(body.data!.latest).toEqual([
      {
        serial: 'a3',
        device: { name: 'A3' },
        values: [
          { name: 'door', ts, value: false, type: null, unit: null, typed: { boolean: false } },
          { name: 'temperature', ts, value: 119, type: null, unit: null, typed: { number: 119 } },
        ],
      },
      {
        serial: 'a1',
        device: { name: 'A1' },
        values: [
          { name: 'door', ts, value: false, type: 'BOOL', unit: null, typed: { boolean: false } },
          { name: 'temperature', ts, value: 119, type: 'FLOAT32', unit: '°C', typed: { number: 119 } },
        ],
      },
    ]);
  });

  it('returns the devices of an application', async () => {
    const { body } = await owner.graph(latest, { o, a: applicationId });
    expect(body.data!.latest.map(({ serial }: any) => serial)).toEqual(['a1', 'a3']);
  });

  it('returns VALIDATION_FAILED for an application with more than 100 devices', async () => {
    const big = await owner.make(`/organizations/${o}/applications`, { name: 'Big' });
    await world.pool.query(
      `with d as (insert into device (id, organization_id, serial, slug, created_at, updated_at)
         select gen_random_uuid(), $1, 'ff-' || lpad(n::text, 4, '0'), 'x', now(), now() from generate_series(1, 101) n returning id)
       insert into application_device (organization_id, application_id, device_id) select $1, $2, id from d`,
      [o, big],
    );
    const { body } = await owner.graph(latest, { o, a: big });
    expect(body.errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'applicationId' }] } },
    ]);
  });
});

it('refuses a GraphQL series of sums or means beyond the largest double, and returns the maximum of the same values', async () => {
  const id = await owner.make(`/organizations/${o}/devices/a4`);
  const records = [0, 60].map((s) => ({ serial: 'a4', ts: start + s, data: { power: -1.5e308 } }));
  await owner.post(`/organizations/${o}/records`, records);
  const wanted = { d: [id], v: ['power'], interval: 3600 };
  const tooLarge = { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'function' }] } };
  expect(await errorOf({ ...wanted, f: 'sum' })).toMatchObject(tooLarge);
  expect(await errorOf({ ...wanted, f: 'avg' })).toMatchObject(tooLarge);
  expect((await ask({ ...wanted, f: 'max' })).body.data!.series).toMatchObject([{ values: [-1.5e308] }]);
});
