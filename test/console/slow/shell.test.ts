import { expect, it } from '@jest/globals';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('the frame of the console', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Creates an organization with one object of each kind that the search finds. */
  const furnished = async () => {
    const owner = await world.organization();
    const organization = `/organizations/${owner.id}`;
    const deviceId = await owner.make(`${organization}/devices/c0-01`, { name: 'Quartz freezer' });
    const applicationId = await owner.make(`${organization}/applications`, { name: 'Quartz rooms' });
    await owner.make(`${organization}/products`, { name: 'Quartz meter', version: '1', variables: [] });
    const url = 'https://example.com/quartz';
    await owner.make(`/applications/${owner.id}/${applicationId}/hooks`, { url, disabled: true });
    return { owner, deviceId };
  };

  it('finds anything by Ctrl+K, lists shortcuts by ?, and goes to the filter by /', async () => {
    const { owner, deviceId } = await furnished();
    const { page, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Find' });
    await field.fill('quartz');
    const found = page.getByRole('listbox', { name: 'Found' });
    await found.getByRole('option', { name: 'https://example.com/quartz' }).waitFor();
    const kinds = await found.getByRole('option').allTextContents();
    expect(kinds.map((text) => /[A-Z][a-z]+$/.exec(text)![0])).toEqual(['Device', 'Application', 'Product', 'Hook']);
    expect(await violationsOf(page)).toEqual([]);
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Quartz freezer' }).waitFor();
    expect(page.url()).toContain(`/devices/${deviceId}`);
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('goes back to the place of a list from which a device was opened', async () => {
    const { owner } = await furnished();
    for (let index = 0; index < 40; index++)
      await owner.make(`/organizations/${owner.id}/devices/c1-${index.toString(16).padStart(2, '0')}`, {});
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    const list = page.getByRole('table', { name: 'Devices' });
    await list.getByRole('link').nth(24).scrollIntoViewIfNeeded();
    await page.waitForFunction(() => scrollY > 0);
    await list.getByRole('link').nth(24).click();
    await page.getByRole('heading', { level: 1, name: /^c1-/ }).waitFor();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.goBack();
    await page.waitForFunction(() => scrollY > 0);
    const box = await list.getByRole('link').nth(24).boundingBox();
    expect(box!.y).toBeGreaterThan(0);
    expect(box!.y).toBeLessThan(800);
  });

  it('loads the page once more when the script of a screen does not load, and then says so', async () => {
    const { owner } = await furnished();
    const { page, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await page.route('**/usage-*.js', (route) => route.abort());
    let loads = 0;
    page.on('load', () => (loads += 1));
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Not loaded' }).waitFor();
    expect(loads).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    await page.unroute('**/usage-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it('keeps the page and says that a screen does not load while the service is not reached', async () => {
    const { owner } = await furnished();
    const { page, context } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await context.setOffline(true);
    let loads = 0;
    page.on('load', () => (loads += 1));
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Not loaded' }).waitFor();
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor();
    expect(loads).toBe(0);
  });

  it('says when the search cannot be loaded, or a text cannot be copied', async () => {
    const { owner, deviceId } = await furnished();
    const { page, faults } = await browser.open(`${world.url}/console/devices/${deviceId}#token=${owner.token}`);
    await page.getByRole('heading', { name: 'Quartz freezer' }).waitFor();
    const messages = page.getByRole('status', { name: 'Messages' });
    await page.route('**/palette-*.js', (route) => route.abort());
    for (const count of [1, 2]) {
      await page.keyboard.press('Control+k');
      await messages
        .getByText('could not be loaded')
        .nth(count - 1)
        .waitFor();
    }
    // A page over plain HTTP has no clipboard.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.getByRole('button', { name: 'Copy the serial number' }).click();
    await messages.getByText('does not allow copying').waitFor();
    expect(faults).toEqual([]);
  });

  it('says what was done, and takes an edit back', async () => {
    const { owner, deviceId } = await furnished();
    const { page } = await browser.open(`${world.url}/console/devices/${deviceId}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Attic');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Attic' }).waitFor();
    await page.getByText('The device was saved.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Quartz freezer' }).waitFor();
  });

  it('opens its navigation by a menu button at 390 pixels, and has lists as cards that are tables to a screen reader', async () => {
    const { owner } = await furnished();
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`, {
      viewport: { width: 390, height: 800 },
    });
    await page.getByRole('table', { name: 'Devices' }).getByRole('link', { name: 'Quartz freezer' }).waitFor();
    const heading = (await page.getByRole('heading', { name: 'Devices' }).boundingBox())!;
    expect(heading.y).toBeLessThan(80);
    await page.getByRole('button', { name: 'Menu' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Products' }).click();
    await page.getByRole('heading', { name: 'Products' }).waitFor();
    expect(await page.getByRole('link', { name: 'Usage' }).isVisible()).toBe(false);
  });

  it('chooses one time zone for every screen, also from a screen that does not exist', async () => {
    const { owner } = await furnished();
    const { page } = await browser.open(`${world.url}/console/nowhere#token=${owner.token}`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.locator('summary', { hasText: 'Account:' }).click();
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${world.url}/console/explore`);
    await page.getByRole('group', { name: 'Time range' }).getByText('Asia/Tokyo').waitFor();
  });
});
