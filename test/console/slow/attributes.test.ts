import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Role } from '#entities/enums.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: attributes', () => {
  const world = useWorld();
  const browser = useBrowser();

  const rowsOf = (page: Page, name: string) =>
    page.getByRole('table', { name, exact: true }).getByRole('row').allInnerTexts();

  it('sets, changes, shows over time and deletes attributes of a device', async () => {
    const owner = await world.organization();
    const id = await owner.make(`/organizations/${owner.id}/devices/a0-01`, { name: 'Freezer' });
    const address = `${world.url}/console/devices/${id}?tab=attributes#token=${owner.token}`;
    const { page, faults } = await browser.open(address);
    await page.getByText('No attribute').waitFor();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Set an attribute' }).click();
    await dialog.getByLabel('Name').fill('offset');
    await dialog.locator('[name=value]').fill('-0.4');
    await dialog.getByLabel('Holds from').fill('yesterday');
    await dialog.getByRole('button', { name: 'Set', exact: true }).click();
    await dialog.getByText('Holds from must be a time, such as 2026-10-25 08:00').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Holds from').fill('2026-01-01 00:00');
    await dialog.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('The attribute was set.').waitFor();
    await page.getByRole('row', { name: /offset/ }).waitFor();
    expect((await rowsOf(page, 'Attributes'))[1]).toMatch(/^offset\t−0.4\tnumber\t1 Jan 2026, 00:00:00\t/);

    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Type').selectOption('Text');
    await dialog.locator('[name=value]').fill('x'.repeat(1025));
    await dialog.getByRole('button', { name: 'Set', exact: true }).click();
    await dialog.getByText('Value must be a number, a boolean or a text of at most 1 kB.').waitFor();
    await dialog.locator('[name=value]').fill('about -1');
    await dialog.getByLabel('Holds from').fill('2026-02-01');
    await dialog.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByRole('row', { name: /about -1/ }).waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Type').selectOption('Yes or no');
    await dialog.locator('[name=value]').selectOption('No (false)');
    await dialog.getByLabel('Holds from').fill('2099-01-01');
    await dialog.getByRole('button', { name: 'Set', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'History of offset' }).click();
    await page.getByRole('table', { name: 'History of offset' }).waitFor();
    expect(await rowsOf(page, 'History of offset')).toEqual([
      'Value\tType\tFrom\tUntil\tChange',
      'false\tboolean\t1 Jan 2099, 00:00:00\t\tDelete',
      'about -1\ttext\t1 Feb 2026, 00:00:00\t1 Jan 2099, 00:00:00\tDelete',
      '−0.4\tnumber\t1 Jan 2026, 00:00:00\t1 Feb 2026, 00:00:00\tDelete',
    ]);
    expect(await violationsOf(page)).toEqual([]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/attributes.png` });

    const history = page.getByRole('table', { name: 'History of offset' });
    await history.getByRole('row', { name: /about/ }).getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await history.getByRole('row', { name: /about/ }).waitFor({ state: 'detached' });
    const list = page.getByRole('table', { name: 'Attributes', exact: true });
    await list.getByRole('row', { name: /−0.4 number 1 Jan 2026/ }).waitFor();
    await list.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByLabel('Its values until now').selectOption('Keep them: it has no value from now on');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await list.getByText('none now').waitFor();
    await history.getByRole('row', { name: /no value/ }).waitFor();
    await list.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No attribute').waitFor();
    const events = `/organizations/${owner.id}/audit`;
    const actions = (await owner.get<{ action: string }[]>(events)).body.map(({ action }) => action);
    expect(actions.filter((action) => action.endsWith('DeviceAttribute'))).toHaveLength(2);
    expect(faults).toEqual([]);
  });

  it('shows those of a site, and offers a member no change', async () => {
    const owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const siteId = await owner.make(`${at}/sites`, { name: 'Building 2' });
    const { page } = await browser.open(`${world.url}/console/sites/${siteId}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Set an attribute' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('area');
    await dialog.locator('[name=value]').fill('1250');
    await dialog.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByRole('row', { name: /area/ }).waitFor();
    const shown = (await rowsOf(page, 'Attributes'))[1];
    expect(shown).toMatch(/^area\t1,250\tnumber\t/);
    expect(await violationsOf(page)).toEqual([]);

    const application = await owner.make(`${at}/applications`, { name: 'Energy' });
    const deviceId = await owner.make(`${at}/devices/a0-01`, { name: 'Meter' });
    await owner.put(`/applications/${owner.id}/${application}/devices/${deviceId}`);
    await owner.put(`${at}/device-sites`, { siteId, deviceIds: [deviceId] });
    await owner.put(`/devices/${owner.id}/${deviceId}/attributes`, { attributes: [{ name: 'line', value: 'north' }] });
    const member = await world.member(owner, Role.member);
    const team = await owner.make(`${at}/teams`, { name: 'Night shift' });
    await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${team}/applications/${application}`, { permission: 'write' });
    const other = await browser.open(`${world.url}/console/sites/${siteId}#token=${member.token}`);
    await other.page.getByRole('row', { name: /area/ }).waitFor();
    await other.page.goto(`${world.url}/console/devices/${deviceId}?tab=attributes`);
    await other.page.getByRole('row', { name: /line/ }).waitFor();
    await other.page.getByRole('button', { name: 'History of line' }).click();
    await other.page.getByRole('table', { name: 'History of line' }).waitFor();
    for (const name of ['Set an attribute', 'Change', 'Delete'])
      expect(await other.page.getByRole('main').getByRole('button', { name }).count()).toBe(0);
    expect(await violationsOf(other.page)).toEqual([]);
  });
});
