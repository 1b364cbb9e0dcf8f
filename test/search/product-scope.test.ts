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
  },
  devices: [
    { serial: 'n', product: 'number' },
    { serial: 't', product: 'text', linked: false },
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

  it("uses another product's declaration for a variable that no own product declares", async () => {
    expect(await world.ask({ query: { term: { 'data.note': 'own' } } })).toMatchObject({
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
