import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser } from '../browser.js';
import { loaded } from '../screens.js';

/** Bytes a second of a slow line, and its delay in milliseconds. */
const line = { downloadThroughput: 50_000, uploadThroughput: 50_000, latency: 100, offline: false };

/** Records in the page when each part of it is drawn, in milliseconds since the start of the navigation. */
const watch = (page: Page) =>
  page.addInitScript(() => {
    const seen: [number, string][] = [];
    const look = () => {
      const isDrawn = (selector: string) =>
        [...document.querySelectorAll(selector)].some((element) => element.getBoundingClientRect().height > 20);
      const now = isDrawn('main table') ? 'list' : isDrawn('.placeholder') ? 'skeleton' : 'blank';
      if (seen.at(-1)?.[1] !== now) seen.push([performance.now(), now]);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    Object.assign(globalThis, { seen });
  });

describeInBrowser('console: slow lines and large letters', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('shows a skeleton within two seconds on a line of 50 kB/s, and is never blank until the list is there', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer' });
    const { page, context } = await browser.open('about:blank');
    await watch(page);
    await (await context.newCDPSession(page)).send('Network.emulateNetworkConditions', line);
    await page.goto(`${world.url}/console/devices#token=${owner.token}`, { waitUntil: 'commit' });
    await page.getByRole('link', { name: 'Freezer' }).waitFor();
    const { seen, answered } = await page.evaluate(() => ({
      seen: (globalThis as unknown as { seen: [number, string][] }).seen,
      answered: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).responseStart,
    }));
    const [at] = seen.find(([, what]) => what === 'skeleton') ?? [Infinity];
    // A quiet machine takes less than a second. Other files of the suite may hold up the page.
    expect(at - answered).toBeLessThan(2000);
    expect(seen.filter(([from, what]) => what === 'blank' && from > at)).toEqual([]);
    expect(seen.at(-1)![1]).toBe('list');
  });

  it('loads the scripts of the first screen with the page, in few files', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer' });
    const { page } = await browser.open('about:blank');
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
    });
    const answer = await page.goto(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('link', { name: 'Freezer' }).waitFor();
    expect(scripts.length).toBeLessThanOrEqual(6);
    const named = [...(answer!.headers()['link'] ?? '').matchAll(/<([^>]+)>; rel=modulepreload/g)];
    expect(named.map(([, address]) => address).sort()).toEqual(scripts.sort());
  });

  it('shows content at a zoom of 200 %, without scrolling sideways', async () => {
    const owner = await world.organization();
    const device = await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer' });
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 4 } });
    // A window of 1280 by 800 pixels has half of them at this zoom.
    const { page } = await browser.open(`${world.url}/console/#token=${owner.token}`, {
      viewport: { width: 640, height: 400 },
      deviceScaleFactor: 2,
    });
    const first: Record<string, string> = {
      '/': '.tile',
      '/devices': 'tbody tr',
      [`/devices/${device}`]: 'dl',
      '/alerts': '.empty',
      '/hooks': '.empty',
      '/people': 'section',
    };
    const hidden: string[] = [];
    for (const [path, content] of Object.entries(first)) {
      await page.goto(`${world.url}/console${path}`);
      await loaded(page);
      const box = await page.locator(`main ${content}`).first().boundingBox();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (box === null || box.y + 20 > 400) hidden.push(`${path}: begins at ${box?.y}`);
      if (width > 640) hidden.push(`${path}: ${width} wide`);
    }
    expect(hidden).toEqual([]);
  });
});
