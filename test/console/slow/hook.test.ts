import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { Role } from '#entities/enums.js';
import { type Receiver, startReceiver, status } from '../../hooks/receiver.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

const hooks = { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'], retrySchedule: [60_000] };

describeInBrowser('console: hooks', () => {
  const world = useWorld({ config: { hooks } });
  const browser = useBrowser();
  let receiver: Receiver;
  let broken: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    broken = await startReceiver(status(500));
  });
  afterAll(async () => {
    await receiver.close();
    await broken.close();
  });

  /** Creates an organization with an application and a linked device. */
  const furnished = async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer' });
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    return { owner, applicationId };
  };

  it('creates a hook, pings it, shows request and answer, and disables it', async () => {
    const { owner } = await furnished();
    const { page, faults } = await browser.open(`${world.url}/console/hooks#token=${owner.token}`);
    await page.getByText('No hook yet').waitFor();
    await page.getByRole('button', { name: 'Create a hook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a hook' });
    await dialog.getByLabel('Address').fill(receiver.url('/records'));
    await dialog.getByLabel('Authentication').selectOption('Bearer token');
    await dialog.getByLabel('Value').fill('a secret with spaces');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByRole('alert').getByText('must be visible ASCII characters').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Value').fill('the-secret-of-the-receiver');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();

    await page.getByText('No delivery').waitFor();
    await page.getByRole('button', { name: 'Ping' }).click();
    await page.getByRole('heading', { name: 'Delivery' }).waitFor();
    await page.getByText('succeeded 200').waitFor();
    await page.getByLabel('Body of the answer').getByText('fine').waitFor();
    expect(await page.getByRole('table', { name: 'Attempts' }).getByRole('row').count()).toBe(2);
    expect(await page.getByText('the-secret-of-the-receiver').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('link', { name: receiver.url('/records') }).click();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('switched off by hand').waitFor();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('shows a new signing secret once', async () => {
    const { owner, applicationId } = await furnished();
    const url = receiver.url('/signed');
    const hookId = await owner.make(`/applications/${owner.id}/${applicationId}/hooks`, { url });
    const { page } = await browser.open(`${world.url}/console/hooks/${applicationId}/${hookId}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const secret = await page.getByLabel('The new signing secret').textContent();
    expect(secret).toMatch(/^whsec_/);
    await page.reload();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    expect(await page.getByText(secret!).count()).toBe(0);
  });

  it('filters deliveries by outcome, previews the number of records of a replay, and shows the progress of its job', async () => {
    const { owner, applicationId } = await furnished();
    const url = broken.url('/broken');
    const hookId = await owner.make(`/applications/${owner.id}/${applicationId}/hooks`, { url });
    const records = [1, 2].map((temperature) => ({ serial: 'c0-01', data: { temperature } }));
    await owner.post(`/organizations/${owner.id}/records`, records);
    await broken.received(2);
    const { page } = await browser.open(`${world.url}/console/hooks/${applicationId}/${hookId}#token=${owner.token}`);
    await page.getByLabel('Outcome', { exact: true }).selectOption('Succeeded');
    await page.getByText('No delivery').waitFor();
    expect(page.url()).toContain('outcome=succeeded');
    await page.getByLabel('Outcome', { exact: true }).selectOption('Failed or waiting');
    await page.getByText('1–2 of 2').waitFor();
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByRole('option', { name: '2 that failed or wait' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('dialog').getByText('2 records').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('status', { name: 'Job' }).getByText('2 changed').waitFor();
  });

  it('shows the next attempt of a delivery with its time zone', async () => {
    const { owner, applicationId } = await furnished();
    const url = broken.url('/later');
    const hookId = await owner.make(`/applications/${owner.id}/${applicationId}/hooks`, { url });
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 1 } });
    const path = `/applications/${owner.id}/${applicationId}/hooks/${hookId}/deliveries`;
    const { body } = await owner.get<{ id: string }[]>(path);
    const address = `${world.url}/console/hooks/${applicationId}/${hookId}/${body[0]!.id}`;
    const { page } = await browser.open(`${address}#token=${owner.token}`);
    await page.getByText('failed 500, is tried again').waitFor();
    const next = page.locator('dl > div', { hasText: 'Next attempt' }).getByRole('definition');
    expect(await next.textContent()).toMatch(/:\d\d \(Europe\/Paris\)$/);
  });

  it("shows that a delivery waits for the hook's circuit, and until when, and does not ask each second", async () => {
    const { owner, applicationId } = await furnished();
    const hooks = `/applications/${owner.id}/${applicationId}/hooks`;
    const hookId = await owner.make(hooks, { url: broken.url('/circuit') });
    const records = Array.from({ length: 12 }, (_, temperature) => ({ serial: 'c0-01', data: { temperature } }));
    await owner.post(`/organizations/${owner.id}/records`, records);
    const isOpen = async () =>
      (await owner.get<{ circuit: string }>(`${hooks}/${hookId}/settings`)).body.circuit === 'open';
    while (!(await isOpen()));
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 99 } });
    const { body } = await owner.get<{ id: string }[]>(`${hooks}/${hookId}/deliveries`);
    const address = `${world.url}/console/hooks/${applicationId}/${hookId}/${body[0]!.id}`;
    const { page } = await browser.open('about:blank');
    await page.clock.install();
    let asked = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('query Delivery(')) asked += 1;
    });
    await page.goto(`${address}#token=${owner.token}`);
    const next = page.locator('dl > div', { hasText: 'Next attempt' }).getByRole('definition');
    await next.getByText('the circuit of the hook is open').waitFor();
    await page.clock.fastForward(2000);
    // The answer comes after every request that the page sent before.
    await page.evaluate(async () => (await fetch('/auth/session')).status);
    expect(asked).toBe(1);
    expect(await next.textContent()).toMatch(/^not before .+ \(Europe\/Paris\): the circuit of the hook is open$/);
  });

  it('goes from a delivery to the ones before and after it, and copies it as a curl command', async () => {
    const { owner, applicationId } = await furnished();
    const hooks = `/applications/${owner.id}/${applicationId}/hooks`;
    const hookId = await owner.make(hooks, { url: receiver.url('/neighbours') });
    for (const temperature of [1, 2, 3])
      await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature } });
    await receiver.received(3);
    const { body } = await owner.get<{ id: string }[]>(`${hooks}/${hookId}/deliveries`);
    const ids = body.map(({ id }) => id);
    const base = `${world.url}/console/hooks/${applicationId}/${hookId}`;
    const { page, context } = await browser.open(`${base}/${ids[0]}#token=${owner.token}`);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    const way = [
      ['Next', ids[1]],
      ['Next', ids[2]],
      ['Previous', ids[1]],
    ] as const;
    for (const [name, id] of way) {
      // The link still leads to the delivery that is shown until the new one has loaded.
      await link(name)
        .and(page.locator(`[href$="${id}"]`))
        .click();
      await page.waitForURL(`${base}/${id}`);
    }
    await link('Previous')
      .and(page.locator(`[href$="${ids[0]}"]`))
      .click();
    await link('Previous').waitFor({ state: 'detached' });
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`curl -X POST '${receiver.url('/neighbours')}'`);
    expect(copied).toContain('"temperature":3');
  });

  it('asks once for a delivery that does not exist', async () => {
    const { owner, applicationId } = await furnished();
    const { page } = await browser.open('about:blank');
    await page.clock.install();
    let asked = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('query Delivery(')) asked += 1;
    });
    await page.goto(`${world.url}/console/hooks/${applicationId}/${owner.id}/${owner.id}#token=${owner.token}`);
    await page.getByRole('heading', { name: 'Delivery not found' }).waitFor();
    await page.clock.fastForward(60_000);
    // The answer comes after every request that the page sent before.
    await page.evaluate(async () => (await fetch('/auth/session')).status);
    expect(asked).toBe(1);
  });

  it('deletes a hook in its danger zone', async () => {
    const { owner, applicationId } = await furnished();
    const hooks = `/applications/${owner.id}/${applicationId}/hooks`;
    const hookId = await owner.make(hooks, { url: receiver.url('/ends') });
    const { page } = await browser.open(`${world.url}/console/hooks/${applicationId}/${hookId}#token=${owner.token}`);
    const zone = page.getByRole('region', { name: 'Danger zone' });
    await zone.getByText('Its waiting deliveries end').waitFor();
    expect(await page.getByRole('banner').getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await zone.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete the hook' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No hook yet').waitFor();
    expect((await owner.get(`${hooks}/${hookId}`)).status).toBe(404);
  });

  it('hides the hooks of an application from a member who may only read it', async () => {
    const { owner, applicationId } = await furnished();
    await owner.make(`/applications/${owner.id}/${applicationId}/hooks`, { url: receiver.url('/hidden') });
    const member = await world.member(owner, Role.member);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Readers' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
    const { page } = await browser.open(`${world.url}/console/hooks#token=${member.token}`);
    await page.getByText('You see those of applications that you may change.').waitFor();
    expect(await page.getByRole('button', { name: 'Create a hook' }).count()).toBe(0);
  });
});
