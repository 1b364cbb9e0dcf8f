import { beforeAll, describe, expect, it } from '@jest/globals';
import { rollUpAll } from '../search/rolled.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { move, newChain, newSite } from './sites.js';

const world = useWorld();
let owner: AccountActor;
let application: string;
let building: string;
let floor: string;
let annex: string;

/** Serials of devices, with the values that each has sent on a past day and today. */
const values = { 'a0-01': [1, 2], 'a0-02': [10], 'a0-03': [100], 'a0-04': [1000] };

/** The first two devices are on the floor of the building, the third in its annex, the fourth nowhere. */
beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const variables = [{ name: 'n', type: 'FLOAT32' }];
  const product = { id: await owner.make(`${at}/products`, { name: 'P', version: '1', variables }) };
  const applicationId = await owner.make(`${at}/applications`, { name: 'A' });
  application = `/applications/${owner.id}/${applicationId}`;
  const devices: string[] = [];
  for (const serial of Object.keys(values)) devices.push(await owner.make(`${at}/devices/${serial}`, { product }));
  for (const id of devices) await owner.put(`${application}/devices/${id}`);
  [building, floor] = (await newChain(owner, 2)) as [string, string];
  annex = await newSite(owner, 'Annex', building);
  await move(owner, devices, annex, 1000);
  await move(owner, devices.slice(0, 2), floor, 2000);
  await move(owner, [devices[3]!], null, 2000);
  const longAgo = Math.floor(Date.now() / 86_400_000 - 5) * 86_400 + 7200;
  const records = Object.entries(values).flatMap(([serial, all]) =>
    all.flatMap((n, index) => [
      { serial, ts: longAgo + index, data: { n } },
      { serial, data: { n } },
    ]),
  );
  await owner.post(`${at}/records`, records);
});

interface Answer {
  hits: { total: { value: number }; hits: { _source: { device: object } }[] };
  aggregations?: Record<
    string,
    { value?: number; buckets?: { key: string; doc_count: number; sum: { value: number } }[] }
  >;
}

const search = async (query: object): Promise<Answer> => {
  const { body } = await owner.post<{ responses: Answer[] }>(`${application}/search`, {
    ts: { gte: 0, lte: 4_000_000_000 },
    queries: [{ products: [], ...query }],
  });
  return body.responses[0]!;
};
const found = async (query: object) => (await search({ query, track_total_hits: true })).hits.total.value;
const field = 'device.site.id';

const trials = () => {
  it('finds the devices that are at a site now, or below it', async () => {
    expect(await found({ term: { [field]: building } })).toBe(8);
    expect(await found({ term: { [field]: floor } })).toBe(6);
    expect(await found({ terms: { [field]: [floor, annex] } })).toBe(8);
    expect(await found({ exists: { field } })).toBe(8);
    expect(await found({ bool: { must_not: [{ term: { [field]: floor } }] } })).toBe(4);
    expect(await found({ term: { [field]: 'nothing' } })).toBe(0);
  });

  it('makes a bucket of each site with all below it', async () => {
    const { aggregations } = await search({
      size: 0,
      aggs: {
        sites: { terms: { field, missing: 'none' }, aggs: { sum: { sum: { field: 'data.n' } } } },
        count: { cardinality: { field } },
      },
    });
    const buckets = aggregations!['sites']!.buckets!.map(({ key, doc_count: count, sum }) => [key, count, sum.value]);
    expect(buckets.sort()).toEqual(
      [
        [building, 8, 226],
        [floor, 6, 26],
        [annex, 2, 200],
        ['none', 2, 2000],
      ].sort(),
    );
    expect(aggregations!['count']!.value).toBe(3);
  });

  it('sums a day of the devices below a site', async () => {
    const { aggregations } = await search({
      size: 0,
      query: { term: { [field]: floor } },
      aggs: {
        days: { date_histogram: { field: 'ts', fixed_interval: '1d' }, aggs: { sum: { sum: { field: 'data.n' } } } },
      },
    });
    const days = aggregations!['days']!.buckets!.filter(({ doc_count: count }) => count > 0);
    expect(days.map(({ sum }) => sum.value)).toEqual([13, 13]);
  });
};

describe('device.site.id in records', () => {
  trials();
});

describe('device.site.id in rollups', () => {
  beforeAll(() => rollUpAll(world.pool));
  trials();
});

describe('search', () => {
  it('shows no site in hits', async () => {
    const { hits } = await search({ query: { term: { [field]: floor } }, fields: ['device.*'] });
    expect(JSON.stringify(hits)).not.toContain(floor);
    for (const { _source } of hits.hits) expect(_source.device).not.toHaveProperty('site');
  });

  it('decides alert rules by device.site.id', async () => {
    const query = { bool: { filter: [{ term: { [field]: floor } }, { range: { 'data.n': { gt: 7 } } }] } };
    await owner.make(`${application}/alert-rules`, { name: 'R', kind: 'threshold', when: { query } });
    const records = ['a0-01', 'a0-02', 'a0-03'].map((serial, index) => ({ serial, data: { n: index === 0 ? 5 : 8 } }));
    await owner.post(`/organizations/${owner.id}/records`, records);
    const { rows } = await world.pool.query(
      'select d.serial from episode e join device d on d.id = e.device_id where e.organization_id = $1',
      [owner.id],
    );
    expect(rows).toEqual([{ serial: 'a0-02' }]);
  });

  it('filters the records of a hook by device.site.id', async () => {
    const url = `${application}/hooks`;
    const hook = await owner.make(url, { url: 'http://127.0.0.1:9/' });
    const filter = { query: { term: { [field]: floor } } };
    expect((await owner.put(`${url}/${hook}/settings`, { filter })).status).toBe(200);
    const records = ['a0-01', 'a0-03'].map((serial) => ({ serial, data: { n: 5 } }));
    await owner.post(`/organizations/${owner.id}/records`, records);
    const { rows } = await world.pool.query(
      'select d.serial from delivery join device d on d.id = device_id where hook_id = $1',
      [hook],
    );
    expect(rows).toEqual([{ serial: 'a0-01' }]);
  });
});
