import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { useWorld, worldNow } from './world.js';

const at = worldNow / 1000 - 7200;
const world = useWorld({
  products: {
    number: [{ name: 'state', type: VariableType.FLOAT32 }],
    text: [
      { name: 'state', type: VariableType.TXT },
      { name: 'note', type: VariableType.TXT },
    ],
    counter: [{ name: 'count', type: VariableType.UINT16 }],
  },
  devices: [
    { serial: 'n', product: 'number' },
    { serial: 't', product: 'text', linked: false },
    { serial: 'c', product: 'counter' },
  ],
  records: [
    { serial: 'n', ts: at, data: { state: 4 } },
    { serial: 'n', ts: at + 1, data: { state: 5, note: 'own' } },
    { serial: 't', ts: at + 2, data: { state: 'on', note: 'theirs' } },
  ],
});

const fourth = { query: { range: { 'data.state': { gte: 4, lt: 5 } } }, aggs: { a: { avg: { field: 'data.state' } } } };
const both = [
  { path: 'data.state', type: 'double' },
  { path: 'data.note', type: 'keyword' },
];

describe('search over every product of an application', () => {
  it("uses the variable types of the application's own products, whatever other products declare", async () => {
    expect(await world.ask(fourth)).toMatchObject({
      status: 200,
      hits: { total: { value: 1 } },
      aggregations: { a: { value: 4 } },
    });
    const { organizationId, applicationId } = world;
    expect(await world.search.fields({ organizationId, applicationId })).toEqual(expect.arrayContaining(both));
  });

  it("takes the type of an undeclared field from the first records of the application's own devices", async () => {
    expect(await world.ask({ query: { term: { 'data.note': 'own' } } })).toMatchObject({
      hits: { total: { value: 1 } },
    });
  });

  it('finds no field that only devices of other applications sent', async () => {
    const ask = (name: string) => world.ask({ sort: [{ [`data.${name}`]: 'asc' }] });
    await world.store([{ serial: 't', ts: at + 3, data: { theirs: 1 } }]);
    expect(await ask('theirs')).toMatchObject({ status: 400 });
    await world.store([{ serial: 'n', ts: at + 4, data: { theirs: 1 } }]);
    expect(await ask('theirs')).toMatchObject({ status: 200, hits: { total: { value: 3 } } });
  });

  it('finds a field that an earlier release catalogued without its product', async () => {
    await world.pool.query(sql`
      insert into record_field (organization_id, path, keys, kind)
      values (${world.organizationId}, 'data.early', '{data,early}', 'number')`);
    expect(await world.ask({ sort: [{ 'data.early': 'asc' }] })).toMatchObject({ status: 200 });
  });

  it('finds the records that a device sent with its earlier product, right after its product changes', async () => {
    await world.store([{ serial: 'c', ts: at + 5, data: { count: 7, beside: 1 } }]);
    await world.pool.query(
      sql`update device set product_id = null where serial = 'c' and organization_id = ${world.organizationId}`,
    );
    for (const name of ['count', 'beside'])
      expect(await world.ask({ query: { range: { [`data.${name}`]: { gte: 1 } } } })).toMatchObject({
        hits: { total: { value: 1 } },
      });
  });

  it("returns 400 for a field whose type differs from that of a device's earlier product", async () => {
    while ((await rollUp(world.pool, new Date(Date.now() + 24 * 3600e3))) > 0);
    await world.pool.query(
      sql`update device set product_id = ${world.productIds['text']} where serial = 'n' and organization_id = ${world.organizationId}`,
    );
    expect(await world.ask(fourth)).toMatchObject({ status: 400, error: { type: 'illegal_argument_exception' } });
    expect(await world.ask({ ...fourth, products: [world.productIds['number']!] })).toMatchObject({
      status: 200,
      hits: { total: { value: 1 } },
    });
  });
});
