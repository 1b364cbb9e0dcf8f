import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { newId } from '#entities/id.js';
import type { PlainJson } from '#json/json.js';
import { createMapping } from '#records/opensearch/cluster-mapping.js';
import { FieldPlaces } from '#records/opensearch/place.js';
import { useWorld, type WorldRecord } from '../search/world.js';
import { recordIndexSettings } from '../support/record-index.js';
import { openParts } from './parts.js';

const at = (month: string) => Date.parse(`${month}-10T00:00:00Z`) / 1000;
const devices = ['01', '02', '03', '04'].map((serial) => ({ serial }));
/** The second month lacks `x` and `w`, and the first lacks `late`. */
const records: WorldRecord[] = [
  { serial: '01', ts: at('2026-03'), data: { x: 5, w: 'red' } },
  { serial: '02', ts: at('2026-03') + 1, data: { x: -2, w: 'blue' } },
  { serial: '03', ts: at('2026-04'), data: { late: 1 } },
  { serial: '04', ts: at('2026-04') + 1, data: { late: 2 } },
];
const world = useWorld({ devices, records, timeoutMs: 60_000 });
let parts: ReturnType<typeof openParts>;
beforeAll(() => {
  parts = openParts(world.pool, world.databaseUrl!);
});
afterAll(() => parts.client.close());

interface Buckets {
  buckets: { key: PlainJson; doc_count: number }[];
  after_key?: PlainJson;
}

const aggregated = async (aggregation: PlainJson): Promise<Buckets> => {
  const answer = await world.ask({ size: 0, aggs: { a: aggregation } });
  return (answer as unknown as { aggregations: { a: Buckets } }).aggregations.a;
};

const byMetric = async (metric: string, order: string) => {
  const terms = { field: 'device.serial', order: { m: order } };
  const { buckets } = await aggregated({ terms, aggs: { m: { [metric]: { field: 'data.x' } } } });
  return buckets.map(({ key }) => key);
};

describe('search over months of which some lack a field', () => {
  it.each([
    ['min', 'desc', ['03', '04', '01', '02']],
    ['max', 'asc', ['03', '04', '02', '01']],
    ['avg', 'desc', ['01', '02', '03', '04']],
  ])('returns terms ordered by %s %s with the devices of every month', async (metric, order, expected) => {
    expect(await byMetric(metric, order)).toEqual(expected);
  });

  it.each([
    ['data.x', { order: 'desc' }],
    ['data.x', { missing_order: 'last' }],
    ['data.late', { order: 'desc' }],
    ['data.late', { missing_order: 'last' }],
    ['data.w', { order: 'desc' }],
    ['data.none', { order: 'desc' }],
  ])('returns all pages of composite buckets with missing_bucket of %s and %j', async (field, order) => {
    const read: number[] = [];
    for (let after: PlainJson | undefined; read.length <= devices.length; ) {
      const sources: PlainJson[] = [
        { v: { terms: { field, missing_bucket: true, ...order } } },
        { d: { terms: { field: 'device.serial' } } },
      ];
      const found = await aggregated({ composite: { size: 1, sources, ...(after !== undefined && { after }) } });
      if (found.buckets.length === 0) break;
      read.push(...found.buckets.map(({ doc_count }) => doc_count));
      after = found.after_key;
    }
    expect(read).toEqual([1, 1, 1, 1]);
  });
});

/** Opens another process's mapping of the same indices. */
const openMapping = () => {
  const { cluster } = readConfig(recordIndexSettings(world.databaseUrl!));
  return createMapping(parts.client, cluster!, world.pool);
};

/** Returns the fields of each index. */
const fieldsByIndex = async (): Promise<Set<string>[]> => {
  const { body } = await parts.client.indices.getMapping({ index: parts.names.all });
  const indices = Object.values(body as Record<string, { mappings: { properties: object } }>);
  return indices.map(({ mappings }) => new Set(Object.keys(mappings.properties)));
};

/** Makes the template and an index as a release did that mapped a field with its first record of a month. */
const makeAsBefore = async (month: string) => {
  const { body } = await parts.client.indices.getIndexTemplate({ name: `${parts.names.alias}-1` });
  const [{ index_template: before }] = (body as unknown as { index_templates: [{ index_template: Template }] })
    .index_templates;
  const { properties } = before.template.mappings;
  const base = Object.entries(properties).filter(([field]) => !/^[nlk]\d+$/.test(field));
  before.template.mappings.properties = Object.fromEntries(base);
  delete before._meta;
  await parts.client.indices.putIndexTemplate({ name: `${parts.names.alias}-1`, body: before } as never);
  await parts.client.indices.create({ index: parts.names.of(at(month)) });
};

interface Template {
  _meta?: object;
  template: { mappings: { properties: Record<string, object> } };
}

describe('mapping of the indices on a cluster', () => {
  it('reaches the indices of an earlier release when a process starts', async () => {
    await makeAsBefore('2025-05');
    expect((await fieldsByIndex()).every((fields) => fields.has('n1'))).toBe(false);
    await openMapping().ready();
    for (const fields of await fieldsByIndex()) expect([...fields]).toEqual(expect.arrayContaining(['n1', 'l1', 'k1']));
    await parts.client.indices.create({ index: parts.names.of(at('2025-07')) });
    for (const fields of await fieldsByIndex()) expect(fields).toContain('n1');
  });

  it('reaches all months again after an older release has replaced the template', async () => {
    await makeAsBefore('2025-06');
    await world.store([{ serial: '04', ts: at('2025-06'), data: { other: 1 } }]);
    expect(await byMetric('min', 'desc')).toEqual(['03', '04', '01', '02']);
  });

  it('reaches the other months when an index takes no new fields, and that one once it does', async () => {
    const frozen = parts.names.of(at('2026-04'));
    const freeze = (isFrozen: boolean) =>
      parts.client.indices.putSettings({ index: frozen, body: { 'index.blocks.read_only': isFrozen } });
    const mapping = openMapping();
    await mapping.ready();
    await makeAsBefore('2025-08');
    await freeze(true);
    try {
      await mapping.ready(true);
    } finally {
      await freeze(false);
    }
    await mapping.ready(true);
    for (const fields of await fieldsByIndex()) expect(fields).toContain('n1');
  });

  it('reaches every month when several processes see new names at once, without a request for most names', async () => {
    const processes = Array.from({ length: 3 }, () => new FieldPlaces(world.pool, openMapping().mapPlaces));
    const organizations = await Promise.all(processes.map(makeOrganization));
    const paths = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({ path: `data.p${from + n}`, kind: 'n' as const }));
    await Promise.all([
      ...processes.map((places, index) => places.assign(organizations[index]!, paths(0, 60 + 50 * index))),
      ...['2024-01', '2024-02'].map((month) => parts.client.indices.create({ index: parts.names.of(at(month)) })),
    ]);
    for (const fields of await fieldsByIndex()) expect(fields).toContain('n160');
    let requests = 0;
    const count = () => void (requests += 1);
    parts.client.on('request', count);
    for (const [index, places] of processes.entries())
      for (const path of paths(60 + 50 * index, 80 + 50 * index)) await places.assign(organizations[index]!, [path]);
    parts.client.off('request', count);
    expect(requests).toBe(0);
  });
});

async function makeOrganization(): Promise<string> {
  const id = newId();
  const name = `o${id.slice(-12)}`;
  await world.pool.query(
    `insert into account (id, type, username, email, created_at, updated_at)
     values ($1, 'organization', $2, $2 || '@example.com', now(), now())`,
    [id, name],
  );
  return id;
}
