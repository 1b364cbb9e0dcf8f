import { expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';
import { coldRooms, saveDashboard } from '../dashboards.js';

describeInBrowser('console: panels of a dashboard', () => {
  const world = useWorld();
  const browser = useBrowser();
  const source = { variable: 'data.temperature' };
  const place = (index: number) => ({ x: (index % 2) * 6, y: 8 * Math.floor(index / 2), w: 6, h: 8 });
  const placed = (panels: readonly object[]) =>
    panels.map((panel, index) => ({ id: `p${index}`, title: `Panel ${index}`, ...place(index), ...panel }));

  it('shows each kind, an outage as a gap, and a deleted device and a refused query as a message of their panel', async () => {
    const { owner, application, devices, address } = await coldRooms(world);
    await saveDashboard(
      owner,
      application,
      placed([
        { title: 'Lines', kind: 'series', sources: [source], draw: 'line', bands: [{ from: 5, severity: 'critical' }] },
        {
          title: 'Warmest',
          kind: 'figure',
          source,
          aggregate: 'max',
          trend: true,
          bands: [{ from: 5, severity: 'critical' }],
        },
        { title: 'Newest', kind: 'table', sources: [source, { variable: 'data.door' }, { variable: 'data.state' }] },
        { title: 'Places', kind: 'map' },
        { title: 'Doors', kind: 'timeline', sources: [{ variable: 'data.door' }] },
        { title: 'Ranking', kind: 'top', source, aggregate: 'last', order: 'highest', size: 5 },
        { title: 'Counts', kind: 'query', query: { aggs: { by: { terms: { field: 'device.name' } } } }, show: 'table' },
        { title: 'Notes', kind: 'text', text: '# Notes\nRead [the guide](https://example.com/guide).' },
        { title: 'Gone', kind: 'series', sources: [{ ...source, devices: [application] }], draw: 'line' },
        { title: 'Refused', kind: 'query', query: { aggs: { by: { avg: { field: 'data.state' } } } }, show: 'table' },
      ]),
    );
    const { page, faults } = await browser.open(`${address}#token=${owner.token}`);
    const panel = (name: string) => page.getByRole('article', { name });
    const chart = panel('Lines').getByRole('figure');
    await chart.getByText('critical from 5').waitFor();
    const box = (await chart.locator('.u-over').boundingBox())!;
    // The larder was silent from nine to six hours ago.
    await page.mouse.move(box.x + (box.width * 16.5) / 24, box.y + 30);
    const reading = panel('Lines').getByLabel('Values at the cursor');
    await reading.getByText('Freezer').waitFor();
    expect(await reading.getByText('Larder').count()).toBe(0);
    expect(await panel('Warmest').innerText()).toMatch(/8\.\d\s*°C[^]*critical from 5/);
    expect(
      await panel('Newest')
        .getByRole('row', { name: /Larder/ })
        .innerText(),
    ).toMatch(/6 °C\s+open\s+ok/);
    await panel('Places').getByRole('group', { name: 'Places' }).waitFor();
    expect(
      await panel('Doors')
        .getByTitle(/^open: /)
        .count(),
    ).toBeGreaterThan(4);
    expect(await panel('Ranking').getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Larder'),
      expect.stringContaining('Freezer'),
    ]);
    expect(await panel('Counts').getByRole('row').count()).toBe(3);
    expect(await panel('Notes').getByRole('link', { name: 'the guide' }).getAttribute('href')).toBe(
      'https://example.com/guide',
    );
    await panel('Gone').getByText('Its device is gone').waitFor();
    await panel('Refused').getByRole('alert').getByText('not supported').waitFor();
    expect(devices).toHaveLength(2);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await violationsOf(page)).toEqual([]);
    }
    expect(faults).toEqual([]);
  }, 60_000);

  it('shows both states of a bucket in which a door opened and closed, and how long each lasted', async () => {
    const { owner, application, address } = await coldRooms(world);
    await saveDashboard(
      owner,
      application,
      placed([{ title: 'Doors', kind: 'timeline', sources: [{ variable: 'data.door' }] }]),
    );
    // A bucket of 30 days holds two of the doors' periods.
    const { page } = await browser.open(`${address}?range=30d#token=${owner.token}`);
    const lane = page.getByRole('article', { name: 'Doors' }).getByRole('listitem').filter({ hasText: 'Freezer' });
    await lane
      .getByTitle(/: closed 3 h, open 1 h$/)
      .first()
      .waitFor();
    expect(await lane.getByTitle(/: closed 3 h, open 1 h$/).count()).toBeGreaterThan(2);
    // In all, three quarters of the day: 250 records, five minutes each.
    expect(await lane.innerText()).toMatch(/closed 1[56] h/);
  });

  it('keeps the range and the variables in the address, for whoever gets it', async () => {
    const { owner, application, address } = await coldRooms(world);
    await saveDashboard(
      owner,
      application,
      placed([{ title: 'Lines', kind: 'series', sources: [{ ...source, tag: '$site' }], draw: 'line' }]),
    );
    const { page } = await browser.open(`${address}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Larder' }).waitFor();
    await page.getByLabel('site').selectOption('lyon');
    await page.getByRole('button', { name: 'Larder' }).waitFor({ state: 'detached' });
    await page.getByLabel('Range', { exact: true }).selectOption('Last 6 hours');
    expect(new URL(page.url()).searchParams.toString()).toBe('var-site=lyon&range=6h');
    const colleague = await browser.open(`${page.url()}#token=${owner.token}`);
    await colleague.page.getByRole('button', { name: 'Freezer' }).waitFor();
    expect(await colleague.page.getByLabel('site').inputValue()).toBe('lyon');
    expect(await colleague.page.getByRole('button', { name: 'Larder' }).count()).toBe(0);
  });

  it('keeps what the panels show while the service does not answer, and goes on by itself', async () => {
    const { owner, application, address } = await coldRooms(world);
    await saveDashboard(owner, application, placed([{ title: 'Newest', kind: 'table', sources: [source] }]));
    const { page, context } = await browser.open(`${address}#token=${owner.token}`);
    await page.getByRole('cell', { name: 'Freezer' }).waitFor();
    await context.setOffline(true);
    await page.getByLabel('Range', { exact: true }).selectOption('Last hour');
    await page.getByText('The service cannot be reached').waitFor();
    expect(await page.getByRole('cell', { name: 'Freezer' }).isVisible()).toBe(true);
    await context.setOffline(false);
    await page.getByText('The service cannot be reached').waitFor({ state: 'detached' });
  });

  it('says what to do if an application has no dashboard, also to readers who may not create one', async () => {
    const { owner, application, address } = await coldRooms(world, false);
    const { page } = await browser.open(`${world.url}/console/dashboards#token=${owner.token}`);
    await page.getByText('No dashboard yet').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create a dashboard for Cold rooms' }).click();
    await page.getByRole('button', { name: 'Begin with an empty one' }).waitFor();
    const member = await world.member(owner, Role.member);
    const team = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Readers' });
    await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${team}/applications/${application}`, { permission: 'read' });
    const other = await browser.open(`${address}#token=${member.token}`);
    await other.page.getByText('Those who may change the application can create one.').waitFor();
    expect(await other.page.getByRole('button', { name: /Edit|Make/ }).count()).toBe(0);
  });

  it('restores the dashboard that an application had before', async () => {
    const { owner, application, address } = await coldRooms(world);
    await saveDashboard(owner, application, placed([{ title: 'Newest', kind: 'table', sources: [source] }]));
    await owner.put(`/applications/${owner.id}/${application}`, { name: 'Cold rooms', hasDashboard: false });
    const { page } = await browser.open(`${address}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Make a first dashboard' }).click();
    await page.getByRole('article', { name: 'Newest' }).getByRole('cell', { name: 'Freezer' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
