import { beforeAll, expect, it } from '@jest/globals';
import { until } from '../../support/until.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';
import { furnishScreens, loaded, type Screens, screenNames } from '../screens.js';

describeInBrowser('console: requests and accessibility of every screen', () => {
  const world = useWorld();
  const browser = useBrowser();
  let screens: Screens;
  beforeAll(async () => {
    screens = await furnishScreens(world);
  });

  it('sends one GraphQL query per screen and per part that is loaded later, besides those for the session and the open alerts', async () => {
    const { page } = await browser.open(`${world.url}/console/#token=${screens.token}`);
    await loaded(page);
    const ofTheFrame = new Set(['Session', 'OpenEpisodes']);
    let asked = new Map<string, string>();
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      const [, operation] = /query (\w+)/.exec(body) ?? [];
      // A screen that is shown for long asks the same query again.
      if (operation !== undefined && !ofTheFrame.has(operation)) asked.set(body, operation);
    });
    // The chart of the newest device needs a request of its own, because the overview's answer names that device, and so
    // does the chart of a site, whose attributes are requested again after each change. The panels of a dashboard also
    // share one request of their own, because the dashboard's document lists them.
    const several: Record<string, number> = { Overview: 2, 'A dashboard': 2, 'A site': 3 };
    const expected = (name: string) => several[name] ?? 1;
    const queries: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(screens.paths)) {
      // The screen before sends nothing any more.
      await page.goto('about:blank');
      asked = new Map();
      await page.goto(`${world.url}/console${path.replace(/[?]frame=.*/, '')}`);
      await loaded(page);
      await until(() => asked.size >= expected(name));
      queries[name] = [...asked.values()];
    }
    expect(queries).toEqual(
      Object.fromEntries(screenNames.map((name) => [name, Array(expected(name)).fill(expect.any(String))])),
    );
  }, 120_000);

  it.each(screenNames)(
    'passes the accessibility rules on %s, light and dark, wide and narrow',
    async (name) => {
      const { page, context } = await browser.open(`${world.url}/console${screens.paths[name]}#token=${screens.token}`);
      await loaded(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await violationsOf(page)).toEqual([]);
      }
      await page.setViewportSize({ width: 390, height: 800 });
      await loaded(page);
      expect(await violationsOf(page)).toEqual([]);
      await context.close();
    },
    60_000,
  );

  it('scrolls each table that is wider than the screen by the keyboard', async () => {
    const { page } = await browser.open(`${world.url}/console/#token=${screens.token}`, {
      viewport: { width: 560, height: 800 },
    });
    let scrolled = 0;
    for (const name of screenNames) {
      await page.goto(`${world.url}/console${screens.paths[name]}`);
      await loaded(page);
      for (const frame of await page.locator('main :has(> table)').all()) {
        if (!(await frame.evaluate((of) => of.scrollWidth > of.clientWidth + 1))) continue;
        expect([name, await frame.getAttribute('aria-label')]).toEqual([name, expect.stringMatching(/./)]);
        await frame.focus();
        expect([name, await frame.evaluate((of) => of.matches(':focus'))]).toEqual([name, true]);
        await page.keyboard.press('ArrowRight');
        await until(() => frame.evaluate((of) => of.scrollLeft > 0));
        scrolled += 1;
      }
    }
    expect(scrolled).toBeGreaterThan(2);
  }, 120_000);

  it('shows the times around a clock change in three zones, with the name of the zone', async () => {
    const owner = await world.organization();
    const variables = [{ name: 'temperature', type: 'FLOAT32' }];
    const product = { name: 'Thermometer', version: '1', variables };
    const id = await owner.make(`/organizations/${owner.id}/products`, product);
    const device = await owner.make(`/organizations/${owner.id}/devices/c0-01`, { product: { id } });
    // Per zone: the hour before the clock is set back and the two hours after it, in UTC.
    const changes: [string, number, string[]][] = [
      ['Europe/Paris', Date.UTC(2026, 9, 25, 0, 30) / 1000, ['02:30:00', '02:30:00', '03:30:00']],
      ['America/New_York', Date.UTC(2025, 10, 2, 5, 30) / 1000, ['01:30:00', '01:30:00', '02:30:00']],
      ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 14, 30) / 1000, ['01:30:00', '02:00:00', '03:00:00']],
    ];
    for (const [, at] of changes)
      await owner.post(
        `/organizations/${owner.id}/records`,
        [0, 1, 2].map((hour) => ({ serial: 'c0-01', ts: at + hour * 3600, data: { temperature: hour } })),
      );
    const { page } = await browser.open(`${world.url}/console/devices/${device}#token=${owner.token}`);
    for (const [zone, at, times] of changes) {
      const range = `${at - 1800}..${at + 3 * 3600}`;
      await page.goto(`${world.url}/console/devices/${device}?range=${range}&zone=${encodeURIComponent(zone)}`);
      await page.getByRole('figure', { name: /^Values of/ }).focus();
      await page.keyboard.press('t');
      const table = page.getByRole('table', { name: /^Values of/ });
      await table.getByRole('columnheader', { name: `Time (${zone})` }).waitFor();
      const rows = await table.getByRole('row').allInnerTexts();
      expect(rows.slice(1).map((row) => /\d\d:\d\d:\d\d/.exec(row)![0])).toEqual(times.toReversed());
    }
  });

  it('supports the way from the list to a device, its edit and back by keyboard alone', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer' });
    const { page } = await browser.open(`${world.url}/console/devices`);
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate(() => {
          const element = document.activeElement as HTMLInputElement | null;
          return element?.labels?.[0]?.innerText ?? element?.ariaLabel ?? element?.innerText ?? '';
        });
        if (focused.trim().startsWith(name)) return;
      }
      throw new Error(`The focus never came to ${name}.`);
    };
    await tabTo('Token');
    await page.keyboard.type(owner.token!);
    await page.keyboard.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await tabTo('Freezer');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Freezer' }).waitFor();
    await tabTo('Edit');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo('Name');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Attic');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Attic' }).waitFor();
    await tabTo('Edit');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Attic');
  });
});
