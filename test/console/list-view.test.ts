import { expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

describeInBrowser('console: columns, views and filters of lists', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Starts a job, so that the list of jobs is not empty. */
  const startJob = async (owner: AccountActor): Promise<void> => {
    const product = { name: 'Thermometer', version: '1', variables: [] };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    await owner.post(`/products/${owner.id}/${productId}/redecode`, {});
  };

  it.each([
    { list: 'Tokens', path: '/tokens', sort: 'Name', column: 'Begins with' },
    { list: 'Members', path: '/people', sort: 'Member', column: 'Sees' },
    { list: 'Jobs', path: '/jobs', sort: 'Job', column: 'Last progress' },
  ])('keeps the chosen columns and saved views of $list in this browser', async ({ list, path, sort, column }) => {
    const owner = await world.organization();
    await world.member(owner, Role.member);
    await startJob(owner);
    const { page, faults } = await browser.open(`${world.url}/console${path}#token=${owner.token}`);
    const table = page.getByRole('table', { name: list, exact: true });
    const heading = table.getByRole('columnheader', { name: column });
    const sorted = table.getByRole('columnheader', { name: sort, exact: true });
    const [views, columns] = ['Views', 'Columns'].map((name) => page.locator('summary', { hasText: name }));
    await columns!.click();
    await page.getByRole('checkbox', { name: column }).uncheck();
    await heading.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await sorted.getByRole('link').click();
    await until(async () => (await sorted.getAttribute('aria-sort')) === 'ascending');
    await views!.click();
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Mine');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.goto(`${world.url}/console${path}`);
    await sorted.waitFor();
    expect(await heading.count()).toBe(0);
    await columns!.click();
    await page.getByRole('checkbox', { name: column }).check();
    await heading.waitFor();
    await page.keyboard.press('Escape');
    await views!.click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Mine', exact: true }).click();
    await heading.waitFor({ state: 'detached' });
    await until(async () => (await sorted.getAttribute('aria-sort')) === 'ascending');
    expect(faults).toEqual([]);
  });

  it('filters jobs by kind, in words', async () => {
    const owner = await world.organization();
    await startJob(owner);
    const { page } = await browser.open(`${world.url}/console/jobs#token=${owner.token}`);
    await page.getByRole('cell', { name: 'Decoding again' }).waitFor();
    await page.getByLabel('Kind').selectOption('Import of devices');
    await page.getByText('No job of this kind').waitFor();
    await page.getByLabel('Kind').selectOption('Decoding again');
    await page.getByRole('row').filter({ hasText: 'Decoding again' }).getByText('● done').waitFor();
    expect(new URL(page.url()).search).toBe('?kind=redecode');
  });
});
