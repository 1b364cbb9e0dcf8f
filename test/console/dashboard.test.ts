import { expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';
import { coldRooms } from './dashboards.js';

describeInBrowser('console: dashboard', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('makes a first dashboard by one button, shows all panels by one request, and renews them as records arrive', async () => {
    const { owner, address } = await coldRooms(world);
    const { page, faults } = await browser.open(`${address}#token=${owner.token}`);
    const asked: string[] = [];
    page.on('request', (request) => {
      const [, name] = /query (\w+)/.exec(request.postData() ?? '') ?? [];
      if (name !== undefined) asked.push(name);
    });
    await page.getByRole('button', { name: 'Make a first dashboard' }).click();
    const chart = page.getByRole('article', { name: 'temperature', exact: true });
    await chart.getByRole('figure', { name: 'temperature' }).waitFor();
    expect(await page.getByRole('article', { name: 'state' }).getByText('Larder').count()).toBe(1);
    expect(asked.filter((name) => name === 'Panels')).toHaveLength(1);
    await page.getByText('Live', { exact: true }).last().waitFor();

    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 77, state: 'ok' } });
    await page.getByRole('cell', { name: '77 °C' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
