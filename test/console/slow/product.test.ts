import { expect, it } from '@jest/globals';
import { TokenScope } from '#entities/enums.js';
import { Actor } from '../../support/actor.js';
import { shell } from '../../support/command.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: products', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('creates a product, decodes a frame with it, and previews a redecode before running it', async () => {
    const owner = await world.organization();
    const { page, faults } = await browser.open(`${world.url}/console/products#token=${owner.token}`);
    await page.getByText('No product yet').waitFor();
    await page.getByRole('button', { name: 'Create a product' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a product' });
    await dialog.getByLabel('Name', { exact: true }).fill('Thermometer');
    await dialog.getByLabel('Name of variable 1').fill('temperature');
    for (const [index, [stream, layout, number]] of [
      ['2', 'TXT', '1'],
      ['9', 'RAW', '9'],
      ['300', 'BIN', '0'],
    ].entries()) {
      await dialog.getByRole('button', { name: 'Add a mapping to variable 1' }).click();
      const mapping = `mapping ${index + 1} of variable 1`;
      await dialog.getByLabel(`Stream of ${mapping}`).fill(stream!);
      await dialog.getByLabel(`Layout of ${mapping}`).selectOption(layout!);
      await dialog.getByLabel(`Number of ${mapping}`).fill(number!);
    }
    await dialog.getByRole('button', { name: 'Remove mapping 2 of variable 1' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Thermometer 1.0' }).waitFor();
    await page.getByRole('table', { name: 'Variables' }).getByText('2 TXT 1, 300 BIN 0').waitFor();

    await page.getByLabel('Frame', { exact: true }).fill('21.5;oops');
    await page.getByLabel('Written as').selectOption('utf8');
    await page.getByLabel('Layout').selectOption('TXT');
    await page.getByRole('button', { name: 'Decode', exact: true }).click();
    const parts = page.getByRole('table', { name: 'Parts of the frame' }).getByRole('row');
    await parts.filter({ hasText: 'temperature' }).getByRole('cell', { name: '21.5' }).waitFor();
    await page.getByRole('note').getByText('never decode: temperature (300 BIN 0)').waitFor();
    expect(page.url()).toContain('frame=21.5');
    expect(await violationsOf(page)).toEqual([]);

    expect(await page.getByRole('button', { name: 'Decode again' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Try first' }).click();
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText('The trial: 0 would change.').waitFor();
    await page.getByRole('button', { name: 'Decode again' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows a new provisioning token once; devices can register with it until it is revoked', async () => {
    const owner = await world.organization();
    const product = { name: 'Thermometer', version: '1', variables: [] };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const { page, faults } = await browser.open(`${world.url}/console/products/${productId}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Create a provisioning token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a provisioning token' });
    await dialog.getByLabel('Name').fill('Batch 7');
    await dialog.getByLabel('Devices').fill('20');
    await dialog.getByLabel('Last day').fill('2099-12-31');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const device = new Actor(world.url, (await page.getByLabel('The new token').textContent())!);
    const command = (await page.getByLabel(/^Register a device with it/).textContent())!;
    expect(await shell(command)).toMatchObject({ apiToken: { scope: 'ingest' } });
    expect((await device.post('/provision/c0-07')).status).toBe(200);
    await page.reload();
    const row = page.getByRole('table', { name: 'Provisioning tokens' }).getByRole('row', { name: 'Batch 7' });
    await row.getByText('2 of 20').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog', { name: 'Revoke Batch 7' }).getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    expect((await device.post('/provision/c0-08')).status).toBe(401);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('shows why a product that a device uses cannot be deleted', async () => {
    const owner = await world.organization();
    const product = { name: 'Thermometer', version: '1', variables: [] };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    await owner.make(`/organizations/${owner.id}/devices/c0-01`, { product: { id: productId } });
    const { page } = await browser.open(`${world.url}/console/products/${productId}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alert').getByText('Devices use this product: give them another product first.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('hides all buttons from a read-only token', async () => {
    const owner = await world.organization();
    const reader = await world.bearer({ organizationId: owner.id, scope: TokenScope.read });
    const { page } = await browser.open(`${world.url}/console/products#token=${reader.token}`);
    await page.getByText('No product yet').waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  });
});
