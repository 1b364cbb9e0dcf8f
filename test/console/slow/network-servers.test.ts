import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { json, type Receiver, startReceiver, status } from '../../hooks/receiver.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: network servers', () => {
  const world = useWorld();
  const browser = useBrowser();
  let server: Receiver;
  let isOpen = false;
  beforeAll(async () => {
    server = await startReceiver((response, call) =>
      isOpen ? json('{}')(response, call) : status(403)(response, call),
    );
  });
  afterAll(() => server.close());

  it('adds a network server, tests it, changes its key, and deletes it', async () => {
    const owner = await world.organization();
    const { page, faults } = await browser.open(`${world.url}/console/network-servers#token=${owner.token}`);
    await page.getByText('No network server yet').waitFor();
    await page.getByRole('button', { name: 'Add a network server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Kind').selectOption('ChirpStack');
    await dialog.getByLabel('Name').fill('Roof');
    await dialog.getByLabel('Address').fill(server.url('/api'));
    await dialog.getByLabel('Application').fill('pumps');
    await dialog.getByLabel('API key').fill('SECRET-KEY');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('must end before /api').waitFor();
    await dialog.getByLabel('Address').fill(server.url('/'));
    await dialog.getByRole('button', { name: 'Add' }).click();
    const row = page.getByRole('table', { name: 'Network servers' }).getByRole('row', { name: /Roof/ });
    await row.getByText('takes commands').waitFor();
    await row.getByRole('button', { name: 'Test Roof' }).click();
    await row.getByText('Give it that right, or another key.').waitFor();
    isOpen = true;
    await row.getByRole('button', { name: 'Edit' }).click();
    expect(await dialog.getByLabel('API key').inputValue()).toBe('');
    await dialog.getByLabel('API key').fill('OTHER-KEY');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByRole('button', { name: 'Test Roof' }).click();
    await row.getByText('works').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.content()).not.toMatch(/SECRET-KEY|OTHER-KEY/);
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No network server yet').waitFor();
    expect(faults).toEqual([]);
  });

  it('asks an owner to confirm a server that uplinks named, with its address', async () => {
    const owner = await world.organization();
    const values = { kind: 'CHIRPSTACK', name: 'Named', address: server.url(''), application: 'pumps', apiKey: 'KEY' };
    const id = await owner.make(`/organizations/${owner.id}/network-servers`, values);
    await world.pool.query('update network_server set proposed = true where id = $1', [id]);
    const { page } = await browser.open(`${world.url}/console/network-servers#token=${owner.token}`);
    await page.getByText('waits for a confirmation').waitFor();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog').getByText('so check its address').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('takes commands').waitFor();
    expect(
      (await owner.get<{ proposed: boolean }>(`/organizations/${owner.id}/network-servers/${id}`)).body,
    ).toMatchObject({ proposed: false });
  });

  it('says to a member that only owners see them', async () => {
    const owner = await world.organization();
    const member = await world.member(owner, Role.member);
    const { page } = await browser.open(`${world.url}/console/network-servers#token=${member.token}`);
    await page.getByText('Only owners of the organization see its network servers').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
