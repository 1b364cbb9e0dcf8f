import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';
import { ask, call, move, newChain, newSite, tree } from './sites.js';

const world = useWorld();
let owner: AccountActor;
let at: string;

beforeEach(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}/sites`;
});

const site = (id: string) => `/sites/${owner.id}/${id}`;

describe('POST /organizations/:organizationId/sites', () => {
  it('creates a site with its values', async () => {
    const building = await newSite(owner, 'Building 2');
    const values = { kind: 'floor', location: { lat: 59.8, lon: 17.6 }, timeZone: 'Europe/Stockholm' };
    const { status, body } = await owner.post<{ id: string }>(at, { name: 'Floor 1', parentId: building, ...values });
    expect([status, body]).toMatchObject([200, { name: 'Floor 1', parentId: building, ...values }]);
    expect((await owner.get(site(body.id))).body).toEqual(body);
    expect(await tree(owner)).toEqual(['Building 2', 'Building 2/Floor 1']);
  });

  it('returns 422 for a ninth level', async () => {
    const chain = await newChain(owner, 8);
    const { status, body } = await owner.post(at, { name: 'L9', parentId: chain.at(-1) });
    expect([status, body]).toMatchObject([422, { errors: [{ path: 'parentId' }] }]);
  });

  it.each([
    ['a name of a megabyte', { name: 'x'.repeat(1_000_000) }, 'name'],
    ['a name of blanks', { name: ' ' }, 'name'],
    ['an unknown time zone', { name: 'A', timeZone: 'Mars/Olympus' }, 'timeZone'],
    ['a latitude out of range', { name: 'A', location: { lat: 91, lon: 0 } }, 'location.lat'],
    ['a long kind', { name: 'A', kind: 'k'.repeat(65) }, 'kind'],
  ])('returns 422 for %s', async (_case, body, path) => {
    expect((await owner.post(at, body)).body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path }] });
  });

  it.each(['no-id', '00000000-0000-7000-8000-000000000000'])('returns 404 for the parent %s', async (parentId) => {
    expect((await owner.post(at, { name: 'A', parentId })).status).toBe(404);
  });

  it('returns 409 for the 10,001st site', async () => {
    await world.pool.query(
      `insert into site (id, organization_id, path, name, created_at, updated_at)
       select i, $1, array[i], 'x', now(), now() from (select gen_random_uuid() i from generate_series(1, 10000)) g`,
      [owner.id],
    );
    expect((await owner.post(at, { name: 'One more' })).status).toBe(409);
  });
});

describe('GET /organizations/:organizationId/sites', () => {
  it('filters by parent, kind and text', async () => {
    const building = await newSite(owner, 'Building');
    await owner.make(at, { name: 'Roof', parentId: building, kind: 'floor' });
    await owner.make(at, { name: 'Garage', parentId: building, kind: 'hall' });
    const names = async (query: string) =>
      (await owner.get<{ name: string }[]>(`${at}?${query}`)).body.map(({ name }) => name);
    expect(await names('top=true')).toEqual(['Building']);
    expect(await names(`parentId=${building}&sort=name`)).toEqual(['Garage', 'Roof']);
    expect(await names('kind=floor')).toEqual(['Roof']);
    expect(await names('q=^gar')).toEqual(['Garage']);
    expect(await names('parentId=nothing')).toEqual([]);
  });
});

describe('PUT /sites/:organizationId/:siteId', () => {
  it('moves a site with all below it', async () => {
    const [a, b] = await newChain(owner, 4);
    const other = await newSite(owner, 'Other');
    await owner.put(site(b!), { name: 'L2', parentId: other });
    expect(await tree(owner)).toEqual(['L1', 'Other', 'Other/L2', 'Other/L2/L3', 'Other/L2/L3/L4']);
    await owner.put(site(other), { name: 'Other', parentId: a });
    expect(await tree(owner)).toContain('L1/Other/L2/L3/L4');
    await owner.put(site(b!), { name: 'L2', parentId: null });
    expect(await tree(owner)).toEqual(['L1', 'L1/Other', 'L2', 'L2/L3', 'L2/L3/L4']);
  });

  it('keeps the parent when the body does not name it', async () => {
    const chain = await newChain(owner, 2);
    await owner.put(site(chain[1]!), { name: 'New' });
    expect(await tree(owner)).toEqual(['L1', 'L1/New']);
  });

  it('returns 422 for a site below itself, and for a ninth level below', async () => {
    const chain = await newChain(owner, 5);
    const four = await newChain(owner, 4);
    const tooDeep = await owner.put(site(four[0]!), { name: 'A', parentId: chain.at(-1) });
    const circles = [chain[0], chain[3]].map((parentId) => owner.put(site(chain[0]!), { name: 'A', parentId }));
    for (const { status, body } of [tooDeep, ...(await Promise.all(circles))])
      expect([status, body]).toMatchObject([422, { errors: [{ path: 'parentId' }] }]);
    expect(await tree(owner)).toContain('L1/L2/L3/L4/L5');
  });

  it('makes no cycle and no ninth level when two sites move at once', async () => {
    for (let round = 0; round < 8; round++) {
      const one = await newChain(owner, 3);
      const other = await newChain(owner, 3);
      const answers = await Promise.all([
        owner.put(site(one[0]!), { name: 'A', parentId: other[2] }),
        owner.put(site(other[0]!), { name: 'B', parentId: one[2] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    }
    const chain = await newChain(owner, 4);
    const [three, leaf] = [await newChain(owner, 3), await newChain(owner, 2)];
    const answers = await Promise.all([
      owner.put(site(three[0]!), { name: 'A', parentId: chain[3] }),
      owner.put(site(leaf[0]!), { name: 'B', parentId: three[2] }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    const { rows } = await world.pool.query(
      `select from site s left join site p on p.id = s.parent_id
        where s.organization_id = $1 and s.path is distinct from coalesce(p.path, '{}') || s.id`,
      [owner.id],
    );
    expect(rows).toEqual([]);
  });
});

describe('DELETE /sites/:organizationId/:siteId', () => {
  let chain: string[];
  let device: string;

  beforeEach(async () => {
    chain = await newChain(owner, 3);
    device = await owner.make(`/organizations/${owner.id}/devices/a0-01`);
    await move(owner, [device], chain[2]!, 1000);
    await move(owner, [device], chain[1]!, 2000);
  });

  const deleteSite = (siteId: string, contents?: string) =>
    call(
      owner,
      'mutation ($o: ID!, $s: ID!, $c: SiteContents) { answer: deleteSite(organizationId: $o, siteId: $s, contents: $c) { id } }',
      { s: siteId, c: contents },
    );
  const places = async () =>
    (await owner.get<{ siteId: string; startedAt: string }[]>(`/devices/${owner.id}/${device}/sites`)).body.map(
      ({ siteId, startedAt }) => [siteId, Date.parse(startedAt) / 1000],
    );

  it('returns 409 while sites or devices are in it', async () => {
    expect((await owner.delete(site(chain[0]!))).status).toBe(409);
    expect((await owner.delete(site(chain[1]!))).status).toBe(409);
    expect((await owner.delete(site(chain[2]!))).status).toBe(204);
    expect(await tree(owner)).toEqual(['L1', 'L1/L2']);
  });

  it('lets the site above have the times of its devices', async () => {
    await owner.delete(site(chain[2]!));
    expect(await places()).toEqual([
      [chain[1], 2000],
      [chain[1], 1000],
    ]);
  });

  it('moves what is in it one level up', async () => {
    expect((await deleteSite(chain[1]!, 'moveUp')).errors).toBeUndefined();
    expect(await tree(owner)).toEqual(['L1', 'L1/L3']);
    expect(await places()).toEqual([
      [chain[0], 2000],
      [chain[2], 1000],
    ]);
    expect((await owner.delete(`${site(chain[0]!)}?contents=moveUp`)).status).toBe(204);
    expect(await tree(owner)).toEqual(['L3']);
    expect(await places()).toEqual([[chain[2], 1000]]);
  });

  it('deletes all below it', async () => {
    expect((await deleteSite(chain[1]!, 'deleteSites')).errors).toBeUndefined();
    expect(await tree(owner)).toEqual(['L1']);
    expect(await places()).toEqual([
      [chain[0], 2000],
      [chain[0], 1000],
    ]);
    expect((await deleteSite(chain[0]!, 'deleteSites')).errors).toBeUndefined();
    expect(await places()).toEqual([]);
  });

  it('forgets the sites of a deleted device', async () => {
    await owner.delete(`/devices/${owner.id}/${device}`);
    expect((await owner.delete(site(chain[1]!))).status).toBe(409);
    expect((await owner.delete(site(chain[2]!))).status).toBe(204);
    expect((await owner.delete(site(chain[1]!))).status).toBe(204);
  });

  it('keeps a device that moves there at the same time, or leaves it at no deleted site', async () => {
    const target = await newSite(owner, 'Target');
    const [moved, deleted] = await Promise.all([move(owner, [device], target), owner.delete(site(target))]);
    expect([
      [200, 409],
      [404, 204],
    ]).toContainEqual([moved.status, deleted.status]);
  });
});

describe('audit log of sites', () => {
  it('says what changed', async () => {
    const parent = await newSite(owner, 'A');
    const id = await newSite(owner, 'B');
    await owner.put(site(id), { name: 'B', parentId: parent });
    await owner.delete(site(id));
    const { items } = await ask<{ items: { action: string; changes: object[] }[] }>(
      owner,
      `query ($o: ID!, $s: String!) { answer: auditEvents(organizationId: $o, filter: { target: $s }) {
         items { action changes { field before after } } } }`,
      { s: id },
    );
    expect(items.map(({ action }) => action)).toEqual(['deleteSite', 'updateSite', 'createSite']);
    expect(items[1]!.changes).toEqual([{ field: 'parentId', before: null, after: parent }]);
  });
});
