import { beforeEach, describe, expect, it } from '@jest/globals';
import { ask, newSite, putSites } from '../graph/sites.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { counts, importing } from './imported.js';

const world = useWorld();
let owner: AccountActor;
let site: string;
let files: ReturnType<typeof importing>;

beforeEach(async () => {
  owner = await world.organization();
  files = importing({ id: owner.id, owner });
  const [put] = await putSites(owner, [{ externalId: 'b2', name: 'Building 2' }]);
  site = put!.id!;
});

const sites = async () => {
  const { items } = await ask<{ items: { serial: string; site: { name: string } | null }[] }>(
    owner,
    'query ($o: ID!) { answer: devices(organizationId: $o, sort: "serial") { items { serial site { name } } } }',
  );
  return items.map((each) => [each.serial, each.site?.name ?? null]);
};

describe('column site of a file of devices', () => {
  it('names a site by its key, name or identifier', async () => {
    const done = await files.whole('/devices?dryRun=false', `serial,site\na1,B2\na2,building 2\na3,${site}\na4,`);
    expect(counts(done)).toMatchObject({ created: 4, rejected: 0 });
    expect(await sites()).toEqual([
      ['a1', 'Building 2'],
      ['a2', 'Building 2'],
      ['a3', 'Building 2'],
      ['a4', null],
    ]);
  });

  it('moves devices, and counts those that are there already as unchanged', async () => {
    await newSite(owner, 'Annex');
    await files.whole('/devices?dryRun=false', 'serial,site\na1,b2\na2,b2\na3,b2');
    const again = await files.whole('/devices?dryRun=false&clearEmpty=true', 'serial,site\na1,annex\na2,b2\na3,');
    expect(counts(again)).toMatchObject({ updated: 2, unchanged: 1 });
    expect(await sites()).toEqual([
      ['a1', 'Annex'],
      ['a2', 'Building 2'],
      ['a3', null],
    ]);
  });

  it('reports unknown and ambiguous sites, and those of another organization', async () => {
    await newSite(owner, 'Annex');
    await newSite(owner, 'Annex');
    const foreign = await newSite(await world.organization(), 'Elsewhere');
    const { faults } = await files.whole('/devices', `serial,site\na1,nothing\na2,annex\na3,${foreign}\na4,elsewhere`);
    expect(faults.map(({ line, field, message }) => [line, field, message])).toEqual([
      [2, 'site', 'There is no site "nothing".'],
      [3, 'site', 'Several sites are named "annex": write the id.'],
      [4, 'site', `There is no site "${foreign}".`],
      [5, 'site', 'There is no site "elsewhere".'],
    ]);
  });

  it('takes an export unchanged', async () => {
    await files.whole('/devices?dryRun=false', 'serial,site\na1,b2\na2,');
    const { body } = await owner.get<string>(`/organizations/${owner.id}/export`);
    expect(body).toContain(site);
    const again = await files.whole('/devices?dryRun=false&clearEmpty=true', body);
    expect(counts(again)).toMatchObject({ unchanged: 2, rejected: 0 });
  });
});

describe('putDevices', () => {
  it('moves devices to sites, and fails those with a site that does not exist', async () => {
    const foreign = await newSite(await world.organization(), 'Elsewhere');
    const put = (devices: object[]) =>
      ask<{ results: { status: string; error: { code: string; errors: { path: string }[] } | null }[] }>(
        owner,
        `mutation ($o: ID!, $devices: [DeviceInput!]!) { answer: putDevices(organizationId: $o, devices: $devices) {
           results { status error { code errors { path } } } } }`,
        { devices },
      );
    const devices = [
      { serial: 'a1', siteId: site },
      { serial: 'a2', siteId: foreign },
      { serial: 'a3', siteId: 'nothing' },
      { serial: 'a4' },
    ];
    const missing = { status: 'failed', error: { code: 'NOT_FOUND', errors: [{ path: 'siteId' }] } };
    expect((await put(devices)).results).toMatchObject([
      { status: 'created' },
      missing,
      missing,
      { status: 'created' },
    ]);
    const again = await put([{ serial: 'a1' }, { serial: 'a4', siteId: site }]);
    expect(again.results).toMatchObject([{ status: 'unchanged' }, { status: 'updated' }]);
    expect((await put([{ serial: 'a1', siteId: null }])).results).toMatchObject([{ status: 'updated' }]);
    expect(await sites()).toEqual([
      ['a1', null],
      ['a4', 'Building 2'],
    ]);
  });
});
