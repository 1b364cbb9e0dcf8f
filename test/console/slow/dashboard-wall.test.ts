import { expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { startTestService } from '../../support/start-service.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';
import { coldRooms, saveDashboard } from '../dashboards.js';

const makeLink = `mutation ($o: ID!, $a: ID!) {
  createDashboardLink(organizationId: $o, applicationId: $a, name: "Lobby") { token }
}`;

describeInBrowser('console: wall', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('shows the dashboard of a link alone, hides its token, renews itself, and goes blank when an owner ends the link', async () => {
    const { owner, application, devices, address } = await coldRooms(world);
    const source = { variable: 'data.temperature' };
    const panels = [
      { kind: 'series', title: 'Lines', sources: [source], draw: 'line' },
      { kind: 'table', title: 'Newest', sources: [source] },
      { kind: 'series', title: 'One', sources: [{ ...source, devices: [devices[0], application] }], draw: 'line' },
      { kind: 'top', title: 'Ranking', source, aggregate: 'last', order: 'highest', size: 5 },
      { kind: 'map', title: 'Places' },
    ].map((panel, index) => ({
      id: `p${index}`,
      x: (index % 2) * 6,
      y: 6 * Math.floor(index / 2),
      w: 6,
      h: 6,
      ...panel,
    }));
    await saveDashboard(owner, application, panels);
    const { page } = await browser.open(`${address}#token=${owner.token}`);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Links for wall displays' }).click();
    await page.getByRole('button', { name: 'Create a link' }).click();
    await page.getByLabel('Name').fill('Canteen');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const link = await page.getByLabel('The new link').innerText();
    expect(link).toMatch(/\/console\/wall#ddplink_/);
    expect(await violationsOf(page)).toEqual([]);

    const wall = await browser.open(link);
    await wall.page.getByRole('article', { name: 'Lines' }).getByRole('button', { name: 'Larder' }).waitFor();
    expect(wall.page.url()).toBe(`${world.url}/console/wall`);
    expect(await wall.page.getByRole('article', { name: 'One' }).getByText('1 device gone.').count()).toBe(1);
    expect(await wall.page.getByRole('article', { name: 'Ranking' }).getByRole('listitem').count()).toBe(2);
    expect(await wall.page.getByRole('navigation').count()).toBe(0);
    expect(await violationsOf(wall.page)).toEqual([]);
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 77 } });
    await wall.page.getByRole('cell', { name: '77 °C' }).waitFor();
    await wall.page.reload();
    await wall.page.getByRole('article', { name: 'Lines' }).waitFor();

    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('dialog', { name: 'End the link Canteen' }).getByRole('button', { name: 'End' }).click();
    await page.getByText('No link').waitFor();
    await wall.page.getByText('This link has ended').waitFor();
    await wall.page.reload();
    await wall.page.getByText('This link has ended').waitFor();

    await page.getByRole('button', { name: 'Create a link' }).click();
    await page.getByLabel('Name').fill('Canteen again');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('cell', { name: 'Canteen again' }).waitFor();
    const next = new URL(await page.getByLabel('The new link').innerText());
    await wall.page.goto(`${world.url}/console/wall${next.hash}`);
    await wall.page.getByRole('article', { name: 'Lines' }).waitFor();
    expect(wall.page.url()).toBe(`${world.url}/console/wall`);
    expect(wall.faults).toEqual([]);
  }, 120_000);

  it('fits a dashboard of few rows on the screen, without a placeholder below it', async () => {
    const { owner, application } = await coldRooms(world);
    const table = { kind: 'table', title: 'Newest', sources: [{ variable: 'data.temperature' }] };
    await saveDashboard(owner, application, [{ ...table, id: 'a', x: 0, y: 0, w: 12, h: 8 }]);
    const { body } = await owner.graph(makeLink, { o: owner.id, a: application });
    const link = `${world.url}/console/wall#${body.data!['createDashboardLink'].token}`;
    const { page } = await browser.open(link, { viewport: { width: 1920, height: 1080 } });
    await page.getByRole('cell', { name: 'Freezer' }).waitFor();
    expect(await page.getByLabel('Loading').count()).toBe(0);
    const [height, width] = await page.evaluate(() => [
      document.documentElement.scrollHeight,
      document.documentElement.scrollWidth,
    ]);
    expect([width, height]).toEqual([1920, 1080]);
  });

  it('shows a record that arrives after the first request and before the stream of records is open', async () => {
    const { owner, application } = await coldRooms(world);
    const table = { kind: 'table', title: 'Newest', sources: [{ variable: 'data.temperature' }] };
    await saveDashboard(owner, application, [{ ...table, id: 'a', x: 0, y: 0, w: 12, h: 8 }]);
    const { body } = await owner.graph(makeLink, { o: owner.id, a: application });
    const { page, faults } = await browser.open('about:blank');
    const stream = Promise.withResolvers<undefined>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('recordReceived')) await stream.promise;
      await route.continue();
    });
    await page.goto(`${world.url}/console/wall#${body.data!['createDashboardLink'].token}`);
    await page.getByRole('cell', { name: 'Freezer' }).waitFor();
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 66 } });
    stream.resolve(undefined);
    await page.getByRole('cell', { name: '66 °C' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('refuses an address with something else than a link, such as the token of a person', async () => {
    const owner = await world.organization();
    const { page } = await browser.open(`${world.url}/console/wall#${owner.token}`);
    await page.getByText('This is not a link to a dashboard').waitFor();
    await page.getByText('begins with ddplink_').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(page.url()).toBe(`${world.url}/console/wall`);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('goes on by itself after a restart of the service', async () => {
    const { owner, application } = await coldRooms(world);
    const table = { kind: 'table', title: 'Newest', sources: [{ variable: 'data.temperature' }] };
    await saveDashboard(owner, application, [{ ...table, id: 'a', x: 0, y: 0, w: 12, h: 8 }]);
    const { body } = await owner.graph(makeLink, { o: owner.id, a: application });
    const first = await startTestService(world.databaseUrl);
    const link = `${first.url}/console/wall#${body.data!['createDashboardLink'].token}`;
    const { page, faults } = await browser.open(link);
    await page.getByRole('cell', { name: 'Freezer' }).waitFor();
    await page.getByRole('status').getByText('Live').waitFor();
    let loads = 0;
    page.on('load', () => loads++);
    await first.close();
    await page.getByText('Connecting…').waitFor();
    expect(await page.getByRole('cell', { name: 'Freezer' }).isVisible()).toBe(true);
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 55 } });
    const config = readConfig({ PORT: new URL(first.url).port, RATE_LIMIT: '0' });
    const second = await startTestService(world.databaseUrl, { config });
    try {
      await page.getByText('55 °C').waitFor();
      await page.getByRole('status').getByText('Live').waitFor();
      await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 66 } });
      await page.getByText('66 °C').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await page.getByText('cannot be reached').count()).toBe(0);
      expect(loads).toBe(0);
      expect(faults).toEqual([]);
    } finally {
      await page.close();
      await second.close();
    }
  }, 120_000);

  it('keeps its memory over an hour of renewals', async () => {
    const { owner, application, address } = await coldRooms(world);
    const source = { variable: 'data.temperature' };
    const place = { x: 0, w: 6, h: 6 };
    await saveDashboard(owner, application, [
      { id: 'a', kind: 'series', title: 'Lines', sources: [source], draw: 'area', ...place, y: 0 },
      { id: 'b', kind: 'table', title: 'Newest', sources: [source], ...place, y: 6 },
      { id: 'c', kind: 'timeline', title: 'Doors', sources: [{ variable: 'data.door' }], ...place, y: 12 },
      { id: 'd', kind: 'map', title: 'Places', ...place, y: 18 },
    ]);
    const { page, context, faults } = await browser.open('about:blank');
    await page.clock.install();
    await page.goto(`${address}#token=${owner.token}`);
    await page.getByRole('article', { name: 'Lines' }).getByRole('button', { name: 'Larder' }).waitFor();
    const session = await context.newCDPSession(page);
    let answers = 0;
    page.on('requestfinished', (request) => {
      if (request.url().endsWith('/graphql')) answers += 1;
    });
    const renew = async (times: number) => {
      for (const end = answers + times; answers < end; ) await page.clock.fastForward(30_000);
      await session.send('HeapProfiler.collectGarbage');
      const { usedSize } = await session.send('Runtime.getHeapUsage');
      const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
      return { usedSize, nodes, jsEventListeners };
    };
    // The least of three: a measurement during an answer counts what is about to go. The first renewals compile what
    // they run, half a megabyte that the heap keeps.
    const least = async () => {
      const [first, ...others] = [await renew(20), await renew(20), await renew(20)];
      return others.reduce((one, other) => (other.usedSize < one.usedSize ? other : one), first);
    };
    const before = await least();
    const after = await least();
    expect(after.usedSize).toBeLessThan(before.usedSize * 1.1);
    expect(after.nodes).toBeLessThan(before.nodes * 1.1);
    expect(after.jsEventListeners).toBeLessThan(before.jsEventListeners * 1.1);
    expect(faults).toEqual([]);
  }, 180_000);
});
