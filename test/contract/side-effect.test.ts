import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

interface Item {
  id: string;
  [field: string]: unknown;
}

const world = useWorld();
let owner: AccountActor;
let at: string;

beforeAll(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

const idsOf = async (path: string) => (await owner.get<Item[]>(path)).body.map(({ id }) => id);

describe('PUT /organizations/:id/members/:memberId', () => {
  it('adds a user as member by default, and keeps the role when none is sent', async () => {
    const user = await world.user();
    const role = async () =>
      (await owner.get<Item[]>(`${at}/members?limit=1000`)).body.find(({ id }) => id === user)?.['role'];
    expect((await owner.put(`${at}/members/${user}`)).status).toBe(204);
    expect(await role()).toBe('member');
    await world.member(owner, Role.owner);
    await owner.put(`${at}/members/${user}`, { role: 'owner' });
    await owner.put(`${at}/members/${user}`, {});
    expect(await role()).toBe('owner');
    await owner.put(`${at}/members/${user}`, { role: null });
    expect(await role()).toBe('member');
  });

  it('returns 404 for an account that is not a user', async () => {
    expect((await owner.put(`${at}/members/${owner.id}`, {})).status).toBe(404);
  });
});

describe('DELETE /organizations/:id/members/:memberId', () => {
  it("removes the member from every team and revokes the member's tokens", async () => {
    const member = await world.member(owner, Role.member);
    const team = `/teams/${owner.id}/${await owner.make(`${at}/teams`, { name: 'Field Ops' })}`;
    await owner.put(`${team}/members/${member.id}`);
    expect(await idsOf(`${team}/members`)).toEqual([member.id]);
    expect((await owner.delete(`${at}/members/${member.id}`)).status).toBe(204);
    expect(await idsOf(`${team}/members`)).toEqual([]);
    expect((await member.get('/account')).status).toBe(401);
    expect((await owner.delete(`${at}/members/${member.id}`)).status).toBe(204);
  });

  it('returns 409 for the last owner', async () => {
    const lonely = await world.organization();
    const chief = await world.member(lonely, Role.owner);
    const place = `/organizations/${lonely.id}/members/${chief.id}`;
    expect((await lonely.delete(place)).status).toBe(409);
    expect((await lonely.put(place, { role: 'member' })).status).toBe(409);
    const inCapitals = `/organizations/${lonely.id}/members/${chief.id.toUpperCase()}`;
    expect((await lonely.delete(inCapitals)).status).toBe(404);
    expect((await lonely.put(inCapitals, { role: 'member' })).status).toBe(404);
    await world.member(lonely, Role.owner);
    expect((await lonely.delete(place)).status).toBe(204);
  });
});

describe('teams', () => {
  it('returns 404 for a user who is not a member of the organization', async () => {
    const team = `/teams/${owner.id}/${await owner.make(`${at}/teams`, { name: 'Closed' })}`;
    expect((await owner.put(`${team}/members/${await world.user()}`)).status).toBe(404);
  });

  it('grants the higher of two permissions, and removes access with the team', async () => {
    const member = await world.member(owner, Role.member);
    const application = await owner.make(`${at}/applications`, { name: 'Cold chain' });
    const teams = [
      await owner.make(`${at}/teams`, { name: 'Readers' }),
      await owner.make(`${at}/teams`, { name: 'Writers' }),
    ];
    for (const [i, permission] of ['read', 'write'].entries()) {
      await owner.put(`/teams/${owner.id}/${teams[i]}/members/${member.id}`);
      await owner.put(`/teams/${owner.id}/${teams[i]}/applications/${application}`, { permission });
    }
    const seen = () => member.get<Item>(`/applications/${owner.id}/${application}`);
    expect((await seen()).body).toMatchObject({ permission: 'write' });
    await owner.delete(`/teams/${owner.id}/${teams[1]}`);
    expect((await seen()).body).toMatchObject({ permission: 'read' });
    await owner.delete(`/teams/${owner.id}/${teams[0]}/applications/${application}`);
    expect((await seen()).status).toBe(404);
  });
});

describe('GET /organizations/:id/applications', () => {
  it('lists for a member only the readable applications, and a device counts only these', async () => {
    const member = await world.member(owner, Role.member);
    const device = await owner.make(`${at}/devices/0b-01`);
    const [shown, hidden] = [
      await owner.make(`${at}/applications`, { name: 'Shown' }),
      await owner.make(`${at}/applications`, { name: 'Hidden' }),
    ];
    for (const id of [shown, hidden]) await owner.put(`/applications/${owner.id}/${id}/devices/${device}`);
    const team = await owner.make(`${at}/teams`, { name: 'Visitors' });
    await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${team}/applications/${shown}`, { permission: 'read' });
    expect((await owner.get<Item>(`/devices/${owner.id}/${device}`)).body['applicationCount']).toBe(2);
    expect((await member.get<Item>(`/devices/${owner.id}/${device}`)).body['applicationCount']).toBe(1);
    const listed = await member.get<Item[]>(`${at}/applications`);
    expect(listed.body.map(({ id }) => id)).toEqual([shown]);
    expect(listed.headers.get('x-total-count')).toBe('1');
    expect((await member.get<Item[]>(`${at}/applications?q=Hidden&ids=${hidden}`)).body).toEqual([]);
  });
});

describe('PUT /devices/:id/:deviceId', () => {
  it('keeps omitted fields, clears null ones, and derives the slug from the name', async () => {
    const id = await owner.make(`${at}/devices/0B-02`, {
      name: 'Kühlraum',
      tags: ['cold'],
      location: { lat: 1, lon: 2 },
    });
    const device = `/devices/${owner.id}/${id}`;
    const kept = await owner.put<Item>(device, {});
    expect(kept.body).toMatchObject({
      serial: '0B-02',
      slug: 'kuehlraum',
      tags: ['cold'],
      location: { lat: 1, lon: 2 },
    });
    const cleared = await owner.put<Item>(device, { name: null, tags: null, location: null });
    expect(cleared.body).toMatchObject({ slug: '0b-02', tags: [] });
    expect(Object.keys(cleared.body)).not.toEqual(expect.arrayContaining(['name']));
    expect(Object.keys(cleared.body)).not.toEqual(expect.arrayContaining(['location']));
  });
});

describe('POST /organizations/:id/devices/:serial', () => {
  it('returns 404 for a product in the body that the caller cannot read', async () => {
    const stranger = await world.organization();
    const product = await stranger.make(`/organizations/${stranger.id}/products`, {
      name: 'P',
      version: '1',
      variables: [],
    });
    expect((await owner.post(`${at}/devices/0b-03`, { product: { id: product } })).status).toBe(404);
    expect((await owner.post(`${at}/devices/0b-03`, { product: { id: 'nonsense' } })).status).toBe(404);
  });
});

describe('DELETE /applications/:id/:applicationId', () => {
  it('deletes the links and hooks of the application, after which its device can be deleted', async () => {
    const device = await owner.make(`${at}/devices/0b-04`);
    const application = `/applications/${owner.id}/${await owner.make(`${at}/applications`, { name: 'Trial' })}`;
    await owner.put(`${application}/devices/${device}`);
    const hook = await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/' });
    expect((await owner.delete(`/devices/${owner.id}/${device}`)).status).toBe(409);
    expect((await owner.delete(application)).status).toBe(204);
    expect((await owner.get(`${application}/hooks/${hook}/deliveries`)).status).toBe(404);
    expect((await owner.delete(`/devices/${owner.id}/${device}`)).status).toBe(204);
    expect((await owner.get(`/devices/${owner.id}/${device}`)).status).toBe(404);
  });
});

describe('products', () => {
  it('returns 409 for DELETE while a device uses the product', async () => {
    const product = await owner.make(`${at}/products`, { name: 'P', version: '1', variables: [] });
    const device = await owner.make(`${at}/devices/0b-05`, { product: { id: product } });
    expect((await owner.delete(`/products/${owner.id}/${product}`)).status).toBe(409);
    await owner.put(`/devices/${owner.id}/${device}`, { product: null });
    expect((await owner.delete(`/products/${owner.id}/${product}`)).status).toBe(204);
  });

  it('returns 422 with a path for each contradiction between variables', async () => {
    const mapping = { streamId: 1, streamType: 'RAW', varNumber: 1 };
    const { status, body } = await owner.post<{ errors: { path: string }[] }>(`${at}/products`, {
      name: 'P',
      version: '1',
      variables: [
        { name: 'a', type: 'TXT', mappings: [mapping] },
        { name: 'a', type: 'UINT8', mappings: [mapping, { ...mapping, varNumber: 2 }] },
      ],
    });
    expect(status).toBe(422);
    expect(body.errors.map(({ path }) => path)).toEqual([
      'variables.1.name',
      'variables.1.mappings.0',
      'variables.0.mappings.0',
    ]);
  });
});

describe('PUT /account', () => {
  it('returns 409 for a user name or e-mail address of any other account, regardless of case', async () => {
    const [first, second] = [await world.organization(), await world.organization()];
    const { body } = await first.get<Item>('/account');
    const taken = await second.put('/account', {
      username: String(body['username']).toUpperCase(),
      email: 'new@example.com',
    });
    expect(taken.status).toBe(409);
    const email = await second.put('/account', {
      username: 'somebody-new',
      email: String(body['email']).toUpperCase(),
    });
    expect(email.status).toBe(409);
    const user = await world.user();
    const { rows } = await world.pool.query('select username from account where id = $1', [user]);
    expect((await second.put('/account', { username: rows[0].username, email: 'new@example.com' })).status).toBe(409);
  });
});
