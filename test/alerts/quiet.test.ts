import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountType } from '#entities/enums.js';
import { setDisabled } from '#operator/account.js';
import { fine, type Receiver, startReceiver, status } from '../hooks/receiver.js';
import { importing } from '../imports/imported.js';
import { until } from '../support/until.js';
import { longSilent, type Site, someAddress, useMailWorld } from './mail-world.js';

const world = useMailWorld({ allowCidrs: ['127.0.0.0/8'] });
const silence = { name: 'Silent', kind: 'silence', silentFor: 60, when: undefined };

let receiver: Receiver;
let isDown = false;
beforeAll(async () => {
  receiver = await startReceiver((response, call) => (isDown ? status(503) : fine)(response, call));
});
afterAll(() => receiver.close());

const hookOf = async (site: Site, path: string, events: string[]) => {
  const hookId = await site.owner.make(`${site.path}/hooks`, { url: receiver.url(path) });
  await site.owner.put(`${site.path}/hooks/${hookId}/settings`, { events });
};

const callsTo = (path: string) =>
  receiver.calls.filter((call) => call.path === path).map(({ body }) => JSON.parse(body) as Record<string, any>);

describe('import with callHooks', () => {
  it('calls hooks, but opens no episode and ends no silence', async () => {
    const site = await world.site();
    await hookOf(site, '/imported', ['record']);
    await site.rule([]);
    await site.rule([], silence);
    await longSilent(world, site);
    const episodes = async () => (await site.owner.get<object[]>(`${site.path}/episodes`)).body;
    await until(async () => (await episodes()).length === 1);
    const { body } = await site.owner.get<{ serial: string }[]>(`${site.path}/devices`);
    const file = `serial,ts,t\n${body[0]!.serial},1714000000,99`;
    await importing({ id: site.owner.id, owner: site.owner as never }).whole(
      '/records?dryRun=false&callHooks=true',
      file,
    );
    await until(() => callsTo('/imported').length === 1);
    expect(await episodes()).toMatchObject([{ name: 'Silent' }]);
    expect(await episodes()).not.toMatchObject([{ closedReason: 'arrived' }]);
  });
});

describe('disabled organization', () => {
  const disable = (id: string, disabled: boolean) =>
    setDisabled(world.pool, AccountType.organization, id, disabled, new Date());

  it('opens no silence, gets no mail and no call until it is enabled, and silences begin again then', async () => {
    const [site, other] = [await world.site(), await world.site()];
    const [address, others] = [someAddress(), someAddress()];
    await world.confirmed(site, address);
    await world.confirmed(other, others);
    for (const [each, to, path] of [
      [site, address, '/off'],
      [other, others, '/on'],
    ] as const) {
      await hookOf(each, path, ['record']);
      await each.rule([to], silence);
    }
    isDown = true;
    await site.send(1);
    await other.send(1);
    await until(() => callsTo('/off').length === 1 && callsTo('/on').length === 1);
    await disable(site.owner.id, true);
    isDown = false;
    for (const each of [site, other]) await longSilent(world, each);
    await world.advance(10_000);
    // The other organization shows that silences were decided, mails were sent and waiting calls were made meanwhile.
    await world.mailsTo(others, 2);
    await until(() => callsTo('/on').length === 2);
    expect([callsTo('/off').length, (await world.mailsTo(address, 1)).length]).toEqual([1, 1]);
    await disable(site.owner.id, false);
    await until(() => callsTo('/off').length === 2);
    const episodes = async () => (await site.owner.get<object[]>(`${site.path}/episodes`)).body;
    expect(await episodes()).toEqual([]);
    await longSilent(world, site);
    await world.mailsTo(address, 2);
    expect(await episodes()).toMatchObject([{ name: 'Silent' }]);
  });
});

describe('alert.closed of a device that was deleted at once', () => {
  it('names the device by its serial and name', async () => {
    const site = await world.site();
    await hookOf(site, '/deleted', ['alert.opened', 'alert.closed']);
    await site.rule([]);
    await site.send(9);
    const { body } = await site.owner.get<{ id: string; serial: string }[]>(`${site.path}/devices`);
    const [{ id, serial } = { id: '', serial: '' }] = body;
    await site.owner.delete(`${site.path}/devices/${id}`);
    await site.owner.delete(`/devices/${site.owner.id}/${id}`);
    await until(() => callsTo('/deleted').length === 2);
    const device = { id, serial, name: 'Freezer 3', organizationId: site.owner.id };
    expect(callsTo('/deleted').map((call) => call['device'])).toEqual([device, device]);
  });
});
