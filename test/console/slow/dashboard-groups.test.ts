import { expect, it } from '@jest/globals';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';
import { coldRooms, saveDashboard } from '../dashboards.js';

describeInBrowser('console: panels of many devices', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('combines devices to a band, bars, a number and a list, and says how many', async () => {
    const variables = [
      { name: 'temperature', unit: '°C', type: 'FLOAT32' },
      { name: 'energy', unit: 'kWh', type: 'FLOAT32' },
    ];
    const { owner, application, now, address } = await coldRooms(world, true, variables);
    const meter = (serial: string, start: number, step: number) =>
      Array.from({ length: 12 }, (_, hour) => ({
        serial,
        ts: now - (11 - hour) * 3600,
        data: { energy: start + hour * step },
      }));
    await owner.post(`/organizations/${owner.id}/records`, [...meter('c0-01', 4711, 3), ...meter('c0-02', 0, 2)]);
    const energy = { variable: 'data.energy' };
    const growth = { kind: 'series', draw: 'bar', sources: [energy], aggregate: 'increase', every: 'day' };
    await saveDashboard(owner, application, [
      {
        id: 'p1',
        kind: 'series',
        title: 'Warmth',
        x: 0,
        y: 0,
        w: 12,
        h: 8,
        draw: 'line',
        combine: 'spread',
        sources: [{ variable: 'data.temperature' }],
      },
      { ...growth, id: 'p2', title: 'By room', x: 0, y: 8, w: 6, h: 8, split: 'tag' },
      {
        id: 'p3',
        kind: 'figure',
        title: 'Consumption',
        x: 6,
        y: 8,
        w: 3,
        h: 4,
        source: energy,
        aggregate: 'increase',
        trend: true,
      },
      {
        id: 'p4',
        kind: 'top',
        title: 'Rooms',
        x: 9,
        y: 8,
        w: 3,
        h: 8,
        source: energy,
        aggregate: 'increase',
        split: 'tag',
        combine: 'sum',
        order: 'highest',
        size: 5,
      },
    ]);
    const { page, faults } = await browser.open(`${address}#token=${owner.token}`, {
      viewport: { width: 1440, height: 1100 },
    });
    const figure = page.getByRole('article', { name: 'Consumption' });
    await figure.getByText('55 kWh').waitFor();
    expect(await figure.innerText()).toContain('2 of 2 devices');
    expect(await page.getByRole('article', { name: 'Rooms' }).locator('li').allInnerTexts()).toEqual([
      expect.stringMatching(/lyon\s+33 kWh/),
      expect.stringMatching(/porto\s+22 kWh/),
    ]);
    const warmth = page.getByRole('article', { name: 'Warmth' });
    await warmth.locator('.u-over').hover();
    expect(await page.getByLabel('Values at the cursor').innerText()).toMatch(/ to .* · \d of 2 devices/);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/groups.png` });
    await warmth.getByRole('button', { name: 'As a table' }).click();
    expect(await warmth.getByRole('columnheader').allInnerTexts()).toEqual([
      expect.stringMatching(/^Time/),
      'temperature, lowest (°C)',
      'temperature (°C)',
      'temperature, highest (°C)',
    ]);
    const bars = page.getByRole('article', { name: 'By room' });
    await bars.getByRole('button', { name: 'As a table' }).click();
    const cells = await bars.getByRole('row').last().getByRole('cell').allInnerTexts();
    expect(cells).toHaveLength(3);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('shows the sites of an organization, and one that the reader chooses', async () => {
    const { owner, application, devices, address } = await coldRooms(world);
    const at = `/organizations/${owner.id}`;
    const building = await owner.make(`${at}/sites`, { name: 'Building 2' });
    const floors = [];
    for (const name of ['Cellar', 'Roof']) floors.push(await owner.make(`${at}/sites`, { name, parentId: building }));
    for (const [index, siteId] of floors.entries())
      await owner.put(`${at}/device-sites`, { siteId, deviceIds: [devices[index]], at: 1_600_000_000 });
    const source = { site: '$building', variable: 'data.temperature' };
    const panels = [
      { id: 'p1', kind: 'series', title: 'Warmth', x: 0, y: 0, w: 8, h: 8, draw: 'line', sources: [source] },
      {
        id: 'p2',
        kind: 'top',
        title: 'Floors',
        x: 8,
        y: 0,
        w: 4,
        h: 8,
        source,
        aggregate: 'max',
        split: 'site',
        combine: 'max',
        order: 'highest',
        size: 5,
      },
      {
        id: 'p3',
        kind: 'figure',
        title: 'Devices',
        x: 0,
        y: 8,
        w: 4,
        h: 4,
        source,
        aggregate: 'last',
        combine: 'count',
      },
    ];
    await saveDashboard(owner, application, panels, [{ name: 'building', kind: 'site' }]);
    const { page, faults } = await browser.open(`${address}#token=${owner.token}`);
    await page.getByRole('article', { name: 'Devices' }).getByText('2 devices', { exact: true }).waitFor();
    const choice = page.getByLabel('building');
    expect(await choice.locator('option').allInnerTexts()).toEqual([
      'All',
      'Building 2',
      'Building 2 / Cellar',
      'Building 2 / Roof',
    ]);
    await choice.selectOption('Building 2 / Cellar');
    await page.getByRole('article', { name: 'Devices' }).getByText('1 device', { exact: true }).waitFor();
    expect(await page.getByRole('article', { name: 'Warmth' }).locator('.legend').innerText()).toBe('Freezer');
    await choice.selectOption('All');
    await page.getByRole('article', { name: 'Floors' }).getByText('Building 2').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('combines devices as the editor was told', async () => {
    const { owner, application, address } = await coldRooms(world);
    const chart = { kind: 'series', title: 'Warmth', draw: 'line', sources: [{ variable: 'data.temperature' }] };
    await saveDashboard(owner, application, [{ ...chart, id: 'p1', x: 0, y: 0, w: 12, h: 8 }]);
    const { page } = await browser.open(`${address}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Edit Warmth' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Combine').selectOption('avg');
    await dialog.getByLabel('Split').selectOption('tag');
    await dialog.getByLabel('A point is').selectOption('day');
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/groups-editor.png` });
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The dashboard was saved.').waitFor();
    await page.getByRole('list').getByText('lyon').first().waitFor();
    const text =
      'query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) { dashboard { document } } }';
    const { body } = await owner.graph(text, { o: owner.id, a: application });
    expect(body.data!['application'].dashboard.document.panels).toMatchObject([
      { combine: 'avg', split: 'tag', every: 'day' },
    ]);
  });
});
