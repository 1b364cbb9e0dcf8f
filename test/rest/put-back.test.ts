import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountActor } from '../support/world.js';
import { useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
beforeAll(async () => {
  owner = await world.organization();
});

const variables = [
  {
    name: 't',
    type: 'FLOAT32',
    mappings: [
      { streamId: 0, streamType: 'RAW', varNumber: 0 },
      { streamId: 300, streamType: 'BIN', varNumber: 99 },
    ],
  },
];

describe('PUT of the body that GET returned', () => {
  it.each(['account', 'organization', 'team', 'product', 'device', 'application', 'hook'])(
    'returns 200 and changes nothing: %s',
    async (what) => {
      const own = `/organizations/${owner.id}`;
      const application = async () =>
        `/applications/${owner.id}/${await owner.make(`${own}/applications`, { name: 'A', hasDashboard: true })}`;
      const hook = {
        url: 'http://127.0.0.1:9/',
        authentication: { basic: { user: 'u', pass: 'p' }, header: { name: 'X-A', value: 'b' } },
      };
      const make: Record<string, () => Promise<string>> = {
        account: async () => '/account',
        organization: async () => own,
        team: async () => `/teams/${owner.id}/${await owner.make(`${own}/teams`, { name: 'T', description: 'd' })}`,
        product: async () =>
          `/products/${owner.id}/${await owner.make(`${own}/products`, { name: 'P', version: '1', variables })}`,
        device: async () =>
          `/devices/${owner.id}/${await owner.make(`${own}/devices/0A-01`, { tags: ['a'], location: { lat: 1, lon: 2 } })}`,
        application,
        hook: async () => {
          const path = `${await application()}/hooks`;
          return `${path}/${await owner.make(path, hook)}`;
        },
      };
      const path = await make[what]!();
      const { body } = await owner.get<object>(path);
      expect(await owner.put(path, body)).toMatchObject({ status: 200, body });
      expect((await owner.get(path)).body).toEqual(body);
      expect(await owner.put(path, { ...body, nmae: 'x' })).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'nmae' }] },
      });
    },
  );
});

describe('device serial', () => {
  it('keeps its spelling, and matches regardless of case and dashes', async () => {
    const own = `/organizations/${owner.id}`;
    const id = await owner.make(`${own}/devices/0B-1B-FF`);
    expect((await owner.get(`/devices/${owner.id}/${id}`)).body).toMatchObject({ serial: '0B-1B-FF' });
    for (const q of ['0b1bff', '0b-1b', '^0b1b.*ff$', '0b1-bff$'])
      expect((await owner.get(`${own}/devices?q=${encodeURIComponent(q)}`)).body).toMatchObject([{ id }]);
    const message = `is taken by the device ${id}`;
    expect(await owner.post(`${own}/devices/0b1b-ff`, {})).toMatchObject({
      status: 409,
      body: { errors: [{ path: 'deviceSerial', message }] },
    });
    expect((await owner.post(`${own}/records`, { serial: '0b1bFF', data: { a: 1 } })).body).toMatchObject({
      accepted: 1,
    });
  });
});

describe('q and sort parameters', () => {
  it.each([
    ['[]\\b]?gate', 1],
    ['[[:alpha:]\\b]+gate', 0],
    ['h[^]\\b]gate', 1],
    ['[[]?\\bgate\\b', 1],
    ['[\\x67a]ate$', 1],
  ])('treats \\b in brackets as a backspace, and takes two digits after \\x: %s', async (pattern, count) => {
    const path = `/organizations/${owner.id}/teams`;
    const name = 'south gate';
    const { body: before } = await owner.get<{ id: string; name: string }[]>(path);
    if (!before.some((team) => team.name === name)) await owner.make(path, { name });
    const { status, body } = await owner.get<{ name: string }[]>(`${path}?q=${encodeURIComponent(pattern)}`);
    expect([status, body.filter((team) => team.name === name).length]).toEqual([200, count]);
  });

  it.each([
    ['***=north', 'must not begin with ***=: leave it out'],
    ['***:north', 'must not begin with ***:'],
    ['n{,3}orth', 'must not have {,3}: write {0,3}'],
    ['[{]{,12}', 'must not have {,12}: write {0,12}'],
  ])(
    'returns 422 for %s, which PostgreSQL reads differently from other regular expression engines',
    async (pattern, message) => {
      const path = `/organizations/${owner.id}/teams?q=${encodeURIComponent(pattern)}`;
      const { status, body } = await owner.get<{ errors: object[] }>(path);
      expect([status, body.errors]).toEqual([422, [{ path: 'q', message: expect.stringContaining(message) }]]);
    },
  );

  it('matches a brace that is escaped or in brackets', async () => {
    const path = `/organizations/${owner.id}/teams`;
    const id = await owner.make(path, { name: 'gate a{,3}' });
    for (const pattern of ['a\\{,3}', 'a[{,3}]+$'])
      expect((await owner.get(`${path}?q=${encodeURIComponent(pattern)}`)).body).toMatchObject([{ id }]);
  });

  it('matches word boundaries, and returns 422 for NUL and for an unknown sort field', async () => {
    const path = `/organizations/${owner.id}/teams`;
    const id = await owner.make(path, { name: 'north gate' });
    expect((await owner.get(`${path}?q=${encodeURIComponent('\\bnorth\\b')}`)).body).toMatchObject([{ id }]);
    expect(await owner.get(`${path}?q=${encodeURIComponent('\\0')}`)).toMatchObject({ status: 422 });
    const { body } = await owner.get<{ errors: { message: string }[] }>(`${path}?sort=color`);
    expect(body.errors[0]!.message).toContain('write - before a field for descending order');
  });
});
