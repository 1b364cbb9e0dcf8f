import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Role } from '#entities/enums.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: sites', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Creates an organization with two devices that have a level and a counter. */
  const furnished = async () => {
    const owner = await world.organization();
    const variables = [
      { name: 'temperature', unit: '°C', type: 'FLOAT32' },
      { name: 'energy', unit: 'kWh', type: 'FLOAT32' },
    ];
    const productId = await owner.make(`/organizations/${owner.id}/products`, {
      name: 'Meter',
      version: '1',
      variables,
    });
    const settings = { variables: [{ name: 'energy', counter: {}, words: [] }], derived: [] };
    await owner.graph(
      `mutation ($organizationId: ID!, $productId: ID!, $settings: ProductSettingsInput!) {
        putProductSettings(organizationId: $organizationId, productId: $productId, settings: $settings) { id }
      }`,
      { organizationId: owner.id, productId, settings },
    );
    const application = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Energy' });
    const now = Math.floor(Date.now() / 1000);
    for (const serial of ['c0-01', 'c0-02']) {
      const device = { product: { id: productId, organizationId: owner.id } };
      const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`, device);
      await owner.put(`/applications/${owner.id}/${application}/devices/${id}`);
      await owner.post(
        `/organizations/${owner.id}/records`,
        [4, 3, 2, 1].map((day) => ({
          serial,
          ts: now - day * 86_400,
          data: { temperature: 20 + day + (serial === 'c0-01' ? 0 : 4), energy: 1000 - day * 10 },
        })),
      );
    }
    return { owner, application, now };
  };

  /** Adds a site in the open dialog. */
  const add = async (page: Page, values: { name: string; kind?: string; below?: string; timeZone?: string }) => {
    const dialog = page.getByRole('dialog', { name: /^Add a site/ });
    await dialog.getByRole('textbox', { name: 'Name' }).fill(values.name);
    if (values.kind !== undefined) await dialog.getByRole('textbox', { name: 'Kind' }).fill(values.kind);
    if (values.below !== undefined) {
      await dialog.getByRole('option', { name: values.below }).waitFor({ state: 'attached' });
      await dialog.getByLabel('Below').selectOption({ label: values.below });
    }
    if (values.timeZone !== undefined) await dialog.getByLabel('Time zone').selectOption(values.timeZone);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: values.name, level: 1 }).waitFor();
  };

  it('makes a tree, moves devices into it, and deletes a site of it', async () => {
    const { owner } = await furnished();
    const { page, faults } = await browser.open(`${world.url}/console/sites#token=${owner.token}`);
    await page.getByText('Add a site, and move devices there').waitFor();
    await page.getByRole('button', { name: 'Add a site' }).click();
    await add(page, { name: 'Building 2', kind: 'building', timeZone: 'Europe/Stockholm' });
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Sites' }).click();
    await page.getByRole('button', { name: 'Add a site' }).click();
    await add(page, { name: 'Floor 1', kind: 'floor', below: 'Building 2' });
    await page.getByRole('button', { name: 'Add a site here' }).click();
    await add(page, { name: 'Room 101' });
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link');
    expect(await crumbs.allInnerTexts()).toEqual(['Sites', 'Building 2', 'Floor 1']);

    await page.getByRole('button', { name: 'Move devices here' }).click();
    const move = page.getByRole('dialog', { name: 'Move devices here' });
    await move.getByLabel('Serials').fill('C0-01, c0-02\nc0-03');
    await move.getByRole('button', { name: 'Move', exact: true }).click();
    await move.getByText('There is no such device.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await move.getByLabel('Serials').fill('C0-01, c0-02');
    await move.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText('2 devices moved here.').waitFor();
    await crumbs.getByText('Building 2').click();
    await page.getByRole('heading', { name: 'Building 2', level: 1 }).waitFor();
    const devices = page.getByRole('table', { name: 'Devices' });
    await devices.getByRole('row').filter({ hasText: 'c0-02' }).getByRole('link', { name: 'Room 101' }).waitFor();

    await page.getByText('No value in this range').waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('link', { name: 'Floor 1' }).click();
    await page.getByRole('heading', { name: 'Floor 1', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit the site' });
    await edit.getByRole('textbox', { name: 'Name' }).fill('First floor');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'First floor', level: 1 }).waitFor();
    expect(await crumbs.allInnerTexts()).toEqual(['Sites', 'Building 2']);
    await page.getByRole('button', { name: 'Delete' }).click();
    const remove = page.getByRole('dialog', { name: 'Delete the site' });
    await remove.getByLabel('What is in it').selectOption('Move sites to Building 2, devices to Building 2');
    expect(await violationsOf(page)).toEqual([]);
    await remove.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Building 2', level: 1 }).waitFor();
    await page.getByRole('table', { name: 'Sites in it' }).getByRole('link', { name: 'Room 101' }).waitFor();

    await crumbs.getByText('Sites').click();
    const tree = page.getByRole('table', { name: 'Sites' });
    await tree.waitFor();
    expect(await tree.getByRole('row').allInnerTexts()).toEqual([
      'Site\tKind\tDevices',
      'Building 2\tbuilding\t2',
      'Room 101\t\t2',
    ]);
    await page.getByLabel('Filter by name or kind').fill('room');
    await tree.getByText('Building 2').waitFor({ state: 'detached' });
    expect(await tree.getByRole('row').allInnerTexts()).toEqual(['Site\tKind\tDevices', 'Room 101\t\t2']);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('shows a member the sites and values of the devices that the member reads, and offers no change', async () => {
    const { owner, application, now } = await furnished();
    const member = await world.member(owner, Role.member);
    const team = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Night shift' });
    await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${team}/applications/${application}`, { permission: 'read' });
    const parentId = await owner.make(`/organizations/${owner.id}/sites`, { name: 'Building 2' });
    const siteId = await owner.make(`/organizations/${owner.id}/sites`, { name: 'Floor 1', parentId });
    await owner.make(`/organizations/${owner.id}/sites`, { name: 'Empty building' });
    const move = { siteId, serials: ['c0-01', 'c0-02'], at: now - 5 * 86_400 };
    expect((await owner.put(`/organizations/${owner.id}/device-sites`, move)).status).toBe(200);
    const { page } = await browser.open(`${world.url}/console/sites#token=${member.token}`);
    await page.getByRole('link', { name: 'Building 2' }).waitFor();
    expect(await page.getByRole('link', { name: 'Empty building' }).count()).toBe(0);
    const none = async () => {
      for (const name of [/^Add a site/, 'Edit', 'Move devices here', 'Delete'])
        expect(await page.getByRole('main').getByRole('button', { name }).count()).toBe(0);
    };
    await none();
    await page.getByRole('link', { name: 'Floor 1' }).click();
    await page.getByRole('heading', { name: 'Floor 1', level: 1 }).waitFor();
    await none();
    const chart = page.getByRole('figure', { name: 'Values together' });
    await page.getByText('Increase by day, summed').waitFor();
    await chart.waitFor();
    await chart.focus();
    await page.keyboard.press('t');
    // 10 kWh a day of each of two devices.
    await chart.getByRole('cell', { name: '20', exact: true }).first().waitFor();
    await page.getByLabel('Variable').selectOption('temperature');
    await page.getByText('Lowest, average and highest').waitFor();
    await chart.getByRole('cell', { name: '23', exact: true }).first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
