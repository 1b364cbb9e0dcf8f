import { beforeAll, describe, expect, it } from '@jest/globals';
import { daySeconds } from '#common/time.js';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
const now = Math.floor(Date.now() / 1000);

let owner: AccountActor;
let member: AccountActor;
let other: AccountActor;
const products: string[] = [];
let applicationId: string;
let hiddenId: string;
const devices: Record<string, string> = {};

/** Paris and Lyon are 392 km apart. The Fiji islands lie on both sides of the 180th meridian. */
const places: Record<string, { lat: number; lon: number }> = {
  'a1-01': { lat: 48.8566, lon: 2.3522 },
  'a1-02': { lat: 45.764, lon: 4.8357 },
  'a1-03': { lat: -16.8, lon: 179.9 },
  'a1-04': { lat: -16.8, lon: -179.9 },
};

beforeAll(async () => {
  owner = await world.organization();
  other = await world.organization();
  const at = `/organizations/${owner.id}`;
  const variables = [{ name: 'temperature', type: 'FLOAT32' }];
  for (const name of ['One', 'Two', 'Three'])
    products.push(await owner.make(`${at}/products`, { name, version: '1', variables }));
  const values: Record<string, object> = {
    'a1-01': { tags: ['roof', 'north'], product: { id: products[0] } },
    'a1-02': { tags: ['roof'], product: { id: products[1] } },
    'a1-03': { tags: ['Roof'], product: { id: products[2] } },
    'a1-04': { tags: [] },
    'a1-05': { tags: ['roofs'] },
  };
  for (const [serial, value] of Object.entries(values))
    devices[serial] = await owner.make(`${at}/devices/${serial}`, {
      ...value,
      ...(places[serial] && { location: places[serial] }),
    });
  applicationId = await owner.make(`${at}/applications`, { name: 'Seen' });
  hiddenId = await owner.make(`${at}/applications`, { name: 'Hidden' });
  for (const serial of ['a1-01', 'a1-02', 'a1-03'])
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${devices[serial]}`);
  for (const serial of ['a1-01', 'a1-05'])
    await owner.put(`/applications/${owner.id}/${hiddenId}/devices/${devices[serial]}`);
  member = await world.member(owner, Role.member);
  const team = await owner.make(`${at}/teams`, { name: 'Watchers' });
  await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
  await owner.put(`/teams/${owner.id}/${team}/applications/${applicationId}`, { permission: 'read' });
  const record = (serial: string, ts: number) => ({ serial, ts, data: { temperature: 20 } });
  const stored = await owner.post(`${at}/records`, [
    record('a1-01', now - 60),
    // A late record does not replace a newer one.
    record('a1-01', now - 40 * daySeconds),
    record('a1-02', now - 3 * daySeconds),
    record('a1-03', now - 40 * daySeconds),
    // A record of a device whose clock is ahead.
    record('a1-05', now + daySeconds / 2),
  ]);
  expect(stored.body).toMatchObject({ accepted: 5 });
});

const query = `query ($o: ID!, $filter: DeviceFilterInput, $limit: Int, $page: Int, $sort: String, $q: String) {
  devices(organizationId: $o, filter: $filter, limit: $limit, page: $page, sort: $sort, q: $q) {
    totalCount items { serial lastRecordAt } } }`;

interface Found {
  totalCount: number;
  items: { serial: string; lastRecordAt: string | null }[];
}

async function find(filter: object | null, page: object = {}, caller = owner): Promise<[number, ...string[]]> {
  const { body } = await caller.graph(query, { o: owner.id, filter, limit: 10, page: 1, ...page });
  expect(body.errors).toBeUndefined();
  const { totalCount, items } = body.data!['devices'] as Found;
  return [totalCount, ...items.map(({ serial }) => serial)];
}

describe('device filter', () => {
  it('matches a tag only as a whole', async () => {
    expect(await find({ tag: 'roof' })).toEqual([2, 'a1-01', 'a1-02']);
  });

  it('matches devices of several products, and nothing for an invalid identifier', async () => {
    expect(await find({ productIds: [products[0], products[2], 'none'] })).toEqual([2, 'a1-01', 'a1-03']);
    expect(await find({ productIds: [] })).toEqual([0]);
  });

  it('matches devices of an application only when the caller can read it', async () => {
    expect(await find({ applicationId })).toEqual([3, 'a1-01', 'a1-02', 'a1-03']);
    expect(await find({ applicationId: hiddenId })).toEqual([2, 'a1-01', 'a1-05']);
    expect(await find({ applicationId: hiddenId }, {}, member)).toEqual([0]);
    expect(await find({ applicationId: 'none' })).toEqual([0]);
  });

  it('matches devices that are silent since a time, including those without records', async () => {
    expect(await find({ silentSince: now - daySeconds })).toEqual([3, 'a1-02', 'a1-03', 'a1-04']);
    expect(await find({ silentSince: now - 30 * daySeconds })).toEqual([2, 'a1-03', 'a1-04']);
    expect(await find({ silentSince: now - 40 * daySeconds })).toEqual([1, 'a1-04']);
    expect(await find({ silentSince: now - daySeconds }, {}, member)).toEqual([2, 'a1-02', 'a1-03']);
  });

  it('matches devices in a circle, also across the 180th meridian and around a pole', async () => {
    expect(await find({ near: { ...places['a1-01'], radius: 391_000 } })).toEqual([1, 'a1-01']);
    expect(await find({ near: { ...places['a1-01'], radius: 393_000 } })).toEqual([2, 'a1-01', 'a1-02']);
    expect(await find({ near: { ...places['a1-03'], radius: 25_000 } })).toEqual([2, 'a1-03', 'a1-04']);
    expect(await find({ near: { lat: 90, lon: 0, radius: 5_000_000 } })).toEqual([2, 'a1-01', 'a1-02']);
    expect(await find({ near: { ...places['a1-01'], radius: 0 } })).toEqual([1, 'a1-01']);
  });

  it('combines its conditions with each other, q, sort and paging', async () => {
    expect(await find({ tag: 'roof', silentSince: now - daySeconds })).toEqual([1, 'a1-02']);
    expect(await find({ silentSince: now - daySeconds }, { sort: '-serial', limit: 2 })).toEqual([3, 'a1-04', 'a1-03']);
    expect(await find({ silentSince: now - daySeconds }, { sort: '-serial', limit: 2, page: 2 })).toEqual([3, 'a1-02']);
    expect(await find({ silentSince: now - daySeconds }, { q: '0[34]$' })).toEqual([2, 'a1-03', 'a1-04']);
    expect(await find({})).toEqual([5, ...Object.keys(devices)]);
    expect(await find(null)).toEqual([5, ...Object.keys(devices)]);
  });

  it('sorts by the time of the newest record, with devices without records last, page by page', async () => {
    const newestFirst = ['a1-05', 'a1-01', 'a1-02', 'a1-03', 'a1-04'];
    const oldestFirst = ['a1-03', 'a1-02', 'a1-01', 'a1-05', 'a1-04'];
    expect(await find(null, { sort: '-lastRecordAt' })).toEqual([5, ...newestFirst]);
    expect(await find(null, { sort: 'lastRecordAt' })).toEqual([5, ...oldestFirst]);
    const pages = [1, 2, 3].map((page) => find(null, { sort: '-lastRecordAt,serial', limit: 2, page }));
    expect((await Promise.all(pages)).flatMap(([, ...serials]) => serials)).toEqual(newestFirst);
    expect(await find({ tag: 'roof' }, { sort: '-lastRecordAt', q: 'a1' })).toEqual([2, 'a1-01', 'a1-02']);
    expect(await find(null, { sort: '-lastRecordAt' }, member)).toEqual([3, 'a1-01', 'a1-02', 'a1-03']);
  });

  it('applies below an organization and below an application', async () => {
    const { body } = await owner.graph(`{ account {
      devices(filter: { tag: "roof" }) { totalCount items { serial } }
      applications { items { name devices(filter: { silentSince: ${now - daySeconds} }) { totalCount items { serial } } } } } }`);
    expect(body.data?.['account']).toEqual({
      devices: { totalCount: 2, items: [{ serial: 'a1-01' }, { serial: 'a1-02' }] },
      applications: {
        items: [
          { name: 'Seen', devices: { totalCount: 2, items: [{ serial: 'a1-02' }, { serial: 'a1-03' }] } },
          { name: 'Hidden', devices: { totalCount: 0, items: [] } },
        ],
      },
    });
  });

  it.each([
    ['filter.tag', { tag: '' }],
    ['filter.tag', { tag: 'x'.repeat(65) }],
    ['filter.productIds', { productIds: Array.from({ length: 101 }, String) }],
    ['filter.silentSince', { silentSince: -1 }],
    ['filter.near.lat', { near: { lat: 91, lon: 0, radius: 1 } }],
    ['filter.near.radius', { near: { lat: 0, lon: 0, radius: -1 } }],
  ])('returns VALIDATION_FAILED for an invalid %s', async (path, filter) => {
    const { body } = await owner.graph(query, { o: owner.id, filter, limit: 10, page: 1 });
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }]);
  });

  it('matches no device of another organization', async () => {
    const variables = { o: other.id, filter: { applicationId }, limit: 10, page: 1 };
    const { body } = await other.graph(query, variables);
    expect(body.data?.['devices']).toEqual({ totalCount: 0, items: [] });
    const refused = await other.graph(query, { ...variables, o: owner.id });
    expect(refused.body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});

describe('mutation of all devices that are silent since a time', () => {
  const change = async (filter: object, dryRun: boolean) => {
    const { body } = await other.graph(
      `mutation ($o: ID!, $filter: DeviceFilterInput, $dryRun: Boolean) {
        tagDevices(organizationId: $o, filter: $filter, dryRun: $dryRun, tags: ["silent"]) { matched changed job { id } } }`,
      { o: other.id, filter, dryRun },
    );
    expect(body.errors).toBeUndefined();
    return body.data!['tagDevices'] as { matched: number; changed: number; job: { id: string } | null };
  };

  it('leaves the other devices unchanged, also as a job', async () => {
    const at = `/organizations/${other.id}`;
    for (const serial of ['a2-01', 'ff-02']) await other.make(`${at}/devices/${serial}`);
    await world.pool.query(
      `insert into device (id, organization_id, serial, slug, tags, created_at, updated_at)
       select gen_random_uuid(), $1, 'b' || n, 'b', '{}', now(), now() from generate_series(1000, 2199) n`,
      [other.id],
    );
    const stored = await other.post(`${at}/records`, [
      { serial: 'a2-01', ts: now - 60, data: {} },
      { serial: 'b1500', ts: now - 60, data: {} },
      { serial: 'ff-02', ts: now - 2 * daySeconds, data: {} },
    ]);
    expect(stored.body).toMatchObject({ accepted: 3 });
    const filter = { silentSince: now - daySeconds };
    expect(await change({ ...filter, silentSince: now - 3 * daySeconds }, true)).toMatchObject({ matched: 1199 });
    const { job, ...counted } = await change(filter, false);
    expect(counted).toEqual({ matched: 1200, changed: 1200 });
    const over = async () => {
      for (;;) {
        const { body } = await other.get<{ state: string }>(`${at}/jobs/${job!.id}`);
        if (body.state === 'done' || body.state === 'failed') return body;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    expect(await over()).toMatchObject({ state: 'done', total: 1200, changed: 1200 });
    const variables = { o: other.id, limit: 1, page: 1 };
    const tagged = await other.graph(query, { ...variables, filter: { tag: 'silent' } });
    expect(tagged.body.data!['devices']).toMatchObject({ totalCount: 1200 });
    const left = await other.graph(query, { ...variables, q: '^(a2-01|b1500)$', filter: { tag: 'silent' } });
    expect(left.body.data!['devices']).toMatchObject({ totalCount: 0 });
  }, 180_000);
});

it('returns 422 for a device filter over REST, and devices without lastRecordAt', async () => {
  const at = `/organizations/${owner.id}/devices`;
  expect((await owner.get(`${at}?filter=1`)).status).toBe(422);
  const { body } = await owner.get<object[]>(at);
  expect(Object.keys(body[0]!)).not.toContain('lastRecordAt');
});

it("returns the time of each device's newest record, or null, as lastRecordAt", async () => {
  const { body } = await owner.graph(query, { o: owner.id, limit: 10, page: 1 });
  const { items } = body.data!['devices'] as Found;
  const at = (seconds: number) => new Date(seconds * 1000).toISOString();
  const times = Object.fromEntries(items.map(({ serial, lastRecordAt }) => [serial, lastRecordAt]));
  expect(times).toEqual({
    'a1-01': at(now - 60),
    'a1-02': at(now - 3 * daySeconds),
    'a1-03': at(now - 40 * daySeconds),
    'a1-04': null,
    'a1-05': expect.any(String),
  });
  // The record that is half a day ahead counts at its arrival.
  expect(times['a1-05']! >= at(now) && times['a1-05']! <= at(Date.now() / 1000)).toBe(true);
});

it('returns the newest record that is not far ahead of now, however many older records follow', async () => {
  const id = await owner.make(`/organizations/${owner.id}/devices/fe-ed`);
  const now = Math.floor(Date.now() / 1000);
  const send = async (...records: [ts: number, t: number][]) => {
    for (const [ts, t] of records)
      await owner.post(`/organizations/${owner.id}/records`, { serial: 'fe-ed', ts, data: { t } });
  };
  await send([now + 20 * 3600, 1], [now + 9, 2], ...Array.from({ length: 25 }, (): [number, number] => [now + 7, 3]));
  const query = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) {
    lastRecordAt clockAhead latest { value } } }`;
  const { body } = await owner.graph(query, { o: owner.id, d: id });
  expect(body.data!['device']).toEqual({
    lastRecordAt: new Date((now + 9) * 1000).toISOString(),
    clockAhead: null,
    latest: [{ value: 2 }],
  });
});
