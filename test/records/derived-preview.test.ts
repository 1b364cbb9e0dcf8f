import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
const ts = 1.7e9;
let owner: AccountActor;
let productId: string;
let deviceId: string;

const variables = [
  { name: 'temperature', type: 'FLOAT32' },
  { name: 'volume 1', type: 'FLOAT32' },
];

beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  productId = await owner.make(`${at}/products`, { name: 'Tank', version: '1', variables });
  deviceId = await owner.make(`${at}/devices/ab-01`, { product: { id: productId } });
  const settings = { derived: [{ name: 'kelvin', type: 'FLOAT32', formula: 'temperature + 273' }] };
  const { body: put } = await owner.graph(
    `mutation ($o: ID!, $p: ID!, $d: ID!, $s: ProductSettingsInput!) {
      putProductSettings(organizationId: $o, productId: $p, settings: $s) { id }
      setDeviceAttributes(organizationId: $o, deviceId: $d, attributes: [
        { name: "offset", value: 1, validFrom: ${ts - 10} }, { name: "offset", value: 5, validFrom: ${ts + 1} }]) { attributes { name } } }`,
    { o: owner.id, p: productId, d: deviceId, s: settings },
  );
  expect(put.errors).toBeUndefined();
  const records = [
    { temperature: 20, 'volume 1': 2 },
    { temperature: 30, 'volume 1': 0, kelvin: 7 },
    { 'volume 1': 4 },
  ].map((data, index) => ({ deviceId, ts: ts + index, data }));
  const { body } = await owner.post<{ accepted: number }>(`${at}/records`, records);
  expect(body.accepted).toBe(3);
});

const preview = async (derived: object[], more: object = {}) => {
  const { body } = await owner.graph(
    `query ($o: ID!, $p: ID!, $d: ID!, $derived: [DerivedVariableInput!]!, $limit: Int) {
      previewFormulas(organizationId: $o, productId: $p, deviceId: $d, derived: $derived, limit: $limit) {
        faults { index message at } records { ts inputs values { name value code input } } } }`,
    { o: owner.id, p: productId, d: deviceId, derived, limit: 10, ...more },
  );
  return body;
};

describe('previewFormulas', () => {
  it('reads earlier records, also those before the shown ones', async () => {
    const { data } = await preview(
      [
        { name: 'warmed', type: 'FLOAT32', formula: 'temperature - previous(temperature)' },
        { name: 'gap', type: 'FLOAT32', formula: 'elapsed()' },
      ],
      { limit: 2 },
    );
    expect((data!.previewFormulas as { records: object[] }).records).toMatchObject([
      {
        ts: ts + 2,
        inputs: { 'previous(temperature)': 30, 'elapsed()': 1 },
        values: [{ code: 'MISSING' }, { value: 1 }],
      },
      { ts: ts + 1, inputs: { 'previous(temperature)': 20, 'elapsed()': 1 }, values: [{ value: 10 }, { value: 1 }] },
    ]);
  });

  it('computes values of the newest records, or says why there are none', async () => {
    const { data } = await preview([
      { name: 'right', type: 'FLOAT32', formula: 'temperature + device.offset' },
      { name: 'density', type: 'FLOAT32', formula: 'right / `volume 1`' },
    ]);
    const none = { value: null, code: null, input: null };
    expect(data!.previewFormulas).toEqual({
      faults: [],
      records: [
        {
          ts: ts + 2,
          inputs: { 'volume 1': 4, 'device.offset': 5 },
          values: [
            { name: 'right', value: null, code: 'MISSING', input: 'temperature' },
            { name: 'density', value: null, code: 'MISSING', input: 'right' },
          ],
        },
        {
          ts: ts + 1,
          inputs: { temperature: 30, 'volume 1': 0, 'device.offset': 5 },
          values: [
            { ...none, name: 'right', value: 35 },
            { ...none, name: 'density', code: 'DIVISION_BY_ZERO' },
          ],
        },
        {
          ts,
          inputs: { temperature: 20, 'volume 1': 2, 'device.offset': 1 },
          values: [
            { ...none, name: 'right', value: 21 },
            { ...none, name: 'density', value: 10.5 },
          ],
        },
      ],
    });
  });

  it('stores nothing, and gives what the stored formulas give', async () => {
    const { data } = await preview([{ name: 'kelvin', type: 'FLOAT32', formula: 'temperature + 274' }], { limit: 2 });
    expect(data!.previewFormulas).toMatchObject({
      records: [{ values: [{ code: 'MISSING' }] }, { values: [{ name: 'kelvin', value: 304 }] }],
    });
    const { rows } = await world.pool.query('select data from record where device_id = $1 order by ts', [deviceId]);
    expect(rows.map((row) => (row as { data: { kelvin?: number } }).data.kelvin)).toEqual([293, 303, undefined]);
  });

  it('says where formulas are at fault, and computes the others', async () => {
    const { data } = await preview([
      { name: 'good', type: 'FLOAT32', formula: 'temperature' },
      { name: 'unknown', type: 'FLOAT32', formula: '2 * temprature' },
      { name: 'first', type: 'FLOAT32', formula: 'temprature' },
      { name: 'whole', type: 'TXT', formula: 'temperature' },
    ]);
    expect(data!.previewFormulas).toMatchObject({
      faults: [
        { index: 1, at: 4, message: 'has an unknown name: `temprature`' },
        { index: 2, at: 0 },
        { index: 3, at: null, message: 'gives a number; the variable takes a text' },
      ],
      records: [{}, { values: [{ value: 30 }, { code: 'FORMULA' }, { code: 'FORMULA' }, { code: 'FORMULA' }] }, {}],
    });
  });

  it('names a repeated name and one of a variable', async () => {
    const formula = { type: 'FLOAT32', formula: '1' };
    const { data } = await preview([
      { name: 'one', ...formula },
      { name: 'one', ...formula },
      { name: 'temperature', ...formula },
    ]);
    expect(data!.previewFormulas).toMatchObject({
      faults: [
        { index: 1, at: null },
        { index: 2, at: null },
      ],
      records: [{ values: [] }, { values: [] }, { values: [] }],
    });
  });

  it('refuses a device of another product, and more than 50 records', async () => {
    const derived = [{ name: 'one', type: 'FLOAT32', formula: '1' }];
    const other = await owner.make(`/organizations/${owner.id}/devices/ab-02`, {});
    const { errors } = await preview(derived, { d: other });
    expect(errors![0]!.extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'deviceId' }] });
    expect((await preview(derived, { limit: 51 })).errors![0]!.extensions).toMatchObject({
      errors: [{ path: 'limit' }],
    });
    expect((await preview([])).errors![0]!.extensions).toMatchObject({ errors: [{ path: 'derived' }] });
  });
});
