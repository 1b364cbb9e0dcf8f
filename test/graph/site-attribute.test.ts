import { beforeEach, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { Organization } from '../cli/organization.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { newSite, putSites } from './sites.js';

const world = useWorld();
let owner: AccountActor;
let site: string;
let path: string;

beforeEach(async () => {
  owner = await world.organization();
  site = await newSite(owner, 'Hall');
  path = `/sites/${owner.id}/${site}/attributes`;
});

interface Answer {
  attributes: { name: string; value: unknown }[];
}

const set = (...attributes: object[]) => owner.put<Answer>(path, { attributes });
const held = async (query = '') =>
  (await owner.get<Answer>(`${path}${query}`)).body.attributes.map(({ name, value }) => [name, value]);

describe('an attribute of a site', () => {
  it('holds from its time on, until it ends or is removed', async () => {
    const answer = await set(
      { name: 'area', value: 1200, validFrom: 1000 },
      { name: 'area', value: 1250, validFrom: 2000 },
      { name: 'tenant', value: 'north' },
    );
    expect(answer.status).toBe(200);
    expect(await held()).toEqual([
      ['area', 1250],
      ['tenant', 'north'],
    ]);
    expect(await held('?at=1500')).toEqual([['area', 1200]]);
    const { body } = await owner.graph(
      `query ($o: ID!, $s: ID!) { site(organizationId: $o, siteId: $s) {
        attributes { name value } attributeNames attributeVersions(name: "area") { validFrom value } } }`,
      { o: owner.id, s: site },
    );
    expect(body.data!['site']).toEqual({
      attributes: [
        { name: 'area', value: 1250 },
        { name: 'tenant', value: 'north' },
      ],
      attributeNames: ['area', 'tenant'],
      attributeVersions: [
        { validFrom: 2000, value: 1250 },
        { validFrom: 1000, value: 1200 },
      ],
    });
    expect((await owner.delete(`${path}/area?validFrom=2000`)).status).toBe(204);
    expect((await owner.delete(`${path}/tenant`)).status).toBe(204);
    expect(await held()).toEqual([['area', 1200]]);
  });

  it('leaves its values before and after in the audit log', async () => {
    await set({ name: 'area', value: 1, validFrom: 0 });
    await set({ name: 'area', value: 2, validFrom: 0 });
    const { body } = await owner.graph(
      `query ($o: ID!) { auditEvents(organizationId: $o, filter: { action: "setSiteAttributes" }, limit: 1) {
        items { target { kind name } changes { field before after } } } }`,
      { o: owner.id },
    );
    expect(body.data!['auditEvents'].items).toEqual([
      {
        target: { kind: 'site', name: 'Hall' },
        changes: [{ field: 'attributes.area from 1970-01-01T00:00:00.000Z', before: 1, after: 2 }],
      },
    ]);
  });

  it.each<[string, object[]]>([
    ['attributes', Array.from({ length: 51 }, (_, index) => ({ name: `a${index}`, value: 1 }))],
    ['attributes.0.value', [{ name: 'a', value: [1] }]],
    ['attributes.1', [1, 2].map((value) => ({ name: 'a', value, validFrom: 5 }))],
  ])('refuses a fault at %s', async (fault, attributes) => {
    expect(await set(...attributes)).toMatchObject({ status: 422, body: { errors: [{ path: fault }] } });
    expect(await held()).toEqual([]);
  });

  it('says of a site, not of a device, that it has too many', async () => {
    const { body } = await set(...Array.from({ length: 51 }, (_, index) => ({ name: `a${index}`, value: 1 })));
    expect(body).toMatchObject({ errors: [{ message: 'a site has at most 50 attributes; this would make 51' }] });
  });

  it('takes changes from owners alone, and hides that of a site which a member cannot read', async () => {
    const member = await world.member(owner, Role.member);
    expect((await member.get(path)).status).toBe(404);
    expect((await member.put(path, { attributes: [{ name: 'a', value: 2 }] })).status).toBe(404);
  });

  it('goes with its site, and is no attribute of devices for searches', async () => {
    await set({ name: 'area', value: 1 });
    const application = await owner.make(`/organizations/${owner.id}/applications`, { name: 'A' });
    const { body } = await owner.post<{ responses: { status: number }[] }>(
      `/applications/${owner.id}/${application}/search`,
      {
        ts: { gte: 0, lte: 4e9 },
        queries: [{ products: [], query: { range: { 'device.attributes.area': { gt: 'much' } } } }],
      },
    );
    expect(body.responses[0]!.status).toBe(200);
    await owner.delete(`/sites/${owner.id}/${site}`);
    const { rows } = await world.pool.query('select from attribute where owner_id = $1', [site]);
    expect(rows).toEqual([]);
  });
});

describe('putSites with attributes', () => {
  const attributesOf = async () => {
    const { body } = await owner.graph(
      `query ($o: ID!) { sites(organizationId: $o, sort: "name") { items { name attributes { name value } } } }`,
      { o: owner.id },
    );
    const { items } = body.data!['sites'] as { items: { name: string; attributes: Answer['attributes'] }[] };
    return Object.fromEntries(items.map(({ name, attributes }) => [name, attributes]));
  };
  const item = (name: string, attributes?: object[]) => ({ externalId: name, name, ...(attributes && { attributes }) });

  it('sets those that differ, and leaves others', async () => {
    const area = { name: 'area', value: 10 };
    const first = await putSites(owner, [item('a', [area, { name: 'tenant', value: 'x' }]), item('b')]);
    expect(first.map(({ status }) => status)).toEqual(['created', 'created']);
    const second = await putSites(owner, [item('a', [area]), item('b', [area])]);
    expect(second.map(({ status }) => status)).toEqual(['unchanged', 'updated']);
    await putSites(owner, [item('a', [{ name: 'tenant', value: null }])]);
    expect(await attributesOf()).toEqual({ Hall: [], a: [area], b: [area] });
  });

  it('fails the site with a fault alone, and sets nothing in a dry run', async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ name: `a${index}`, value: 1 }));
    const more = many.map(({ name, value }) => ({ name: `b${name}`, value }));
    await putSites(owner, [item('a', many)]);
    const outcomes = await putSites(owner, [
      item('a', more),
      item('b', [
        { name: 'x', value: 1 },
        { name: 'x', value: 2 },
      ]),
      item('c', [{ name: 'x', value: 1 }]),
    ]);
    expect(outcomes.map(({ status, error }) => error?.errors[0]?.path ?? status)).toEqual([
      'attributes',
      'attributes.1',
      'created',
    ]);
    const [dry] = await putSites(owner, [item('c', [{ name: 'x', value: 2 }])], true);
    expect(dry!.status).toBe('updated');
    expect(await attributesOf()).toMatchObject({ c: [{ name: 'x', value: 1 }] });
  });
});

describe('ddp apply of attributes of sites', () => {
  it('sets and ends them, and an export has them', async () => {
    const organization = new Organization(world.url, owner);
    const sites = { b2: { name: 'Building 2', attributes: { area: 1250, tenant: 'north' } } };
    expect((await organization.apply({ sites }, { dryRun: true })).faults).toEqual([]);
    expect(await organization.apply({ sites })).toMatchObject({ lines: ['+ site b2'], faults: [] });
    expect((await organization.apply({ sites })).lines).toEqual([]);
    expect((await organization.export()).sites['b2']).toMatchObject({ attributes: { area: 1250, tenant: 'north' } });
    const changed = { sites: { b2: { attributes: { area: 1300 } } } };
    expect((await organization.apply(changed)).lines).toEqual(['~ site b2: attributes']);
    expect((await organization.export()).sites['b2']).toMatchObject({ attributes: { area: 1300 } });
  });
});
