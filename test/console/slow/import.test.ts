import { expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { setQuota } from '#operator/quota.js';
import { createSignInLink } from '#operator/sign-in-link.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: import of devices and history', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('checks a file, shows its errors in a table, and imports it', async () => {
    const owner = await world.organization();
    const { page, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    const send = async (button: string, name: string, text: string) => {
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog', { name: button });
      await dialog.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
      await dialog.getByRole('button', { name: 'Check the file' }).click();
    };
    await send('Import devices', 'fleet.csv', 'serial,name\nc1-01,Attic\nno serial,Cellar\n');
    await page.getByText('The file is checked.').waitFor();
    await page.getByRole('table', { name: 'Faults' }).getByText('1 serial').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Import 1 line' }).click();
    await page.getByText('The file is imported.').waitFor();
    await page.getByRole('link', { name: 'Attic' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await send('Import history', 'history.ndjson', '{"serial":"c1-01","ts":1714568400,"data":{"level":7}}\n');
    await page.getByRole('button', { name: 'Import 1 line' }).click();
    await page.getByText('The file is imported.').waitFor();
    expect(faults).toEqual([]);
  });

  it('names the values of a checked file that searches will ignore', async () => {
    const owner = await world.organization();
    const variables = [{ name: 'level', type: 'FLOAT32' }];
    const id = await owner.make(`/organizations/${owner.id}/products`, { name: 'Well', version: '1', variables });
    await owner.make(`/organizations/${owner.id}/devices/c6-01`, { product: { id } });
    const { page, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('button', { name: 'Import history' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import history' });
    const buffer = Buffer.from('serial,ts,level\nc6-01,1714568400,7\nc6-01,1714568401,n/a\nc6-01,1714568402,-\n');
    await dialog.getByLabel('File').setInputFiles({ name: 'history.csv', mimeType: 'text/csv', buffer });
    await dialog.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('2 values of the wrong type').waitFor();
    const table = page.getByRole('table', { name: 'Values of the wrong type' });
    expect(await table.getByRole('cell').allInnerTexts()).toEqual([
      'level',
      '2',
      '3',
      '"n/a" does not fit the type FLOAT32.',
    ]);
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Import 3 lines' }).isVisible()).toBe(true);
    expect(faults).toEqual([]);
  });

  it('stops a file at the quota, and continues when the quota is raised', async () => {
    const owner = await world.organization();
    await setQuota(world.pool, owner.id, { devices: 1 });
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('button', { name: 'Import devices' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import devices' });
    const buffer = Buffer.from('serial,name\nc2-01,Attic\nc2-02,Cellar\n');
    await dialog.getByLabel('File').setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
    await dialog.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Import 2 lines' }).click();
    await page.getByText('as many devices as its quota allows').waitFor();
    await setQuota(world.pool, owner.id, { devices: 2 });
    await page.getByRole('button', { name: 'Apply the import' }).click();
    await page.getByRole('link', { name: 'Cellar' }).waitFor();
    expect(await page.getByText('The file is imported.').count()).toBe(1);
  });

  it('reports that another user has discarded the file when it is applied', async () => {
    const owner = await world.organization();
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('button', { name: 'Import devices' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import devices' });
    const buffer = Buffer.from('serial,name\nc3-01,Attic\n');
    await dialog.getByLabel('File').setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
    await dialog.getByRole('button', { name: 'Check the file' }).click();
    const apply = page.getByRole('button', { name: 'Import 1 line' });
    await apply.waitFor();
    await world.pool.query('delete from file_import where organization_id = $1', [owner.id]);
    await apply.click();
    await page.getByRole('alert').getByText('There is no such import').waitFor();
    expect(await apply.isVisible()).toBe(true);
  });

  it('follows an import on after a request for it has failed', async () => {
    const owner = await world.organization();
    const { page, context } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('button', { name: 'Import devices' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import devices' });
    const buffer = Buffer.from('serial,name\nc4-01,Attic\n');
    await dialog.getByLabel('File').setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
    await dialog.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('The file is checked.').waitFor();
    const turn = (state: string) =>
      world.pool.query('update file_import set state = $2 where organization_id = $1', [owner.id, state]);
    await turn('checking');
    await page.reload();
    await page.getByText('The file is being checked.').waitFor();
    await context.setOffline(true);
    await page.getByText('The service cannot be reached').waitFor();
    await turn('checked');
    await context.setOffline(false);
    await page.getByText('The file is checked.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('refuses a file that is not text', async () => {
    const owner = await world.organization();
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('button', { name: 'Import devices' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import devices' });
    const buffer = Buffer.from('PK\x03\x04 a spreadsheet');
    await dialog.getByLabel('File').setInputFiles({ name: 'fleet.xlsx', mimeType: 'application/zip', buffer });
    await dialog.getByRole('button', { name: 'Check the file' }).click();
    await dialog.getByRole('alert').getByText('spreadsheet').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('imports a file for a person who is signed in by a cookie', async () => {
    const owner = await world.member(await world.organization(), Role.owner);
    const { token } = await createSignInLink(world.pool, owner.id, new Date());
    const { page } = await browser.open(`${world.url}/auth/link?token=${token}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('button', { name: 'Import devices' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import devices' });
    const buffer = Buffer.from('serial,name\nc5-01,Attic\n');
    await dialog.getByLabel('File').setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
    await dialog.getByRole('button', { name: 'Check the file' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Import 1 line' }).click();
    await page.getByRole('link', { name: 'Attic' }).waitFor();
    expect(await page.getByText('The file is imported.').count()).toBe(1);
  });
});
