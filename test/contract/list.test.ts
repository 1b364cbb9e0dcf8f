import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { setPublic } from '#operator/product.js';
import { type AccountActor, useWorld } from '../support/world.js';

interface Item {
  id: string;
  name?: string;
  slug?: string;
  serial?: string;
  role?: string;
  deviceCount?: number;
  applicationCount?: number;
}

const world = useWorld();
const variables = [{ name: 'temperature', type: 'FLOAT32' }];
let owner: AccountActor;
let at: string;

beforeAll(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

const names = (items: Item[]) => items.map(({ name }) => name);

describe('REST list', () => {
  beforeAll(async () => {
    for (const name of ['Pumps', 'Valves', 'Boilers', 'Fans', 'Chillers']) {
      await owner.make(`${at}/teams`, { name, description: `Looks after ${name.toLowerCase()}.` });
    }
  });

  it('returns up to ten items in order of creation by default', async () => {
    const { body, headers } = await owner.get<Item[]>(`${at}/teams`);
    expect(names(body)).toEqual(['Pumps', 'Valves', 'Boilers', 'Fans', 'Chillers']);
    expect(headers.get('x-total-count')).toBe('5');
  });

  it('returns each item once over all pages, for every sort', async () => {
    for (const sort of ['organizationId', '-organizationId', 'createdAt', '-name']) {
      const pages = await Promise.all(
        [1, 2, 3].map((page) => owner.get<Item[]>(`${at}/teams?limit=2&page=${page}&sort=${sort}`)),
      );
      const seen = pages.flatMap(({ body }) => body.map(({ id }) => id));
      expect(new Set(seen).size).toBe(5);
      expect(seen).toHaveLength(5);
    }
  });

  it('links the other pages with the same filters', async () => {
    const { headers } = await owner.get(`${at}/teams?limit=2&page=2&q=s`);
    const link = headers.get('link') ?? '';
    for (const [rel, page] of Object.entries({ first: 1, prev: 1, next: 3, last: 3 })) {
      expect(link).toContain(`<${owner.base}${at}/teams?q=s&limit=2&page=${page}>; rel="${rel}"`);
    }
  });

  it('counts the latest changes, whoever made them', async () => {
    const here = await world.organization();
    const member = await world.member(here, Role.member);
    const count = async (who: Pick<typeof here, 'get'>, list: string) =>
      (await who.get(`/organizations/${here.id}/${list}?limit=1`)).headers.get('x-total-count');
    const [first = ''] = await Promise.all(
      [1, 2, 3].map((n) => here.make(`/organizations/${here.id}/teams`, { name: `${n}` })),
    );
    expect([await count(here, 'teams'), await count(here, 'teams')]).toEqual(['3', '3']);
    await here.make(`/organizations/${here.id}/teams`, { name: 'fourth' });
    expect(await count(here, 'teams')).toBe('4');
    await world.pool.query(`delete from team where name = 'fourth'`);
    expect(await count(here, 'teams')).toBe('3');
    const application = await here.make(`/organizations/${here.id}/applications`, { name: 'seen' });
    expect([await count(here, 'applications'), await count(member, 'applications')]).toEqual(['1', '0']);
    await here.put(`/teams/${here.id}/${first}/members/${member.id}`);
    await here.put(`/teams/${here.id}/${first}/applications/${application}`, { permission: 'read' });
    expect([await count(here, 'applications'), await count(member, 'applications')]).toEqual(['1', '1']);
  });

  it('returns an empty page after the last one', async () => {
    const { body, headers } = await owner.get<Item[]>(`${at}/teams?page=9`);
    expect(body).toEqual([]);
    expect(headers.get('x-total-count')).toBe('5');
  });

  it('sorts by several fields, descending ones marked with -', async () => {
    const { body } = await owner.get<Item[]>(`${at}/teams?sort=organizationId,-name`);
    expect(names(body)).toEqual(['Valves', 'Pumps', 'Fans', 'Chillers', 'Boilers']);
  });

  it('returns 422 with the valid fields for an unknown sort field', async () => {
    const { status, body } = await owner.get<object>(`${at}/teams?sort=colour`);
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ path: 'sort', message: expect.stringContaining('description') }] });
  });

  it('matches a regular expression in any searched field, ignoring case', async () => {
    expect(names((await owner.get<Item[]>(`${at}/teams?q=^PU`)).body)).toEqual(['Pumps']);
    expect(names((await owner.get<Item[]>(`${at}/teams?q=after%20(fans|valves)`)).body)).toEqual(['Valves', 'Fans']);
    expect((await owner.get<Item[]>(`${at}/teams?q=nothing`)).body).toEqual([]);
  });

  it.each([
    ['(', 'its parentheses () are not balanced'],
    ['[', 'its brackets [] are not balanced'],
    ['*a**', 'a quantifier (*, +, ?) has nothing to repeat'],
    ['a{3,2}', 'a number of repetitions is wrong'],
    ['[z-a]', 'a range of characters is wrong'],
    ['[[:x:]]', 'it names an unknown class of characters'],
  ])('returns 422 with the reason for the invalid regular expression %s', async (pattern, fault) => {
    const { status, body } = await owner.get<object>(`${at}/teams?q=${encodeURIComponent(pattern)}`);
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ path: 'q', message: `must be a regular expression: ${fault}` }] });
  });
});

describe('GET /accounts', () => {
  it('returns the accounts named in any of four spellings, and ignores unknown identifiers', async () => {
    const [first, second] = [await world.user(), await world.user()];
    for (const query of [
      `ids=${first}&ids=${second}`,
      `ids[]=${first}&ids[]=${second}`,
      `ids[0]=${first}&ids[1]=${second}`,
      `ids=${first},${second},${owner.id},nonsense`,
    ]) {
      const { body } = await owner.get<Item[]>(`/accounts?${query}`);
      expect(body.map(({ id }) => id)).toEqual([first, second]);
    }
  });

  it('lists users of other organizations, but no disabled ones', async () => {
    const id = await world.user();
    expect((await owner.get<Item[]>(`/accounts?ids=${id}`)).body).toHaveLength(1);
    await world.pool.query('update account set disabled = true where id = $1', [id]);
    expect((await owner.get<Item[]>(`/accounts?ids=${id}`)).body).toEqual([]);
  });
});

describe('GET /organizations/:id/members', () => {
  it('returns members with their roles, and filters by role', async () => {
    const chief = await world.member(owner, Role.owner);
    const worker = await world.member(owner, Role.member);
    const all = await owner.get<Item[]>(`${at}/members`);
    expect(all.body.map(({ id, role }) => [id, role])).toEqual([
      [chief.id, 'owner'],
      [worker.id, 'member'],
    ]);
    const owners = await owner.get<Item[]>(`${at}/members?role=owner`);
    expect(owners.body.map(({ id }) => id)).toEqual([chief.id]);
    expect((await owner.get(`${at}/members?role=boss`)).status).toBe(422);
  });
});

describe('product and device lists', () => {
  let thermometer: string;
  let device: string;
  let bare: string;

  beforeAll(async () => {
    thermometer = await owner.make(`${at}/products`, { name: 'Thermometer', version: '1.0', variables });
    await owner.make(`${at}/products`, { name: 'Hygrometer', version: '2.0', variables });
    device = await owner.make(`${at}/devices/0a-01`, { name: 'Cellar', product: { id: thermometer } });
    bare = await owner.make(`${at}/devices/0a-02`);
  });

  it('counts the devices of each product', async () => {
    const { body } = await owner.get<Item[]>(`${at}/products?sort=-deviceCount`);
    expect(body.map(({ name, deviceCount }) => [name, deviceCount])).toEqual([
      ['Thermometer', 1],
      ['Hygrometer', 0],
    ]);
  });

  it('finds products by version', async () => {
    expect(names((await owner.get<Item[]>(`${at}/products?q=^2\\.0$`)).body)).toEqual(['Hygrometer']);
  });

  it('shows public products of other organizations at /products only, without counts', async () => {
    const stranger = await world.organization();
    // Other test files make products public in the same service.
    const ofOwner = async () =>
      (await stranger.get<(Item & { organizationId: string })[]>('/products')).body.filter(
        ({ organizationId }) => organizationId === owner.id,
      );
    expect(await ofOwner()).toEqual([]);
    await setPublic(world.pool, thermometer, true, new Date());
    expect(await ofOwner()).toEqual([
      {
        id: thermometer,
        organizationId: owner.id,
        name: 'Thermometer',
        slug: 'thermometer',
        version: '1.0',
        public: true,
      },
    ]);
    expect((await stranger.get<Item[]>(`/organizations/${stranger.id}/products`)).body).toEqual([]);
    const seen = await stranger.get<Item>(`/products/${owner.id}/${thermometer}`);
    expect(seen.body).toMatchObject({ deviceCount: 0, variables });
    expect(
      (await stranger.put(`/products/${owner.id}/${thermometer}`, { name: 'X', version: '1', variables })).status,
    ).toBe(403);
    await setPublic(world.pool, thermometer, false, new Date());
    expect((await stranger.get(`/products/${owner.id}/${thermometer}`)).status).toBe(404);
  });

  it('filters devices by product, and by having one', async () => {
    const ids = async (query: string) => (await owner.get<Item[]>(`${at}/devices?${query}`)).body.map(({ id }) => id);
    expect(await ids(`productId=${thermometer}`)).toEqual([device]);
    expect(await ids('hasProduct=true')).toEqual([device]);
    expect(await ids('hasProduct=false')).toEqual([device, bare]);
    expect(await ids('productId=nonsense')).toEqual([]);
    expect((await owner.get(`${at}/devices?hasProduct=yes`)).status).toBe(422);
  });

  it('finds devices by serial, name and slug', async () => {
    const ids = async (q: string) => (await owner.get<Item[]>(`${at}/devices?q=${q}`)).body.map(({ id }) => id);
    expect(await ids('02$')).toEqual([bare]);
    expect(await ids('cellar')).toEqual([device]);
  });

  it('lists the devices of an application in the order of linking', async () => {
    const application = `/applications/${owner.id}/${await owner.make(`${at}/applications`, { name: 'Cold chain' })}`;
    for (const id of [bare, device]) await owner.put(`${application}/devices/${id}`);
    const { body } = await owner.get<Item[]>(`${application}/devices`);
    expect(body.map(({ id, applicationCount }) => [id, applicationCount])).toEqual([
      [bare, 1],
      [device, 1],
    ]);
    const ofProduct = await owner.get<Item[]>(`${application}/devices?productId=${thermometer}`);
    expect(ofProduct.body.map(({ id }) => id)).toEqual([device]);
  });
});

describe('sort parameter of every list', () => {
  it('accepts each field that its refusal names, from owners and members', async () => {
    const team = await owner.make(`${at}/teams`, { name: 'Readers' });
    const application = await owner.make(`${at}/applications`, { name: 'Sorted' });
    const hook = await owner.make(`/applications/${owner.id}/${application}/hooks`, { url: 'https://example.com/' });
    const member = await world.member(owner, Role.member);
    await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${team}/applications/${application}`, { permission: 'write' });
    const below = `/applications/${owner.id}/${application}`;
    const lists = [
      '/accounts',
      '/products',
      ...['members', 'teams', 'products', 'devices', 'applications'].map((name) => `${at}/${name}`),
      ...['members', 'applications'].map((name) => `/teams/${owner.id}/${team}/${name}`),
      ...['devices', 'hooks', `hooks/${hook}/deliveries`].map((name) => `${below}/${name}`),
    ];
    for (const list of lists) {
      const { body } = await owner.get<{ message: string }>(`${list}?sort=colour`);
      const fields = body.message.split('there are ')[1]?.split(', ') ?? [];
      expect(fields).toContain('id');
      for (const caller of [owner, member]) {
        for (const sort of [fields.join(','), fields.map((field) => `-${field}`).join(',')]) {
          expect([list, sort, (await caller.get(`${list}?sort=${sort}`)).status]).toEqual([list, sort, 200]);
        }
      }
    }
  });
});
