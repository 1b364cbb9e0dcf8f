import { beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { readDocuments } from './index-reader.js';

const world = useWorld({});
let owner: AccountActor;
let at: string;
let productId: string;

const variables = [
  { name: 'energy', type: 'INT16' },
  { name: 'open', type: 'BOOL' },
];
const derived = [
  { name: 'used', type: 'FLOAT32', formula: 'energy - previous(energy)' },
  { name: 'gap', type: 'FLOAT32', formula: 'elapsed()' },
];

beforeAll(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
  productId = await owner.make(`${at}/products`, { name: 'Meter', version: '1', variables });
  await owner.make(`${at}/devices/a1`, { product: { id: productId } });
});

const put = (formulas: object[]) =>
  owner.graph(
    `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
      putProductSettings(organizationId: $o, productId: $p, settings: $s) { id } }`,
    { o: owner.id, p: productId, s: { derived: formulas } },
  );

const send = async (...records: [ts: number, data: object][]) => {
  const items = records.map(([ts, data]) => ({ serial: 'a1', ts: 1.7e9 + ts, data }));
  const { body } = await owner.post<{ accepted: number }>(`${at}/records`, items);
  expect(body.accepted).toBe(records.length);
};

/** Resolves when all records are indexed and computed. */
const settled = () =>
  until(async () => {
    const { rows } = await world.pool.query<{ count: number }>(
      'select ((select count(*) from record_batch) + (select count(*) from record_recompute))::int as count',
    );
    return rows[0]!.count === 0;
  });

/** Returns the data of all records in order of time. */
const dataOf = async () => {
  const documents = await readDocuments(world.databaseUrl, ['us']);
  return documents
    .toSorted((one, other) => Number(one.fields['us']![0]) - Number(other.fields['us']![0]))
    .map(({ _source }) => (JSON.parse(_source.src) as { data: object }).data);
};

const recompute = async () => {
  const { body } = await owner.graph(
    'mutation ($o: ID!, $p: ID!) { recomputeProduct(organizationId: $o, productId: $p) { id } }',
    { o: owner.id, p: productId },
  );
  const { id } = body.data!['recomputeProduct'] as { id: string };
  let state = 'waiting';
  await until(async () => {
    ({ state } = (await owner.get<{ state: string }>(`${at}/jobs/${id}`)).body);
    return state === 'done' || state === 'failed';
  });
  expect(state).toBe('done');
};

describe('formula that reads earlier records on a cluster', () => {
  it('gives late records and those after them their values soon, and others at once', async () => {
    await send([0, { energy: 1 }], [10, { energy: 3 }]);
    await put(derived);
    await send([20, { energy: 4 }]);
    await settled();
    // From before the formula, records have no values.
    expect(await dataOf()).toEqual([{ energy: 1 }, { energy: 3 }, { energy: 4, used: 1, gap: 10 }]);
    await send([40, { energy: 8 }], [50, { open: true }], [60, { energy: 9 }]);
    expect((await world.pool.query('select from record_recompute')).rowCount).toBe(0);
    await send([30, { energy: 6 }], [55, {}]);
    await settled();
    expect((await dataOf()).slice(2)).toEqual([
      { energy: 4, used: 1, gap: 10 },
      { energy: 6, used: 2, gap: 10 },
      { energy: 8, used: 2, gap: 10 },
      { open: true, gap: 10 },
      { gap: 5 },
      { energy: 9, used: 1, gap: 5 },
    ]);
  });

  it('gives the same after recomputing as after storing in order', async () => {
    await put([...derived, { name: 'double', type: 'FLOAT32', formula: 'used * 2' }]);
    await recompute();
    await settled();
    expect((await dataOf()).slice(0, 4)).toEqual([
      { energy: 1 },
      { energy: 3, used: 2, gap: 10, double: 4 },
      { energy: 4, used: 1, gap: 10, double: 2 },
      { energy: 6, used: 2, gap: 10, double: 4 },
    ]);
    await send([70, { energy: 12 }]);
    await settled();
    expect((await dataOf()).at(-1)).toEqual({ energy: 12, used: 3, gap: 10, double: 6 });
  });
});
