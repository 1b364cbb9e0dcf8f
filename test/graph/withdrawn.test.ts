import { beforeAll, describe, expect, it } from '@jest/globals';
import { setPublic } from '#operator/product.js';
import { importing } from '../imports/imported.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let other: AccountActor;
let productId: string;
/** A device of each organization; both have the product. */
let own: string;
let foreign: string;

const bin = (varNumber: number) => ({ mappings: [{ streamId: 1, streamType: 'BIN', varNumber }] });
const published = [{ name: 't', type: 'FLOAT32', unit: 'C', ...bin(1) }];
const present = [
  { name: 't', type: 'INT16', unit: 'F', ...bin(2) },
  { name: 'secret', type: 'FLOAT32', unit: 'K', ...bin(1) },
];

beforeAll(async () => {
  [owner, other] = [await world.organization(), await world.organization()];
  productId = await owner.make(`/organizations/${owner.id}/products`, {
    name: 'Thermometer',
    version: '1',
    variables: published,
  });
  const product = `/products/${owner.id}/${productId}`;
  const change = async (version: string, variables: object[]) => {
    const { status, body } = await owner.put(product, { name: 'Thermometer', version, variables });
    if (status !== 200) throw new Error(JSON.stringify(body));
  };
  await setPublic(world.pool, productId, true, new Date());
  const of = { product: { id: productId } };
  own = await owner.make(`/organizations/${owner.id}/devices/cc-01`, of);
  foreign = await other.make(`/organizations/${other.id}/devices/dd-01`, of);
  await setPublic(world.pool, productId, false, new Date());
  await change('2', present);
  for (const [actor, serial] of [
    [owner, 'cc-01'],
    [other, 'dd-01'],
  ] as const) {
    const frame = { streamId: 1, streamType: 'BIN', payload: '0441ac0000' };
    const { body } = await actor.post<{ accepted: number }>(`/organizations/${actor.id}/records`, { serial, frame });
    expect(body).toMatchObject({ accepted: 1 });
  }
});

const ask = async (actor: AccountActor, deviceId: string) => {
  const query = `query ($o: ID!, $d: ID!) {
    device(organizationId: $o, deviceId: $d) { latest { name value type unit } }
    series(organizationId: $o, deviceIds: [$d], variables: ["t", "secret"], interval: 60) { type unit values }
  }`;
  const { body } = await actor.graph(query, { o: actor.id, d: deviceId });
  return { latest: body.data!['device'].latest, series: body.data!['series'] };
};

describe('product that was withdrawn from the public and then changed', () => {
  it('provides its last public variables to devices of other organizations', async () => {
    expect(await ask(other, foreign)).toEqual({
      latest: [{ name: 't', value: 21.5, type: 'FLOAT32', unit: 'C' }],
      series: [
        { type: 'FLOAT32', unit: 'C', values: [21.5] },
        { type: null, unit: null, values: [] },
      ],
    });
  });

  it('provides its current variables to devices of its own organization', async () => {
    expect(await ask(owner, own)).toEqual({
      latest: [{ name: 'secret', value: 21.5, type: 'FLOAT32', unit: 'K' }],
      series: [
        { type: 'INT16', unit: 'F', values: [] },
        { type: 'FLOAT32', unit: 'K', values: [21.5] },
      ],
    });
  });

  it('has the variables of the organization that checks a file of its records', async () => {
    const ignoredOf = async (actor: AccountActor, serial: string) => {
      const file = `serial,ts,t,secret\n${serial},1714568400,21.5,x\n`;
      return (await importing({ id: actor.id, owner: actor }).whole('/records', file)).ignored;
    };
    expect(await ignoredOf(other, 'dd-01')).toEqual([]);
    expect(await ignoredOf(owner, 'cc-01')).toMatchObject([
      { field: 't', message: '21.5 does not fit the type INT16.' },
      { field: 'secret', message: '"x" does not fit the type FLOAT32.' },
    ]);
  });

  it('stays the product of a device that is put back, and cannot be given to another device', async () => {
    const path = `/devices/${other.id}/${foreign}`;
    const { body } = await other.get<object>(path);
    expect(body).toMatchObject({ product: { id: productId, organizationId: owner.id } });
    expect(await other.put(path, { ...body, name: 'Cellar' })).toMatchObject({ status: 200, body: { name: 'Cellar' } });
    const wrongOwner = { product: { id: productId, organizationId: other.id } };
    expect((await other.put(path, wrongOwner)).status).toBe(404);
    const another = await other.make(`/organizations/${other.id}/devices/dd-02`);
    expect((await other.put(`/devices/${other.id}/${another}`, { product: { id: productId } })).status).toBe(404);
  });

  it('lets other organizations search by its last public types', async () => {
    const applicationId = await other.make(`/organizations/${other.id}/applications`, { name: 'Climate' });
    await other.put(`/applications/${other.id}/${applicationId}/devices/${foreign}`);
    const answer = await other.post<{ responses: object[] }>(`/applications/${other.id}/${applicationId}/search`, {
      ts: { gte: 0, lte: Math.ceil(Date.now() / 1000) + 60 },
      queries: [{ products: [], query: { range: { 'data.t': { gte: 20 } } } }],
    });
    expect(answer).toMatchObject({ status: 200, body: { responses: [{ hits: { total: { value: 1 } } }] } });
  });
});
