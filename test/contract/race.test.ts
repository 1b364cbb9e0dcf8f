import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let at: string;
const rounds = Array.from({ length: 10 }, (_, i) => i);

beforeAll(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

const statuses = async (calls: Promise<{ status: number }>[]) =>
  (await Promise.all(calls)).map(({ status }) => status).sort();

describe('concurrent REST calls', () => {
  it('leaves one owner when two owners demote each other', async () => {
    for (const _ of rounds) {
      const organization = await world.organization();
      const members = `/organizations/${organization.id}/members`;
      const [a, b] = [await world.member(organization, Role.owner), await world.member(organization, Role.owner)];
      const outcome = await statuses([
        a.put(`${members}/${b.id}`, { role: 'member' }),
        b.put(`${members}/${a.id}`, { role: 'member' }),
      ]);
      const { body } = await organization.get<object[]>(`${members}?role=owner`);
      expect(body).toHaveLength(1);
      expect(outcome[0]).toBe(204);
      expect([403, 409]).toContain(outcome[1]);
    }
  });

  it('returns one device and one 409 when two calls register the same serial', async () => {
    for (const i of rounds) {
      const serial = `c${i}-01`;
      expect(await statuses([owner.post(`${at}/devices/${serial}`), owner.post(`${at}/devices/${serial}`)])).toEqual([
        200, 409,
      ]);
    }
  });

  it('leaves no link to a device that is deleted while it is linked', async () => {
    const application = `/applications/${owner.id}/${await owner.make(`${at}/applications`, { name: 'Busy' })}`;
    for (const i of rounds) {
      const device = await owner.make(`${at}/devices/d${i}`);
      const [link, removal] = await Promise.all([
        owner.put(`${application}/devices/${device}`),
        owner.delete(`/devices/${owner.id}/${device}`),
      ]);
      const linked = (await owner.get<{ id: string }[]>(`${application}/devices?limit=1000`)).body.some(
        ({ id }) => id === device,
      );
      const outcome = [link.status, removal.status, linked];
      expect([
        [204, 409, true],
        [404, 204, false],
      ]).toContainEqual(outcome);
    }
  });

  it('leaves no device with a product that is deleted while it is assigned', async () => {
    for (const i of rounds) {
      const product = await owner.make(`${at}/products`, { name: 'P', version: '1', variables: [] });
      const device = await owner.make(`${at}/devices/e${i}`);
      const [change, removal] = await Promise.all([
        owner.put(`/devices/${owner.id}/${device}`, { product: { id: product } }),
        owner.delete(`/products/${owner.id}/${product}`),
      ]);
      expect([
        [200, 409],
        [404, 204],
      ]).toContainEqual([change.status, removal.status]);
    }
  });

  it('adds one member when two calls add the same user', async () => {
    const user = await world.user();
    expect(await statuses([owner.put(`${at}/members/${user}`, {}), owner.put(`${at}/members/${user}`, {})])).toEqual([
      204, 204,
    ]);
  });

  it('answers other calls while a q pattern takes exponential time', async () => {
    await owner.make(`${at}/teams`, { name: 'a'.repeat(200) });
    const bomb = encodeURIComponent('((a{1,200}){1,200}b){1,100}');
    const [slow, quick] = await Promise.all([owner.get<object>(`${at}/teams?q=${bomb}`), owner.get(`${at}/teams`)]);
    expect(quick.status).toBe(200);
    expect([200, 422]).toContain(slow.status);
  });
});
