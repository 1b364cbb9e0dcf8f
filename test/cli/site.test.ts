import { beforeEach, describe, expect, it } from '@jest/globals';
import { move, newSite, tree } from '../graph/sites.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { Organization } from './organization.js';

const world = useWorld();
let owner: AccountActor;
let organization: Organization;

beforeEach(async () => {
  owner = await world.organization();
  organization = new Organization(world.url, owner);
});

const document = {
  sites: {
    room: { name: 'Room', parent: 'floor' },
    floor: { name: 'Floor', parent: 'b2', kind: 'floor' },
    b2: { name: 'Building 2', location: { lat: 59.8, lon: 17.6 }, timeZone: 'Europe/Stockholm' },
  },
  devices: { 'a0-01': { site: 'room' }, 'a0-02': { site: 'b2' }, 'a0-03': {} },
};

describe('ddp apply of sites', () => {
  it('makes a tree with its devices, and changes nothing the second time', async () => {
    expect((await organization.apply(document, { dryRun: true })).faults).toEqual([]);
    expect(await organization.apply(document)).toMatchObject({
      lines: ['+ site room', '+ site floor', '+ site b2', '+ device a0-01', '+ device a0-02', '+ device a0-03'],
      done: 6,
      faults: [],
    });
    expect(await tree(owner)).toEqual(['Building 2', 'Building 2/Floor', 'Building 2/Floor/Room']);
    expect((await organization.apply(document, { prune: true })).lines).toEqual([]);
  });

  it('moves sites and devices', async () => {
    await organization.apply(document);
    const changed = {
      sites: { room: { parent: null }, floor: { parent: 'room' } },
      devices: { 'a0-01': { site: null }, 'a0-02': { site: 'floor' } },
    };
    expect((await organization.apply(changed)).lines).toEqual([
      '~ site room: parent',
      '~ site floor: parent',
      '~ device a0-01: site',
      '~ device a0-02: site',
    ]);
    expect(await tree(owner)).toEqual(['Building 2', 'Room', 'Room/Floor']);
    expect((await organization.apply(changed)).lines).toEqual([]);
  });

  it('exchanges the keys of two sites', async () => {
    await organization.apply(document);
    const { sites } = await organization.export();
    const [floor, room] = await Promise.all(
      ['floor', 'room'].map(
        async (name) => (await owner.get<{ id: string }[]>(`/organizations/${owner.id}/sites?q=^${name}$`)).body[0]!.id,
      ),
    );
    const swapped = {
      b2: sites['b2'],
      room: { ...sites['floor'], id: floor },
      floor: { ...sites['room'], id: room, parent: 'room' },
    };
    expect((await organization.apply({ sites: swapped })).faults).toEqual([]);
    expect(await tree(owner)).toEqual(['Building 2', 'Building 2/Floor', 'Building 2/Floor/Room']);
    expect((await organization.apply({ sites: swapped })).lines).toEqual([]);
  });

  it('names a site that does not exist, and changes nothing', async () => {
    const wrong = { sites: { a: { name: 'A', parent: 'b' } }, devices: { 'a0-01': { site: 'c' } } };
    const { faults, done } = await organization.apply(wrong);
    expect([faults, done]).toEqual([
      ['sites.a.parent: there is no site "b"', 'devices.a0-01.site: there is no site "c"'],
      0,
    ]);
  });

  it('reports a circle with its place', async () => {
    const { faults } = await organization.apply({
      sites: { a: { name: 'A', parent: 'b' }, b: { name: 'B', parent: 'a' } },
    });
    expect(faults.join()).toContain('sites.a.parent: must not be the site itself');
  });

  it('removes sites from the bottom, but none with devices', async () => {
    await organization.apply(document);
    const { lines, done, faults } = await organization.apply({ sites: {} }, { prune: true });
    expect(lines.toSorted()).toEqual(['- site b2', '- site floor', '- site room']);
    expect([done, faults.length]).toEqual([0, 3]);
    const devices = { 'a0-01': { site: null }, 'a0-02': { site: null } };
    expect((await organization.apply({ devices, sites: {} }, { prune: true })).faults).toEqual([]);
    expect(await tree(owner)).toEqual([]);
  });
});

describe('ddp export-configuration of sites', () => {
  it('gives keys to sites that have none, and makes the same tree in another organization', async () => {
    const top = await newSite(owner, 'Building 2');
    const floor = await newSite(owner, 'Floor', top);
    const other = await newSite(owner, 'Floor', floor);
    const device = await owner.make(`/organizations/${owner.id}/devices/a0-01`);
    await move(owner, [device], other);
    const exported = await organization.export();
    expect(exported.sites).toMatchObject({
      'building-2': { name: 'Building 2', parent: null },
      floor: { parent: 'building-2' },
      'floor-2': { parent: 'floor' },
    });
    expect(exported.devices['a0-01']).toMatchObject({ site: 'floor-2' });
    const copy = await world.organization();
    const applied = await new Organization(world.url, copy).apply(exported);
    expect(applied.faults).toEqual([]);
    expect(await tree(copy)).toEqual(await tree(owner));
  });
});
