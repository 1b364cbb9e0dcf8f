import { describe, expect, it } from '@jest/globals';
import { minuteMs } from '#common/time.js';
import { setQuota } from '#operator/quota.js';
import { until } from '../support/until.js';
import { mailOrigin } from './mail-server.js';
import { longSilent, someAddress, useMailWorld } from './mail-world.js';

const world = useMailWorld();

const above = (value: number) => ({ all: [{ variable: 't', operator: 'gt', value }] });

// First, as the clock is at the present: the other tests set it forward, which counts as an outage.
describe('silence of a device whose records a quota refused', () => {
  it('says so in its episode and in the mail', async () => {
    const [site, other] = [await world.site(), await world.site()];
    const address = someAddress();
    await world.confirmed(site, address);
    for (const each of [site, other])
      await each.rule(each === site ? [address] : [], { kind: 'silence', silentFor: 60, when: undefined });
    await setQuota(world.pool, site.owner.id, { recordsPerDay: 0 });
    const serials = (await site.owner.get<{ serial: string }[]>(`${site.path}/devices`)).body;
    const post = () =>
      site.owner.post(`/organizations/${site.owner.id}/records`, { serial: serials[0]!.serial, data: { t: 1 } });
    await until(async () => (await post()).status === 429);
    const refusals = 'select from quota where organization_id = $1 and refused_at is not null';
    await until(async () => (await world.pool.query(refusals, [site.owner.id])).rowCount === 1);
    for (const each of [site, other]) await longSilent(world, each);
    const [, mail] = await world.mailsTo(address, 2);
    expect(mail!.raw).toContain('quota of the organization has refused records');
    const episodes = async (of: typeof site) =>
      (await of.owner.get<{ openedReason?: string }[]>(`${of.path}/episodes`)).body;
    await until(async () => (await episodes(other)).length === 1);
    expect((await episodes(site)).map(({ openedReason }) => openedReason)).toEqual(['quota']);
    expect((await episodes(other)).map(({ openedReason }) => openedReason)).toEqual([undefined]);
  });
});

describe('mail about an episode', () => {
  it('says the value that opened or closed it, and links to its rule and device in the console', async () => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await world.confirmed(site, address);
    await site.send(9.5);
    const [, opened] = await world.mailsTo(address, 2);
    const [{ id } = { id: '' }] = (await site.owner.get<{ id: string }[]>(`${site.path}/devices`)).body;
    expect(opened!.raw).toContain('t: 9.5');
    expect(opened!.raw).toContain(`${mailOrigin}/console/alerts?rule=${ruleId}`);
    expect(opened!.raw).toContain(`device=${id}`);
    await site.send(1.25);
    await world.advance(5 * minuteMs);
    const [, , closed] = await world.mailsTo(address, 3);
    expect(closed!.raw).toContain('t: 1.25');
  });

  it('comes at once for a critical opening among others, but not each time that a device goes up and down', async () => {
    const site = await world.site();
    const address = someAddress();
    const warning = await world.confirmed(site, address);
    await site.owner.put(`${site.path}/alert-rules/${warning}`, { name: 'Warm', severity: 'warning' });
    await site.rule([address], { name: 'Hot', when: above(20) });
    await site.send(9);
    const [, first] = await world.mailsTo(address, 2);
    expect(first!.header('Subject')).toBe('Warning: Warm, Freezer 3');
    await site.send(30);
    const [, , critical] = await world.mailsTo(address, 3);
    expect(critical!.header('Subject')).toBe('Critical: Hot, Freezer 3');
    await site.send(1);
    await site.send(30);
    await world.advance(5 * minuteMs);
    const [, , , digest, ...others] = await world.mailsTo(address, 4);
    expect([digest!.header('Subject'), others]).toEqual([expect.stringMatching(/^4 alert notices of /), []]);
  });
});

describe('notices of an episode in the graph', () => {
  it('lists the mails and calls about it, and nobody who was named later', async () => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await world.confirmed(site, address);
    const hookId = await site.owner.make(`${site.path}/hooks`, { url: 'http://127.0.0.1:9/' });
    await site.owner.put(`${site.path}/hooks/${hookId}/settings`, { events: ['alert.opened'] });
    await site.send(9);
    await world.mailsTo(address, 2);
    const later = someAddress();
    await site.owner.put(`${site.path}/alert-rules/${ruleId}`, { name: 'Too warm', recipients: [address, later] });
    const list = 'episodes { items { mails { address of sentAt } calls { applicationHookId of state } } }';
    const notices = async () =>
      (await site.owner.graph(`{ account { ${list} } }`)).body.data!['account'].episodes.items;
    await until(async () => (await notices())[0].mails[0].sentAt !== null);
    expect(await notices()).toEqual([
      {
        mails: [{ address, of: 'open', sentAt: expect.any(String) }],
        calls: [{ applicationHookId: hookId, of: 'open', state: 'pending' }],
      },
    ]);
  });
});
