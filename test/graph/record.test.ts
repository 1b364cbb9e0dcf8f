import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
const start = 1_700_000_000;

let owner: AccountActor;
let o: string;
let productId: string;
let applicationId: string;
const deviceIds: string[] = [];

const send = (serial: string, count: number, from = start) =>
  owner.post(
    `/organizations/${o}/records`,
    Array.from({ length: count }, (_, index) => ({
      serial,
      ts: from + index,
      data: { temperature: index, door: index % 2 },
    })),
  );

beforeAll(async () => {
  owner = await world.organization();
  o = owner.id;
  const variables = [
    { name: 'temperature', type: 'FLOAT32', unit: '°C' },
    { name: 'door', type: 'BOOL' },
    { name: 'counter', type: 'INT64' },
    { name: 'note', type: 'TXT' },
  ];
  productId = await owner.make(`/organizations/${o}/products`, { name: 'Sensor', version: '1', variables });
  applicationId = await owner.make(`/organizations/${o}/applications`, { name: 'Field' });
  for (const serial of ['a1', 'a2', 'a3']) {
    const id = await owner.make(
      `/organizations/${o}/devices/${serial}`,
      serial === 'a3' ? {} : { product: { id: productId } },
    );
    deviceIds.push(id);
    if (serial !== 'a3') await owner.put(`/applications/${o}/${applicationId}/devices/${id}`);
  }
  await send('a1', 25);
  await send('a2', 10, start + 100);
});

const ofDevice = `query ($o: ID!, $d: ID!, $limit: Int = 10, $page: Int = 1, $after: String, $sort: String, $from: UnixTime, $to: UnixTime) {
  device(organizationId: $o, deviceId: $d) {
    records(limit: $limit, page: $page, after: $after, sort: $sort, from: $from, to: $to) {
      totalCount endCursor hasMore items { id ts }
    }
  }
}`;
const ofApplication = ofDevice.replace(
  'device(organizationId: $o, deviceId: $d)',
  'application(organizationId: $o, applicationId: $d)',
);

interface RecordPage {
  totalCount: number;
  endCursor: string | null;
  hasMore: boolean;
  items: { id: string; ts: number }[];
}

const page = async (query: string, d: string, more: object = {}): Promise<RecordPage> => {
  const { body } = await owner.graph(query, { o, d, ...more });
  expect(body.errors).toBeUndefined();
  return Object.values(body.data!)[0].records as RecordPage;
};
const faultOf = async (query: string, d: string, more: object): Promise<unknown> =>
  (await owner.graph(query, { o, d, ...more })).body.errors?.[0];

const readAllPages = async (query: string, d: string, more: object, between = async () => {}): Promise<number[]> => {
  const times: number[] = [];
  for (let after: string | null = null, hasMore = true; hasMore; ) {
    const answer: RecordPage = await page(query, d, { ...more, after });
    times.push(...answer.items.map(({ ts }) => ts));
    ({ endCursor: after, hasMore } = answer);
    await between();
  }
  return times;
};
const descending = (count: number, from = start) =>
  Array.from({ length: count }, (_, index) => from + count - 1 - index);

describe('records of a device in GraphQL', () => {
  it('returns the newest first, in counted pages', async () => {
    const first = await page(ofDevice, deviceIds[0]!);
    expect(first).toMatchObject({ totalCount: 25, hasMore: true });
    expect(first.items.map(({ ts }) => ts)).toEqual(descending(25).slice(0, 10));
    const third = await page(ofDevice, deviceIds[0]!, { page: 3 });
    expect(third.items.map(({ ts }) => ts)).toEqual(descending(25).slice(20));
    expect(third.hasMore).toBe(false);
  });

  it('returns the oldest first for sort ts, by cursor too', async () => {
    expect(await readAllPages(ofDevice, deviceIds[0]!, { sort: 'ts', limit: 7 })).toEqual(descending(25).toReversed());
    expect(await readAllPages(ofDevice, deviceIds[0]!, { sort: '-ts', limit: 7 })).toEqual(descending(25));
  });

  it('includes both ends of a time range', async () => {
    const answer = await page(ofDevice, deviceIds[0]!, { from: start + 3, to: start + 5 });
    expect(answer).toMatchObject({ totalCount: 3, hasMore: false });
    expect(answer.items.map(({ ts }) => ts)).toEqual([start + 5, start + 4, start + 3]);
  });

  it('returns each record once by cursor while more are stored', async () => {
    const id = await owner.make(`/organizations/${o}/devices/bb`);
    await send('bb', 20);
    let sent = 0;
    const times = await readAllPages(ofDevice, id, { limit: 3 }, async () => {
      await send('bb', 5, start + 1000 * ++sent);
    });
    expect(times).toEqual(descending(20));
  });

  it('returns each record once by cursor when all have the same time', async () => {
    const id = await owner.make(`/organizations/${o}/devices/cc`);
    await owner.post(
      `/organizations/${o}/records`,
      Array.from({ length: 9 }, () => ({ serial: 'cc', ts: start, data: {} })),
    );
    expect(await readAllPages(ofDevice, id, { limit: 2 })).toEqual(Array(9).fill(start));
    expect((await page(ofDevice, id, { limit: 9 })).items.map(({ id: each }) => each)).toHaveLength(9);
  });

  it('returns an empty page without a cursor when there are no records', async () => {
    expect(await page(ofDevice, deviceIds[2]!)).toEqual({ totalCount: 0, endCursor: null, hasMore: false, items: [] });
  });

  it('refuses a forged cursor, and a cursor together with a page', async () => {
    const { endCursor } = await page(ofDevice, deviceIds[0]!);
    for (const [query, id] of [[ofDevice, deviceIds[0]!] as const, [ofApplication, applicationId] as const]) {
      const wrong = [
        `["deliveries","${id}","x","1"]`,
        `["records","${id}","1","1 or true"]`,
        `["records","${id}"]`,
        '["records"]',
        `["records","${id}","abc","1"]`,
        `["records","${id}","${'9'.repeat(26)}","1"]`,
        `["records","${id}","1","${'9'.repeat(26)}"]`,
        `["records","${id}",1,1]`,
        `"${id}"`,
        '"x"',
        'null',
      ].map((text) => Buffer.from(text).toString('base64url'));
      for (const after of ['', 'x', 'nonsense', ...wrong]) {
        expect(await faultOf(query, id, { after })).toMatchObject({
          message: 'after is not a cursor of this list; send an endCursor of its pages.',
          extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'after' }] },
        });
      }
    }
    expect(await faultOf(ofApplication, applicationId, { after: endCursor, sort: 'ts' })).toMatchObject({
      extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'after' }] },
    });
    expect(await faultOf(ofDevice, deviceIds[0]!, { after: endCursor, page: 2 })).toMatchObject({
      extensions: { errors: [{ path: 'page' }] },
    });
    expect(await faultOf(ofDevice, deviceIds[0]!, { after: endCursor, sort: 'ts' })).toMatchObject({
      extensions: { errors: [{ path: 'after' }] },
    });
    expect(await faultOf(ofDevice, deviceIds[0]!, { sort: 'id' })).toMatchObject({
      extensions: { errors: [{ path: 'sort' }] },
    });
  });
});

const refused = {
  message: 'after is not a cursor of this list; send an endCursor of its pages.',
  extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'after' }] },
};

describe('cursor of records', () => {
  it('fails with VALIDATION_FAILED for another device or for an application', async () => {
    const { endCursor: ofFirst } = await page(ofDevice, deviceIds[0]!, { limit: 3 });
    const { endCursor: ofAll } = await page(ofApplication, applicationId, { limit: 3 });
    expect(await page(ofDevice, deviceIds[0]!, { after: ofFirst })).toMatchObject({ hasMore: true });
    expect(await faultOf(ofDevice, deviceIds[1]!, { after: ofFirst })).toMatchObject(refused);
    expect(await faultOf(ofDevice, deviceIds[0]!, { after: ofAll })).toMatchObject(refused);
    expect(await faultOf(ofApplication, applicationId, { after: ofFirst })).toMatchObject(refused);
  });

  it('applies only to its own list when several lists receive it', async () => {
    const { endCursor: after } = await page(ofDevice, deviceIds[0]!, { limit: 3 });
    const query = `query ($o: ID!, $first: ID!, $second: ID!, $after: String) {
      first: device(organizationId: $o, deviceId: $first) { ...After }
      second: device(organizationId: $o, deviceId: $second) { ...After }
    }
    fragment After on Device { records(limit: 2, after: $after) { items { ts } } }`;
    const { body } = await owner.graph(query, { o, first: deviceIds[0], second: deviceIds[1], after });
    expect(body.errors).toMatchObject([{ ...refused, path: ['second', 'records'] }]);
    const items = descending(25)
      .slice(3, 5)
      .map((ts) => ({ ts }));
    expect(body.data).toEqual({ first: { records: { items } }, second: null });
  });
});

describe('records of an application in GraphQL', () => {
  it('returns the records of all its devices in order of time, by page and by cursor', async () => {
    const all = [...descending(10, start + 100), ...descending(25)];
    expect(await page(ofApplication, applicationId, { limit: 35 })).toMatchObject({ totalCount: 35, hasMore: false });
    expect(await readAllPages(ofApplication, applicationId, { limit: 4 })).toEqual(all);
    expect(await readAllPages(ofApplication, applicationId, { limit: 4, sort: 'ts' })).toEqual(all.toReversed());
    const second = await page(ofApplication, applicationId, { limit: 8, page: 2 });
    expect(second.items.map(({ ts }) => ts)).toEqual(all.slice(8, 16));
  });

  it('finds the same records by search', async () => {
    const { body } = await owner.graph(
      `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) {
        search(ts: { gte: 0, lte: 4000000000 }, queries: [{ products: [], size: 1 }]) { responses } } }`,
      { o, a: applicationId },
    );
    expect(body.data!.application.search.responses[0].hits.total.value).toBe(35);
  });
});

describe('record in GraphQL', () => {
  it('contains its device and product, and each value with type and unit', async () => {
    await owner.post(`/organizations/${o}/records`, [
      {
        serial: 'a1',
        ts: start + 5000,
        metadata: { rssi: -90 },
        data: { temperature: 'broken', door: 1, counter: '9007199254740993', note: 'ok', extra: [1, 2], more: 'x' },
      },
    ]);
    const { body } = await owner.graph(
      `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) { records(limit: 1) { items {
        ts metadata data frame device { serial } product { name }
        values { name type unit value typed {
          __typename
          ... on NumberValue { number exact }
          ... on BooleanValue { boolean }
          ... on TextValue { text }
          ... on JSONValue { json }
        } }
      } } } }`,
      { o, d: deviceIds[0] },
    );
    expect(body.errors).toBeUndefined();
    const [record] = body.data!.device.records.items;
    expect(record).toMatchObject({
      ts: start + 5000,
      metadata: { rssi: -90 },
      frame: null,
      device: { serial: 'a1' },
      product: { name: 'Sensor' },
    });
    expect(record.values).toEqual([
      {
        name: 'counter',
        type: 'INT64',
        unit: null,
        value: '9007199254740993',
        typed: { __typename: 'NumberValue', number: 9007199254740992, exact: '9007199254740993' },
      },
      { name: 'door', type: 'BOOL', unit: null, value: 1, typed: { __typename: 'BooleanValue', boolean: true } },
      { name: 'extra', type: null, unit: null, value: [1, 2], typed: { __typename: 'JSONValue', json: [1, 2] } },
      { name: 'more', type: null, unit: null, value: 'x', typed: { __typename: 'TextValue', text: 'x' } },
      { name: 'note', type: 'TXT', unit: null, value: 'ok', typed: { __typename: 'TextValue', text: 'ok' } },
      { name: 'temperature', type: 'FLOAT32', unit: '°C', value: 'broken', typed: null },
    ]);
  });

  it('omits null values, and keeps the other values of an array', async () => {
    const data = { temperature: null, counter: [1, null, 2], door: [null], deep: { a: null }, list: [null, 'x'] };
    await owner.post(`/organizations/${o}/records`, [{ serial: 'a1', ts: start + 6000, data }]);
    const { body } = await owner.graph(
      `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) { records(limit: 1) { items {
        data values { name value typed { ... on NumberValue { number } ... on JSONValue { json } } } } } } }`,
      { o, a: applicationId },
    );
    expect(body.errors).toBeUndefined();
    const [record] = body.data!.application.records.items;
    expect(record.data).toEqual(data);
    expect(record.values).toEqual([
      { name: 'counter', value: [1, null, 2], typed: { json: [1, 2] } },
      { name: 'deep', value: { a: null }, typed: { json: { a: null } } },
      { name: 'door', value: [null], typed: null },
      { name: 'list', value: [null, 'x'], typed: { json: [null, 'x'] } },
    ]);
  });

  it('returns NOT_FOUND for a device that the caller cannot read', async () => {
    const member = await world.member(owner, Role.member);
    const { body } = await member.graph(ofDevice, { o, d: deviceIds[0] });
    expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});

describe('deliveries in GraphQL', () => {
  it('returns each delivery once by cursor while more are stored', async () => {
    const hookId = await owner.make(`/applications/${o}/${applicationId}/hooks`, { url: 'http://127.0.0.1:9/' });
    await send('a2', 12, start + 20_000);
    const below = 'deliveries(limit: 5, after: $after) { endCursor hasMore items { id } }';
    const ofHook = `query ($o: ID!, $a: ID!, $h: ID!, $after: String) {
      applicationHook(organizationId: $o, applicationId: $a, applicationHookId: $h) { ${below} } }`;
    const ofAll = `query ($o: ID!, $a: ID!, $after: String) {
      application(organizationId: $o, applicationId: $a) { ${below} } }`;
    for (const text of [ofHook, ofAll]) {
      const ids: string[] = [];
      for (let after: string | null = null, hasMore = true; hasMore; ) {
        const { body } = await owner.graph(text, { o, a: applicationId, h: hookId, after });
        expect(body.errors).toBeUndefined();
        const answer = Object.values(body.data!)[0].deliveries as RecordPage;
        ids.push(...answer.items.map(({ id }) => id));
        ({ endCursor: after, hasMore } = answer);
        if (ids.length === 5) await send('a2', 1, start + 30_000);
      }
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(ids.toSorted().toReversed());
      expect(ids.length).toBeGreaterThanOrEqual(12);
    }
  });

  it('accepts a cursor from any list of the same hook, and refuses that of another hook', async () => {
    const [hookId, otherId] = await Promise.all(
      [1, 2].map(() => owner.make(`/applications/${o}/${applicationId}/hooks`, { url: 'http://127.0.0.1:9/' })),
    );
    await send('a2', 4, start + 40_000);
    const one = await owner.graph(
      `query ($o: ID!, $a: ID!, $h: ID!) {
        applicationHookDeliveries(organizationId: $o, applicationId: $a, applicationHookId: $h, limit: 3) { endCursor } }`,
      { o, a: applicationId, h: hookId },
    );
    const after: unknown = one.body.data!['applicationHookDeliveries'].endCursor;
    const next = async (h: string) => {
      const query = `query ($o: ID!, $a: ID!, $h: ID!, $after: String) {
        applicationHook(organizationId: $o, applicationId: $a, applicationHookId: $h) {
          deliveries(after: $after) { hasMore items { id } } } }`;
      return (await owner.graph(query, { o, a: applicationId, h, after })).body;
    };
    expect((await next(hookId!)).data).toMatchObject({
      applicationHook: { deliveries: { hasMore: false, items: [{}] } },
    });
    expect((await next(otherId!)).errors).toMatchObject([refused]);
  });
});
