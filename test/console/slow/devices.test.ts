import { expect, it } from '@jest/globals';
import { TokenScope } from '#entities/enums.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: device list', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Creates `count` devices, an application, and a record of the first device. */
  const furnished = async (count: number) => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    for (let number = 1; number <= count; number++) {
      const serial = `c0-${String(number).padStart(2, '0')}`;
      const tags = number % 2 === 0 ? ['even'] : [];
      await owner.make(`/organizations/${owner.id}/devices/${serial}`, { name: `Device ${number}`, tags });
    }
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 4 } });
    return { owner, applicationId };
  };

  it('filters by tag and silence, and keeps the filters in the address', async () => {
    const { owner } = await furnished(4);
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByText('1–4 of 4').waitFor();
    await page.getByLabel('Silent').selectOption('Silent for a day');
    await page.getByText('1–3 of 3').waitFor();
    await page.getByLabel('Tag', { exact: true }).fill('even');
    await page.keyboard.press('Enter');
    await page.getByText('1–2 of 2').waitFor();
    expect(new URL(page.url()).search).toBe('?silent=day&tag=even');
    await page.getByLabel('Tag', { exact: true }).fill('odd');
    await page.keyboard.press('Enter');
    await page.getByText('No device matches').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('sorts by when devices were heard last', async () => {
    const { owner } = await furnished(3);
    const ts = Math.floor(Date.now() / 1000) - 7200;
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-02', ts, data: { temperature: 4 } });
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    const table = page.getByRole('table', { name: 'Devices' });
    const heading = table.getByRole('columnheader', { name: 'Last heard' });
    const order = async () => (await table.getByRole('row').allInnerTexts()).map((row) => /Device \d/.exec(row)?.[0]);
    for (const [direction, devices] of [
      ['ascending', ['Device 2', 'Device 1', 'Device 3']],
      ['descending', ['Device 1', 'Device 2', 'Device 3']],
    ] as const) {
      await heading.getByRole('link').click();
      await table.getByRole('row').nth(1).getByText(devices[0]).waitFor();
      expect(await heading.getAttribute('aria-sort')).toBe(direction);
      expect((await order()).slice(1)).toEqual(devices);
    }
  });

  it('shows the newest value of a variable of the product before those of others', async () => {
    const owner = await world.organization();
    const variables = [{ name: 'temperature', unit: '°C', type: 'FLOAT32' }];
    const product = { name: 'Thermometer', version: '1', variables };
    const id = await owner.make(`/organizations/${owner.id}/products`, product);
    await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer', product: { id } });
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { battery: 3, temperature: 4 } });
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('link', { name: 'Freezer' }).waitFor();
    expect(await page.getByRole('cell', { name: 'temperature 4 °C' }).count()).toBe(1);
  });

  it('keeps the chosen columns and saved views in this browser', async () => {
    const { owner } = await furnished(4);
    const { page, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    const table = page.getByRole('table', { name: 'Devices' });
    const columns = page.locator('summary', { hasText: 'Columns' });
    await columns.click();
    await page.getByRole('checkbox', { name: 'Serial' }).uncheck();
    await table.getByRole('columnheader', { name: 'Serial' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByLabel('Tag', { exact: true }).fill('even');
    await page.getByText('1–2 of 2').waitFor();
    const views = page.locator('summary', { hasText: 'Views' });
    await views.click();
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Even ones');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.goto(`${world.url}/console/devices`);
    await page.getByText('1–4 of 4').waitFor();
    expect(await table.getByRole('columnheader', { name: 'Serial' }).count()).toBe(0);
    await columns.click();
    await page.getByRole('checkbox', { name: 'Serial' }).check();
    await table.getByRole('columnheader', { name: 'Serial' }).waitFor();
    await page.keyboard.press('Escape');
    await views.click();
    await page.getByRole('button', { name: 'Even ones', exact: true }).click();
    await page.getByText('1–2 of 2').waitFor();
    expect(new URL(page.url()).search).toBe('?tag=even');
    await table.getByRole('columnheader', { name: 'Serial' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete the view Even ones' }).click();
    await page.getByRole('button', { name: 'Even ones', exact: true }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('registers a device and opens it, and shows why a serial is refused', async () => {
    const { owner } = await furnished(1);
    const product = { name: 'Thermometer', version: '1', variables: [] };
    await owner.make(`/organizations/${owner.id}/products`, product);
    const { page, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('button', { name: 'Register a device' }).click();
    const dialog = page.getByRole('dialog', { name: 'Register a device' });
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Serial').fill('C0-01');
    await dialog.getByLabel('Name').fill('Attic');
    await dialog.getByLabel('Product').selectOption('Thermometer 1');
    await dialog.getByRole('button', { name: 'Register' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Serial').fill('C0-77');
    await dialog.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Attic' }).waitFor();
    await page.getByText('C0-77', { exact: true }).waitFor();
    await page.getByText('Thermometer 1', { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows the number of devices that match a filter, then tags, links and deletes them all', async () => {
    const { owner, applicationId } = await furnished(30);
    const { page, faults } = await browser.open(`${world.url}/console/devices?tag=even#token=${owner.token}`);
    await page.getByRole('button', { name: 'Choose all 15 that match' }).click();
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    const linking = page.getByRole('dialog', { name: 'Link 15 devices' });
    expect(await violationsOf(page)).toEqual([]);
    await linking.getByRole('button', { name: 'Link' }).click();
    await page.getByText('None chosen').waitFor();
    const { body } = await owner.get<unknown[]>(`/applications/${owner.id}/${applicationId}/devices?limit=100`);
    expect(body).toHaveLength(15);

    await page.getByLabel('Choose Device 2', { exact: true }).check();
    await page.getByLabel('Choose Device 4', { exact: true }).check();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    const tagging = page.getByRole('dialog', { name: 'Tag 2 devices' });
    await tagging.getByLabel('Tags to add').fill('chosen');
    await tagging.getByRole('button', { name: 'Tag' }).click();
    await page.getByText('chosen', { exact: true }).nth(1).waitFor();
    expect(await page.getByText('even', { exact: true }).count()).toBe(15);

    await page.getByRole('button', { name: 'Choose all 15 that match' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('Applications still have 15 of 15 devices').waitFor();
    await page.getByRole('dialog', { name: 'Delete 15 devices' }).getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog')
      .getByRole('alert')
      .getByText('Nothing was deleted: 15 of these devices are linked')
      .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Unlink', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByText('None chosen').waitFor();
    await page.getByRole('button', { name: 'Choose all 15 that match' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('This deletes 15 devices').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No device matches').waitFor();
    expect((await owner.get<unknown[]>(`/organizations/${owner.id}/devices?limit=100`)).body).toHaveLength(15);
    expect(faults).toEqual([]);
  });

  it('hides the checkboxes from a read-only token', async () => {
    const { owner } = await furnished(1);
    const reader = await world.bearer({ organizationId: owner.id, scope: TokenScope.read });
    const { page } = await browser.open(`${world.url}/console/devices#token=${reader.token}`);
    await page.getByText('1–1 of 1').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });
});
