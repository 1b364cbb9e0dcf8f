import { expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';
import { coldRooms, saveDashboard } from './dashboards.js';

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
    await page.locator('.connection').getByText('Live').waitFor();

    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 77, state: 'ok' } });
    await page.getByRole('cell', { name: '77 °C' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('draws charts in a browser without a locale, whose language Intl refuses', async () => {
    const { owner, application, address } = await coldRooms(world);
    const chart = { kind: 'series', title: 'Warmth', draw: 'line', sources: [{ variable: 'data.temperature' }] };
    await saveDashboard(owner, application, [{ ...chart, id: 'p1', x: 0, y: 0, w: 12, h: 8 }]);
    const { page, context, faults } = await browser.open('about:blank');
    await context.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' }),
    );
    await page.goto(`${address}#token=${owner.token}`);
    await page.getByRole('figure', { name: 'Warmth' }).locator('canvas').waitFor();
    expect(faults).toEqual([]);
  });
});
