import { expect, it } from '@jest/globals';
import { TokenScope } from '#entities/enums.js';
import { Actor } from '../../support/actor.js';
import { shell } from '../../support/command.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: device', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Creates a device with a location and one record that came as a frame. */
  const furnished = async () => {
    const owner = await world.organization();
    const mappings = [{ streamId: 3, streamType: 'RAW', varNumber: 1 }];
    const variables = [{ name: "tank's volume", unit: 'l', type: 'UINT16', mappings }];
    const product = { name: 'Meter', version: '1', variables };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const device = { name: 'Cellar', product: { id: productId }, location: { lat: 48.85, lon: 2.35 } };
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`, device);
    const frame = { streamId: 3, streamType: 'RAW', payload: '0102ff', encoding: 'hex' };
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', frame });
    return { owner, deviceId };
  };

  it('shows the parts of a stored frame, the location on a map, and the call that posts such a record', async () => {
    const { owner, deviceId } = await furnished();
    const { page, faults } = await browser.open(`${world.url}/console/devices/${deviceId}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Explain 0102ff' }).click();
    const parts = page.getByRole('table', { name: 'Parts of the frame' });
    await parts.waitFor();
    expect(await parts.getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('Offset'),
      expect.stringMatching(/^0\s+01 02\s+tank's volume\s+258/),
      expect.stringMatching(/^2\s+ff\s[^]*No variable is mapped to these bytes\.$/),
    ]);
    expect(page.url()).toContain('record=');
    const command = (await page.getByLabel('A call that posts a record').textContent())!;
    expect(command).toContain(`-d '{"data":{"tank'\\''s volume":21}}'`);
    expect(await shell(command, { TOKEN: owner.token! })).toMatchObject({ accepted: 1 });
    await page.getByRole('tab', { name: 'Location' }).click();
    await page.getByRole('group', { name: 'Map' }).getByText('Cellar').waitFor({ state: 'attached' });
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('shortens long numbers, folds long texts, and ends the breadcrumb with a name', async () => {
    const owner = await world.organization();
    const device = await owner.make(`/organizations/${owner.id}/devices/c0-01`);
    const data = { level: -1e308, note: `begin ${'word '.repeat(1000)}end` };
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data });
    const { page, faults } = await browser.open(`${world.url}/console/devices/${device}#token=${owner.token}`);
    const records = page.getByRole('table', { name: 'Records' });
    await records.getByText('−1E308').waitFor();
    expect(await page.getByText('00,000,000,000,000,000').count()).toBe(0);
    const height = async () => (await records.boundingBox())!.height;
    const folded = await height();
    await records.getByText('(5,009 characters)').click();
    await records.locator('details[open]').waitFor();
    expect(await height()).toBeGreaterThan(3 * folded);
    expect(await violationsOf(page)).toEqual([]);
    const links = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link');
    const after = await links.last().evaluate((of) => getComputedStyle(of, '::after').content);
    expect(after).toBe('none');
    expect(faults).toEqual([]);
  });

  it('keeps its tab in the address, and chooses tabs by the arrow keys', async () => {
    const { owner, deviceId } = await furnished();
    const { page, faults } = await browser.open(
      `${world.url}/console/devices/${deviceId}?tab=location#token=${owner.token}`,
    );
    const tab = (name: string) => page.getByRole('tab', { name });
    await page.getByRole('tabpanel', { name: 'Location' }).getByText('Latitude 48.8500, longitude 2.3500').waitFor();
    await tab('Location').focus();
    const shown: string[] = [];
    for (const key of ['ArrowRight', 'ArrowRight', 'End', 'ArrowRight', 'ArrowLeft', 'Home']) {
      await page.keyboard.press(key);
      const focused = page.locator('[role="tab"]:focus');
      shown.push(await focused.innerText());
      expect(await focused.getAttribute('aria-selected')).toBe('true');
      await page.getByRole('tabpanel', { name: shown.at(-1)! }).waitFor();
    }
    expect(shown).toEqual(['Tokens', 'Alerts', 'History', 'Records', 'History', 'Records']);
    expect(new URL(page.url()).search).toBe('');
    await tab('Alerts').click();
    expect(new URL(page.url()).search).toBe('?tab=alerts');
    await tab('History').click();
    await page.getByRole('table', { name: 'History' }).getByRole('row', { name: 'register device' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('says that of seven chosen variables six are drawn', async () => {
    const owner = await world.organization();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const variables = names.map((name) => ({ name, type: 'FLOAT32' }));
    const id = await owner.make(`/organizations/${owner.id}/products`, { name: 'Meter', version: '1', variables });
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`, { product: { id } });
    const search = names.map((name) => `variable=${name}`).join('&');
    const { page } = await browser.open(`${world.url}/console/devices/${deviceId}?${search}#token=${owner.token}`);
    await page.getByRole('heading', { name: 'Chart' }).waitFor();
    expect(await page.getByText('The first 6 are drawn.').count()).toBe(1);
  });

  it('saves an edit, and shows why the service refuses one', async () => {
    const { owner, deviceId } = await furnished();
    const { page } = await browser.open(`${world.url}/console/devices/${deviceId}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit the device' });
    await dialog.getByLabel('Name').fill('Attic');
    await dialog.getByLabel('Tags').fill(`north, ${'x'.repeat(2000)}`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Tags').fill('north, east');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Attic' }).waitFor();
    await page.getByText('east', { exact: true }).waitFor();
  });

  it('names the fields of a refused form by their labels', async () => {
    const { owner } = await furnished();
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('button', { name: 'Register a device' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Serial').fill('not a serial');
    await dialog.getByRole('button', { name: 'Register', exact: true }).click();
    expect(await dialog.getByRole('alert').textContent()).toContain('Serial must be groups of hexadecimal digits');
  });

  it('shows a new token of the device once; the device can post until the token is revoked', async () => {
    const { owner, deviceId } = await furnished();
    const { page, faults } = await browser.open(`${world.url}/console/devices/${deviceId}#token=${owner.token}`);
    await page.getByRole('tab', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: 'Create a token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a token' });
    await dialog.getByLabel('Name').fill('Firmware');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const token = (await page.getByLabel('The new token').textContent())!;
    const command = (await page.getByLabel('Post a record with it').textContent())!;
    expect(await shell(command)).toMatchObject({ accepted: 1 });
    expect(await page.getByLabel('Publish a record with it').count()).toBe(0);
    const device = new Actor(world.url, token);
    const post = () => device.post(`/devices/${owner.id}/${deviceId}/records`, { data: { volume: 3 } });
    expect((await post()).body).toMatchObject({ accepted: 1 });
    const row = page.getByRole('table', { name: 'Tokens' }).getByRole('row', { name: 'Firmware' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog', { name: 'Revoke Firmware' }).getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    expect((await post()).status).toBe(401);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('hides the edit button from a read-only token', async () => {
    const { owner, deviceId } = await furnished();
    const reader = await world.bearer({ organizationId: owner.id, scope: TokenScope.read });
    const { page } = await browser.open(`${world.url}/console/devices/${deviceId}#token=${reader.token}`);
    await page.getByRole('heading', { name: 'Records', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  });

  it('shows nothing of one device at the address of another one that was deleted', async () => {
    const { owner, deviceId } = await furnished();
    const other = await owner.make(`/organizations/${owner.id}/devices/c0-02`, { name: 'Attic' });
    const { page, faults } = await browser.open(`${world.url}/console/devices/${other}#token=${owner.token}`);
    await page.getByRole('heading', { name: 'Attic' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('Cellar');
    await page.getByRole('option', { name: 'Cellar' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Cellar' }).waitFor();
    expect(page.url()).toContain(deviceId);
    await owner.delete(`/devices/${owner.id}/${other}`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Device not found' }).waitFor();
    expect(await page.getByRole('button', { name: /Edit|Delete/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
