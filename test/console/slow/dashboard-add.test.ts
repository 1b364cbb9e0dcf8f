import { buffer } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { until } from '../../support/until.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser } from '../browser.js';
import { coldRooms } from '../dashboards.js';

describeInBrowser('console: charts and files for a dashboard', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('adds the chart of a device, and one of Explore, in two clicks each', async () => {
    const { owner, application, devices, address } = await coldRooms(world, false);
    const { page, faults } = await browser.open(`${world.url}/console/devices/${devices[0]}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Add to dashboard' }).click();
    await page.getByRole('option', { name: 'Cold rooms (creates its dashboard)' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('The chart was added to the dashboard.').waitFor();

    const explore = `${world.url}/console/explore?application=${application}&variable=temperature&function=max`;
    await page.goto(explore);
    await page.getByRole('button', { name: 'Add to dashboard' }).click();
    await page.getByRole('dialog').getByRole('option', { name: 'Cold rooms' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('The chart was added to the dashboard.').waitFor();

    await page.goto(address);
    await page.getByRole('article', { name: 'Freezer' }).waitFor();
    await page.getByRole('article', { name: 'temperature' }).getByRole('button', { name: 'Larder' }).waitFor();
    expect(faults).toEqual([]);
  }, 60_000);

  it('adds the chart of a device to the dashboard of an application that lacks the device, and links it', async () => {
    const { owner, address } = await coldRooms(world);
    const product = { name: 'Store', version: '1', variables: [{ name: 'temperature', type: 'FLOAT32' }] };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const attic = { name: 'Attic', product: { id: productId } };
    const device = await owner.make(`/organizations/${owner.id}/devices/c0-09`, attic);
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-09', data: { temperature: 31 } });
    const { page, faults } = await browser.open(`${world.url}/console/devices/${device}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Add to dashboard' }).click();
    await page.getByRole('option', { name: 'Cold rooms (links the device)' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('The chart was added to the dashboard.').waitFor();
    await page.getByRole('link', { name: 'Cold rooms' }).waitFor();
    await page.goto(address);
    await page.getByRole('article', { name: 'Attic' }).getByRole('button', { name: 'Attic' }).waitFor();
    expect(faults).toEqual([]);
  }, 60_000);

  it('exports a dashboard as a file, imports it, and refuses any other file', async () => {
    const { owner, address } = await coldRooms(world);
    const { page } = await browser.open(`${address}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Make a first dashboard' }).click();
    await page.getByText('More', { exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as a file' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('Cold rooms.dashboard.json');
    const text = (await buffer(await file.createReadStream())).toString();
    expect(JSON.parse(text)).toMatchObject({ format: 1, range: '24h' });
    const choose = (name: string, content: string) =>
      page
        .getByLabel('File of a dashboard')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) });
    await choose('other.json', '{ "panels": [{ "kind": "pie" }] }');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('alert').getByText('document.panels.0.kind').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await choose('same.json', JSON.stringify({ ...JSON.parse(text), panels: JSON.parse(text).panels.slice(0, 1) }));
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query Dashboard(') ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The dashboard was imported.').waitFor();
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await until(async () => (await page.getByRole('article').count()) === 1);
  }, 60_000);
});
