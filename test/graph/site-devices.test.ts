import { beforeEach, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { newLink } from '../auth/operations.js';
import { Actor } from '../support/actor.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { ask, move, newChain, newSite } from './sites.js';

const clock = { now: Date.parse('2026-06-01T00:00:00Z') };
const world = useWorld({ clock: () => clock.now });
let owner: AccountActor;
let chain: string[];
let devices: string[];

beforeEach(async () => {
  owner = await world.organization();
  chain = await newChain(owner, 3);
  devices = [];
  for (const serial of ['a0-01', 'a0-02', 'a0-03'])
    devices.push(await owner.make(`/organizations/${owner.id}/devices/${serial}`));
});

const places = async (device: string) =>
  (
    await owner.get<{ siteId: string; startedAt: string; endedAt?: string }[]>(`/devices/${owner.id}/${device}/sites`)
  ).body.map(({ siteId, startedAt, endedAt }) => [
    siteId,
    Date.parse(startedAt) / 1000,
    endedAt === undefined ? null : Date.parse(endedAt) / 1000,
  ]);

describe('PUT /organizations/:organizationId/device-sites', () => {
  it('keeps the sites of a device with their times', async () => {
    await move(owner, devices, chain[0]!, 1000);
    const { body } = await move(owner, devices.slice(0, 2), chain[2]!, 2000);
    expect(body).toMatchObject({ matched: 2, changed: 2 });
    await move(owner, [devices[0]!], null);
    expect(await places(devices[0]!)).toEqual([
      [chain[2], 2000, clock.now / 1000],
      [chain[0], 1000, 2000],
    ]);
    expect(await places(devices[1]!)).toEqual([
      [chain[2], 2000, null],
      [chain[0], 1000, 2000],
    ]);
    expect(await places(devices[2]!)).toEqual([[chain[0], 1000, null]]);
  });

  it('changes nothing for a device that is there already', async () => {
    await move(owner, devices, chain[1]!, 1000);
    expect((await move(owner, devices, chain[1]!, 3000)).body).toMatchObject({ matched: 3, changed: 0 });
    expect((await move(owner, devices, chain[1]!, 500)).status).toBe(200);
    expect(await places(devices[0]!)).toEqual([[chain[1], 1000, null]]);
  });

  it('replaces a move of the same time', async () => {
    await move(owner, devices, chain[0]!, 1000);
    await move(owner, devices, chain[1]!, 1000);
    expect(await places(devices[0]!)).toEqual([[chain[1], 1000, null]]);
    await move(owner, devices, null, 1000);
    expect(await places(devices[0]!)).toEqual([]);
  });

  it('returns 422 for a time before the last move, and for the future', async () => {
    await move(owner, [devices[0]!], chain[0]!, 1000);
    for (const at of [999, clock.now / 1000 + 1]) {
      const { status, body } = await move(owner, devices, chain[1]!, at);
      expect([status, body]).toMatchObject([422, { errors: [{ path: 'at' }] }]);
    }
    await move(owner, [devices[0]!], null, 2000);
    expect((await move(owner, [devices[0]!], chain[0]!, 1999)).status).toBe(422);
    expect(await places(devices[1]!)).toEqual([]);
  });

  it('returns 422 without a site, and 404 for one that is unknown or of another organization', async () => {
    const at = `/organizations/${owner.id}/device-sites`;
    expect((await owner.put(at, { deviceIds: devices })).body).toMatchObject({ errors: [{ path: 'siteId' }] });
    expect((await owner.put(at, { siteId: chain[0] })).status).toBe(422);
    const foreign = await newSite(await world.organization(), 'x');
    for (const siteId of ['nothing', foreign]) expect((await move(owner, devices, siteId)).status).toBe(404);
  });

  it('moves more than 1,000 devices by a job', async () => {
    await world.pool.query(
      `insert into device (id, organization_id, serial, slug, created_at, updated_at)
       select gen_random_uuid(), $1, 'b' || lpad(to_hex(n), 5, '0'), 'd', now() - interval '1 year', now() from generate_series(1, 1200) n`,
      [owner.id],
    );
    const at = `/organizations/${owner.id}/device-sites`;
    const { status, body } = await owner.put<{ matched: number; job: { id: string } }>(at, {
      q: '^b',
      siteId: chain[0],
      at: 1000,
    });
    expect([status, body]).toMatchObject([200, { matched: 1200, job: { kind: 'moveDevices' } }]);
    const job = `/organizations/${owner.id}/jobs/${body.job.id}`;
    await until(async () => (await owner.get<{ state: string }>(job)).body.state === 'done');
    const shown = await ask(
      owner,
      'query ($o: ID!, $j: ID!) { answer: job(organizationId: $o, jobId: $j) { kind done changed } }',
      { j: body.job.id },
    );
    expect(shown).toEqual({ kind: 'moveDevices', done: 1200, changed: 1200 });
    const { headers } = await owner.get(`/sites/${owner.id}/${chain[0]}/devices`);
    expect(headers.get('x-total-count')).toBe('1200');
  });

  it('leaves one site when two calls move a device at once', async () => {
    for (let round = 0; round < 5; round++) {
      await Promise.all([move(owner, devices, chain[0]!), move(owner, devices, chain[1]!), move(owner, devices, null)]);
      const { rows } = await world.pool.query(
        `select from device_site a join device_site b on b.device_id = a.device_id and b.started_at > a.started_at
          where a.organization_id = $1 and coalesce(a.ended_at, 'infinity') > b.started_at`,
        [owner.id],
      );
      expect(rows).toEqual([]);
    }
  });
});

const siteIdFilter =
  'query ($o: ID!, $s: ID!) { answer: devices(organizationId: $o, filter: { siteId: $s }) { items { serial } } }';

describe('filter of devices by site', () => {
  const serials = async (siteId: string, caller: AccountActor = owner): Promise<string[]> => {
    const { data } = (await caller.graph(siteIdFilter, { o: owner.id, s: siteId })).body;
    return (data!['answer'].items as { serial: string }[]).map(({ serial }) => serial);
  };

  it('finds the devices that are there now, or below it', async () => {
    await move(owner, [devices[0]!], chain[0]!, 1000);
    await move(owner, [devices[1]!], chain[2]!, 1000);
    await move(owner, [devices[2]!], chain[2]!, 1000);
    await move(owner, [devices[2]!], null, 2000);
    expect(await serials(chain[0]!)).toEqual(['a0-01', 'a0-02']);
    expect(await serials(chain[1]!)).toEqual(['a0-02']);
    const at = `/sites/${owner.id}/${chain[0]}/devices`;
    const found = async (query: string) =>
      (await owner.get<{ serial: string }[]>(`${at}${query}`)).body.map(({ serial }) => serial);
    expect(await found('')).toEqual(['a0-01']);
    expect(await found('?below=true')).toEqual(['a0-01', 'a0-02']);
    const { children, devices: all } = await ask<{
      children: { items: { name: string }[] };
      devices: { totalCount: number };
    }>(
      owner,
      `query ($o: ID!, $s: ID!) { answer: site(organizationId: $o, siteId: $s) {
         children { items { name parent { name } } } devices(below: true) { totalCount } } }`,
      { s: chain[0] },
    );
    expect([children.items, all.totalCount]).toEqual([[{ name: 'L2', parent: { name: 'L1' } }], 2]);
  });

  it('finds none for a site that is unknown or of another organization', async () => {
    const other = await world.organization();
    const foreign = await newSite(other, 'x');
    await move(other, [await other.make(`/organizations/${other.id}/devices/b0`)], foreign);
    for (const id of ['nothing', foreign]) expect(await serials(id)).toEqual([]);
  });

  it('agrees with the site of each device', async () => {
    await move(owner, [devices[0]!], chain[2]!, 1000);
    const { items } = await ask<{ items: object[] }>(
      owner,
      'query ($o: ID!) { answer: devices(organizationId: $o) { items { site { name parent { name } } } } }',
    );
    expect(items).toEqual([{ site: { name: 'L3', parent: { name: 'L2' } } }, { site: null }, { site: null }]);
    expect((await owner.get(`/devices/${owner.id}/${devices[0]}`)).body).not.toHaveProperty('site');
  });
});

describe('access to sites', () => {
  let member: AccountActor;
  let link: Actor;
  let other: string;

  /** The member and the link read the first device, which is at the second level. */
  beforeEach(async () => {
    const at = `/organizations/${owner.id}`;
    member = await world.member(owner, Role.member);
    const applicationId = await owner.make(`${at}/applications`, { name: 'A', hasDashboard: true });
    const teamId = await owner.make(`${at}/teams`, { name: 'T' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'write' });
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${devices[0]}`);
    link = new Actor(world.url, (await newLink({ owner, applicationId })).token);
    other = await newSite(owner, 'Other', chain[0]);
    await move(owner, [devices[0]!], other, 1000);
    await move(owner, [devices[0]!], chain[1]!, 2000);
    await move(owner, [devices[1]!], chain[2]!, 1000);
  });

  it('includes sites with a readable device, and what is above them', async () => {
    for (const caller of [member, link]) {
      const { body } = await caller.get<{ name: string }[]>(`/organizations/${owner.id}/sites`);
      expect(body.map(({ name }) => name)).toEqual(['L1', 'L2']);
      const status = async (id: string) => (await caller.get(`/sites/${owner.id}/${id}`)).status;
      expect(await Promise.all([...chain, other].map(status))).toEqual([200, 200, 404, 404]);
      const here = await caller.get<{ serial: string }[]>(`/sites/${owner.id}/${chain[0]}/devices?below=true`);
      expect(here.body.map(({ serial }) => serial)).toEqual(['a0-01']);
      const past = await caller.get<{ siteId: string }[]>(`/devices/${owner.id}/${devices[0]}/sites`);
      expect(past.body.map(({ siteId }) => siteId)).toEqual([chain[1]]);
    }
  });

  it('lets only owners change sites', async () => {
    expect((await member.post(`/organizations/${owner.id}/sites`, { name: 'A' })).status).toBe(403);
    expect((await member.put(`/sites/${owner.id}/${chain[1]}`, { name: 'A' })).status).toBe(403);
    expect((await member.put(`/sites/${owner.id}/${chain[2]}`, { name: 'A' })).status).toBe(404);
    expect((await member.delete(`/sites/${owner.id}/${chain[1]}`)).status).toBe(403);
    const moved = await member.put(`/organizations/${owner.id}/device-sites`, { deviceIds: devices, siteId: null });
    expect(moved.status).toBe(403);
  });
});
