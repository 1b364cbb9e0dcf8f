import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type QuotaValues, setQuota } from '#operator/quota.js';
import { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { counts, importing } from './imported.js';

let now = Date.UTC(2026, 10, 20, 12);
const world = useWorld({ clock: () => now });

/** Sets quotas as an operator does. With `refused`, waits until the service refuses a call of so many records. */
const limited = async (owner: AccountActor, values: Partial<QuotaValues>, refused = 0) => {
  await setQuota(world.pool, owner.id, values);
  const records = Array.from({ length: refused }, () => ({ serial: 'ff', data: {} }));
  while (refused > 0 && (await owner.post(`/organizations/${owner.id}/records`, records)).status === 200)
    await delay(50);
};

const filesOf = (owner: AccountActor) => importing({ id: owner.id, owner });

/** Returns serials with a prefix, numbered from 1. */
const serials = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(6, '0')}`);

const fleet = (list: readonly string[]) => `serial\n${list.join('\n')}\n`;

const quotaOf = async (owner: AccountActor) =>
  (await owner.get<Record<keyof QuotaValues, object>>(`/organizations/${owner.id}/quota`)).body;

describe('device quota of an import', () => {
  it('stops the import with a message at the quota, and continues it when the quota is raised', async () => {
    const owner = await world.organization();
    const files = filesOf(owner);
    await limited(owner, { devices: 700 });
    const file = fleet(serials('c1', 1200));
    const failed = await files.whole('/devices?dryRun=false', file);
    expect(failed).toMatchObject({
      state: 'failed',
      created: 500,
      job: { error: expect.stringMatching(/^The organization has as many devices as its quota allows\. Delete/) },
    });
    expect(await quotaOf(owner)).toMatchObject({ devices: { limit: 700, used: 500 } });
    await limited(owner, { devices: 1200 });
    expect(counts(await files.apply(failed.id))).toMatchObject({ lines: 1200, created: 700, unchanged: 500 });
  });

  it('holds against concurrent imports, provisioning tokens and calls', async () => {
    const owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const files = filesOf(owner);
    const product = await owner.make(`${at}/products`, { name: 'Meter', version: '1', variables: [] });
    const { body } = await owner.post<{ token: string }>(`/products/${owner.id}/${product}/provisioning-tokens`, {
      deviceLimit: 100,
      // The expiry follows the database's clock, which differs from the test's.
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const unknown = new Actor(world.url, body.token);
    await limited(owner, { devices: 40 });
    const [imports, calls] = await Promise.all([
      Promise.all(
        // The first two files contain the same devices.
        ['c2', 'c2', 'c3'].map((prefix) => files.whole('/devices?dryRun=false', fleet(serials(prefix, 15)))),
      ),
      Promise.all([
        ...serials('c4', 10).map((serial) => owner.post(`${at}/devices/${serial}`)),
        ...serials('c5', 10).map((serial) => unknown.post(`/provision/${serial}`)),
      ]),
    ]);
    expect(imports.map(({ state }) => state).filter((state) => state !== 'done' && state !== 'failed')).toEqual([]);
    expect(calls.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
    const used =
      imports.reduce((sum, { created }) => sum + created, 0) + calls.filter(({ status }) => status === 200).length;
    expect(used).toBeLessThanOrEqual(40);
    expect(await quotaOf(owner)).toMatchObject({ devices: { limit: 40, used } });
    expect((await owner.get<object[]>(`${at}/devices?limit=1000`)).body).toHaveLength(used);
  });
});

describe('daily record quota of an import', () => {
  it('stops the import, which stores the rest when it is applied the next day', async () => {
    const owner = await world.organization();
    const files = filesOf(owner);
    await owner.make(`/organizations/${owner.id}/devices/d1-01`);
    await limited(owner, { recordsPerDay: 2000 }, 2001);
    const rows = Array.from({ length: 2500 }, (_, index) => `d1-01,${1_714_000_000 + index},${index}`);
    const failed = await files.whole('/records?dryRun=false', `serial,ts,level\n${rows.join('\n')}\n`);
    expect(failed).toMatchObject({
      state: 'failed',
      created: 2000,
      job: { error: 'The quota of 2000 records a day is reached, until 2026-11-21T00:00:00.000Z.' },
    });
    expect(await quotaOf(owner)).toMatchObject({ recordsPerDay: { used: 2000 } });
    now += 86_400_000;
    expect(counts(await files.apply(failed.id))).toMatchObject({ lines: 2500, created: 500, unchanged: 2000 });
    expect(await quotaOf(owner)).toMatchObject({ recordsPerDay: { used: 500 } });
  });
});

describe('storage quota of an import', () => {
  it('refuses a new file, and stops the import of an earlier one with a message', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/devices/d2-01`);
    const files = filesOf(owner);
    const file = 'serial,ts,level\nd2-01,1714000000,1\n';
    const { id } = await files.whole('/records', file);
    await limited(owner, { storedBytes: 0 }, 1);
    const reached = /^The quota of 0 stored bytes is reached, until records are deleted/;
    expect(await files.send('/records', file)).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(reached) },
    });
    expect(await files.apply(id)).toMatchObject({
      state: 'failed',
      job: { changed: 0, error: expect.stringMatching(reached) },
    });
  });

  it('counts files that are not imported yet', async () => {
    const owner = await world.organization();
    await setQuota(world.pool, owner.id, { storedBytes: 1_000_000 });
    const file = 'serial,ts,level\nd3-01,1714000000,1\n';
    const { id } = await filesOf(owner).whole('/records', file);
    expect(await quotaOf(owner)).toMatchObject({ storedBytes: { used: file.length } });
    await owner.delete(`${filesOf(owner).at}/${id}`);
    expect(await quotaOf(owner)).toMatchObject({ storedBytes: { used: 0 } });
  });
});
