import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
/** 2023-11-14T22:00:00Z */
const start = 1_699_999_200;
const hour = 3600;

let owner: AccountActor;
let o: string;
let applicationId: string;
let emptyId: string;
let productId: string;
const d: Record<string, string> = {};

beforeAll(async () => {
  owner = await world.organization();
  o = owner.id;
  const variables = [
    { name: 'energy', type: 'FLOAT32', unit: 'kWh' },
    { name: 'on', type: 'BOOL' },
    { name: 'mode', type: 'TXT' },
  ];
  productId = await owner.make(`/organizations/${o}/products`, { name: 'Meter', version: '1', variables });
  const otherId = await owner.make(`/organizations/${o}/products`, { name: 'Other', version: '1', variables });
  applicationId = await owner.make(`/organizations/${o}/applications`, { name: 'Building' });
  emptyId = await owner.make(`/organizations/${o}/applications`, { name: 'Empty' });
  const devices: [serial: string, product: string, tags: string[]][] = [
    ['a1', productId, ['roof', 'meter']],
    ['a2', productId, ['meter']],
    ['b1', otherId, []],
  ];
  for (const [serial, id, tags] of devices) {
    d[serial] = await owner.make(`/organizations/${o}/devices/${serial}`, { product: { id }, tags });
    if (serial !== 'b1') await owner.put(`/applications/${o}/${applicationId}/devices/${d[serial]}`);
  }
  const send = (serial: string, ...records: [hours: number, data: object][]) =>
    owner.post(
      `/organizations/${o}/records`,
      records.map(([hours, data]) => ({ serial, ts: start + hours * hour, data })),
    );
  await send('a1', [0, { energy: 100, on: true, mode: 'eco' }], [0.5, { energy: 110, on: false, mode: 'full' }]);
  await send('a1', [1, { energy: 130, on: true }], [3.5, { energy: 5 }]);
  await send('a2', [0, { energy: 7 }], [1.5, { energy: 9 }]);
  await send('b1', [0, { energy: 1000 }], [1, { energy: 1001 }], [2, { energy: 1003 }]);
});

const query = `query ($o: ID!, $over: GroupInput!, $variable: String = "energy", $from: UnixTime, $to: UnixTime, $interval: Int, $calendarInterval: CalendarInterval, $timeZone: String, $points: Int, $perDevice: DeviceReduction, $combine: DeviceCombination, $split: GroupSplit, $state: String, $fill: GroupFill, $maxAge: Int, $minDevices: Int) {
  groupSeries(organizationId: $o, over: $over, variable: $variable, from: $from, to: $to, interval: $interval, calendarInterval: $calendarInterval, timeZone: $timeZone, points: $points, perDevice: $perDevice, combine: $combine, split: $split, state: $state, fill: $fill, maxAge: $maxAge, minDevices: $minDevices) {
    key others unit interval ts values lowest highest devices expected filled bridged
  }
}`;
const ask = (values: object, who: AccountActor = owner) =>
  who.graph(query, { o, over: { devices: {} }, from: start, to: start + 4 * hour, ...values });
const lines = async (values: object, who?: AccountActor) => {
  const { body } = await ask(values, who);
  expect(body.errors).toBeUndefined();
  return body.data!.groupSeries as Record<string, any>[];
};
const errorOf = async (values: object, who?: AccountActor) => (await ask(values, who)).body.errors?.[0];

describe('GraphQL groupSeries', () => {
  it('combines the numbers of all devices of a group by hour', async () => {
    expect(await lines({ interval: hour, combine: 'sum' })).toEqual([
      {
        key: null,
        others: false,
        unit: 'kWh',
        interval: hour,
        ts: [0, 1, 2, 3].map((each) => start + each * hour),
        values: [1112, 1140, 1003, 5],
        lowest: [],
        highest: [],
        devices: [3, 3, 1, 1],
        expected: [3, 3, 3, 3],
        filled: [0, 0, 0, 0],
        bridged: [0, 0, 0, 0],
      },
    ]);
  });

  it.each([
    ['avg', [86.25]],
    ['min', [5]],
    ['max', [130]],
    ['last', [5]],
    ['sum', [345]],
    ['count', [4]],
    ['increase', [35]],
    ['rate', [35 / (4 * hour)]],
  ])('reduces the values of a device in the range by %s', async (perDevice, values) => {
    const [line] = await lines({ over: { tag: 'roof' }, perDevice });
    expect(line!.ts).toEqual([start]);
    expect(line!.interval).toBeNull();
    expect(line!.values[0]).toBeCloseTo(values[0]!, 9);
  });

  it.each([
    ['sum', 1017],
    ['avg', 339],
    ['min', 5],
    ['max', 1003],
    ['count', 3],
    ['p50', 9],
  ])('combines the numbers of devices by %s', async (combine, value) => {
    const found = await lines({ perDevice: 'last', combine });
    expect(found[0]!.values[0]).toBeCloseTo(value, 9);
  });

  it('answers the lowest number, the mean and the highest at once', async () => {
    const [line] = await lines({ perDevice: 'last', combine: 'spread' });
    expect(line).toMatchObject({ lowest: [5], values: [339], highest: [1003] });
  });

  it('counts the step from the value before the range and marks the bucket in which a gap ends', async () => {
    const [line] = await lines({
      over: { tag: 'roof' },
      from: start + 0.75 * hour,
      interval: hour,
      perDevice: 'increase',
    });
    expect(line).toMatchObject({ ts: [start + hour, start + 3 * hour], values: [20, 5], bridged: [0, 1] });
  });

  it('splits a group by product, tag and device, the line with the most records first', async () => {
    const shown = async (split: string) =>
      (await lines({ split, perDevice: 'count', combine: 'sum' })).map(({ key, values, expected }) => [
        key,
        values,
        expected,
      ]);
    const products = await shown('product');
    expect(products[0]).toEqual([productId, [6], [2]]);
    expect(products[1]!.slice(1)).toEqual([[3], [1]]);
    expect(await shown('tag')).toEqual([
      ['meter', [6], [2]],
      ['roof', [4], [1]],
      [null, [3], [1]],
    ]);
    expect(await shown('device')).toEqual([
      [d['a1'], [4], [1]],
      [d['b1'], [3], [1]],
      [d['a2'], [2], [1]],
    ]);
  });

  it('keeps the number of a silent device for a while, and says so', async () => {
    const call = { interval: hour, perDevice: 'last', combine: 'sum', fill: 'previous' };
    const [kept] = await lines({ ...call, maxAge: hour });
    expect(kept).toMatchObject({ values: [1117, 1140, 1142, 1008], devices: [3, 3, 3, 2], filled: [0, 0, 2, 1] });
    const [before] = await lines({
      ...call,
      over: { tag: 'roof' },
      from: start + 2 * hour,
      to: start + 3 * hour,
      maxAge: 2 * hour,
    });
    expect(before).toMatchObject({ values: [130], filled: [1] });
  });

  it('names the lines of products and devices, and of tags', async () => {
    const namesBy = async (split: string) => {
      const text =
        'query ($o: ID!, $split: GroupSplit!, $to: UnixTime!) { groupSeries(organizationId: $o, over: { devices: {} }, variable: "energy", to: $to, split: $split) { name } }';
      const { body } = await owner.graph(text, { o, split, to: start + 4 * hour });
      return (body.data!.groupSeries as { name: string | null }[]).map(({ name }) => name);
    };
    expect(await namesBy('product')).toEqual(['Meter', 'Other']);
    expect(await namesBy('device')).toEqual(['a1', 'b1', 'a2']);
    expect(await namesBy('tag')).toEqual(['meter', 'roof', null]);
  });

  it('reads only some devices of an application', async () => {
    const countOf = async (filter: object) => {
      const text = `query ($o: ID!, $a: ID!, $filter: DeviceFilterInput) {
        application(organizationId: $o, applicationId: $a) {
          groupSeries(filter: $filter, variable: "energy", from: ${start}, to: ${start + 4 * hour}, combine: count) { values } } }`;
      const { body } = await owner.graph(text, { o, a: applicationId, filter });
      return body.data!.application.groupSeries[0].values;
    };
    expect(await countOf({})).toEqual([2]);
    expect(await countOf({ ids: [d['a2'], d['b1'], 'none'] })).toEqual([1]);
    expect(await countOf({ tag: 'roof' })).toEqual([1]);
  });

  it('leaves out buckets with fewer devices than wanted', async () => {
    const [line] = await lines({ interval: hour, minDevices: 2 });
    expect(line!.ts).toEqual([start, start + hour]);
  });

  it('counts the seconds of a state, of booleans and texts', async () => {
    const [on] = await lines({
      over: { tag: 'roof' },
      variable: 'on',
      perDevice: 'timeInState',
      interval: hour,
      maxAge: hour,
    });
    expect(on).toMatchObject({ ts: [start, start + hour], values: [1800, hour] });
    const [eco] = await lines({ over: { tag: 'roof' }, variable: 'mode', perDevice: 'timeInState', state: 'eco' });
    expect(eco!.values).toEqual([1800]);
  });

  it('has days of the time zone that is named, or of the organization', async () => {
    const days = { calendarInterval: 'day', perDevice: 'count', combine: 'sum' };
    const [utc] = await lines(days);
    expect(utc).toMatchObject({ ts: [start - 22 * hour, start + 2 * hour], values: [7, 2] });
    const [berlin] = await lines({ ...days, timeZone: 'Europe/Berlin' });
    expect(berlin).toMatchObject({ ts: [start - 23 * hour, start + hour], values: [4, 5] });
  });

  it('answers an application without devices with an empty line', async () => {
    expect(await lines({ over: { applicationId: emptyId } })).toMatchObject([{ ts: [], values: [] }]);
  });

  it('continues from the first value of a new meter', async () => {
    const declare = `mutation ($o: ID!, $d: ID!, $value: Float!) {
      declareMeterExchange(organizationId: $o, deviceId: $d, variable: "energy", ts: ${start + 3 * hour}, value: $value) { meterExchanges { variable ts value } } }`;
    await owner.graph(declare, { o, d: d['a1'], value: 4711 });
    const { body } = await owner.graph(declare, { o, d: d['a1'], value: 2 });
    expect(body.data!.declareMeterExchange.meterExchanges).toEqual([
      { variable: 'energy', ts: start + 3 * hour, value: 2 },
    ]);
    expect((await lines({ over: { tag: 'roof' }, perDevice: 'increase' }))[0]!.values).toEqual([33]);
    const remove = `mutation ($o: ID!, $d: ID!) {
      removeMeterExchange(organizationId: $o, deviceId: $d, variable: "energy", ts: ${start + 3 * hour}) { meterExchanges { ts } } }`;
    const removed = await owner.graph(remove, { o, d: d['a1'] });
    expect(removed.body.data!.removeMeterExchange.meterExchanges).toEqual([]);
    expect((await lines({ over: { tag: 'roof' }, perDevice: 'increase' }))[0]!.values).toEqual([35]);
  });

  it('reads only devices that the caller can read', async () => {
    const member = await world.member(owner, Role.member);
    const team = await owner.make(`/organizations/${o}/teams`, { name: 'Readers' });
    await owner.put(`/teams/${o}/${team}/members/${member.id}`);
    expect((await lines({ combine: 'count' }, member))[0]).toMatchObject({ values: [] });
    await owner.put(`/teams/${o}/${team}/applications/${applicationId}`, { permission: 'read' });
    expect((await lines({ combine: 'count' }, member))[0]).toMatchObject({ values: [2], expected: [2] });
  });

  it('knows nothing of another organization', async () => {
    const other = await world.organization();
    const foreign = (over: object) => errorOf({ o: other.id, over }, other);
    expect(await foreign({ applicationId })).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
    expect(await foreign({ productId })).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
    expect(await errorOf({}, other)).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
    for (const over of [{ tag: 'roof' }, { devices: { applicationId } }, { devices: { productIds: [productId] } }])
      expect(await lines({ o: other.id, over }, other)).toMatchObject([{ values: [] }]);
  });

  it.each([
    [{ over: {} }, 'over', /exactly one/],
    [{ over: { tag: 'roof', devices: {} } }, 'over', /exactly one/],
    [{ over: { tag: ' ' } }, 'over.tag', /blank/],
    [{ over: { devices: { near: { lat: 91, lon: 0, radius: 1 } } } }, 'over.devices.near.lat', /90/],
    [{ variable: '' }, 'variable', /character/],
    [{ interval: 0 }, 'interval', /1/],
    [{ interval: 60, calendarInterval: 'day' }, 'calendarInterval', /beside `interval`/],
    [{ interval: 60, points: 10 }, 'points', /beside `interval`/],
    [{ points: 2 }, 'points', /3/],
    [{ calendarInterval: 'day', timeZone: 'Mars' }, 'timeZone', /no such time zone/],
    [{ from: start + 5 * hour }, 'from', /before `to`/],
    [{ from: 1e10, to: null }, 'from', /before now/],
    [{ interval: 1, to: start + 6000 }, 'interval', /5000 points/],
    [{ calendarInterval: 'hour', from: 0 }, 'calendarInterval', /5000 points/],
    [{ interval: hour, perDevice: 'increase', fill: 'previous' }, 'fill', /perDevice: increase/],
    [{ fill: 'previous' }, 'fill', /whole range/],
    [{ interval: 1, to: start + 60, fill: 'previous' }, 'maxAge', /5000 buckets/],
    [{ maxAge: 0 }, 'maxAge', /1/],
    [{ minDevices: 0 }, 'minDevices', /1/],
    [{ state: '' }, 'state', /character/],
  ])('refuses %j with the path `%s`', async (values, path, message) => {
    const error = await errorOf(values);
    expect(error).toMatchObject({ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
    expect((error!.extensions as any).errors[0].message).toMatch(message);
  });

  it('answers over REST, as the graph does', async () => {
    const body = {
      over: { tag: 'meter' },
      variable: 'energy',
      from: start,
      to: start + 4 * hour,
      perDevice: 'increase',
      combine: 'sum',
    };
    const answer = await owner.post(`/organizations/${o}/group-series`, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject([{ values: [37], devices: [2], expected: [2], unit: 'kWh' }]);
    expect((await owner.post(`/organizations/${o}/group-series`, { ...body, over: {} })).status).toBe(422);
  });
});
