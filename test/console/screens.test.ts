import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

/** A text that would do something wherever it were not taken as text. */
const hostile = `<img src=x onerror="document.title='broken in'">"'\`{{7*7}}\${7*7}\u202E<script>document.title='broken in'</script>`;

/** The screens, by what they show. */
const names = [
  'Overview',
  'Devices',
  'A device',
  'Live',
  'Explore by chart',
  'Explore by query',
  'Products',
  'A product',
  'Hooks',
  'A hook',
  'A delivery',
  'Applications',
  'An application',
  'People',
  'Jobs',
  'Usage',
  'Tokens',
] as const;

describeInBrowser('every screen', () => {
  const world = useWorld();
  const browser = useBrowser();
  let token: string;
  let screens: Record<(typeof names)[number], string>;

  /** One thing of each kind, each with a hostile name, and values and tags of the same. */
  beforeAll(async () => {
    const owner = await world.organization();
    token = owner.token!;
    const variables = [
      { name: 'temperature', unit: hostile.slice(0, 20), type: 'FLOAT32' },
      { name: 'state', type: 'TXT' },
    ];
    const organization = `/organizations/${owner.id}`;
    const product = await owner.make(`${organization}/products`, { name: hostile, version: '<b>1', variables });
    const application = await owner.make(`${organization}/applications`, { name: hostile, description: hostile });
    const device = await owner.make(`${organization}/devices/c0-01`, {
      name: hostile,
      tags: [hostile.slice(0, 50)],
      product: { id: product, organizationId: owner.id },
      location: { lat: 48, lon: 2 },
    });
    await owner.put(`/applications/${owner.id}/${application}/devices/${device}`);
    const url = "http://127.0.0.1:1/onerror=alert(1)?a='&b=%3Cimg%3E";
    const hook = await owner.make(`/applications/${owner.id}/${application}/hooks`, { url });
    await owner.make(`${organization}/teams`, { name: hostile, description: hostile });
    await owner.post(`${organization}/records`, {
      serial: 'c0-01',
      metadata: { [hostile]: hostile },
      data: { temperature: 4, state: hostile, [hostile]: hostile },
    });
    const { body } = await owner.get<{ id: string }[]>(
      `/applications/${owner.id}/${application}/hooks/${hook}/deliveries`,
    );
    const query = encodeURIComponent('{"size":5,"aggs":{"by":{"terms":{"field":"data.state"}}}}');
    screens = {
      Overview: '/',
      Devices: '/devices',
      'A device': `/devices/${device}`,
      Live: '/live',
      'Explore by chart': '/explore?variable=temperature',
      'Explore by query': `/explore?by=query&query=${query}`,
      Products: '/products',
      'A product': `/products/${product}?frame=0441ac0000`,
      Hooks: '/hooks',
      'A hook': `/hooks/${application}/${hook}`,
      'A delivery': `/hooks/${application}/${hook}/${body[0]!.id}`,
      Applications: '/applications',
      'An application': `/applications/${application}`,
      People: '/people',
      Jobs: '/jobs',
      Usage: '/usage',
      Tokens: '/tokens',
    };
  });

  const loaded = async (page: Page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
  };

  it('fits a screen of 390 pixels, and takes hostile texts for texts', async () => {
    const { page, faults } = await browser.open(`${world.url}/console/#token=${token}`, {
      viewport: { width: 390, height: 800 },
    });
    const wide: string[] = [];
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(`${world.url}/console${path}`);
      await loaded(page);
      expect(await page.locator('img, main script').count()).toBe(0);
      expect(await page.title()).toContain('Device Data Platform');
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 390) wide.push(`${name}: ${width}`);
    }
    expect(wide).toEqual([]);
    expect(faults).toEqual([]);
  }, 120_000);

  it('asks the graph once for each screen, beside who is signed in', async () => {
    const { page } = await browser.open(`${world.url}/console/#token=${token}`);
    await loaded(page);
    let asked: string[] = [];
    page.on('request', (request) => {
      const [, operation] = /query (\w+)/.exec(request.postData() ?? '') ?? [];
      if (operation !== undefined && operation !== 'Session') asked.push(operation);
    });
    const counts: Record<string, number> = {};
    for (const [name, path] of Object.entries(screens)) {
      asked = [];
      await page.goto(`${world.url}/console${path.replace(/[?]frame=.*/, '')}`);
      await loaded(page);
      counts[name] = asked.length;
    }
    expect(counts).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
  }, 120_000);

  it.each(names)(
    '%s breaks no rule of accessibility, light or dark',
    async (name) => {
      const { page, context } = await browser.open(`${world.url}/console${screens[name]}#token=${token}`);
      await loaded(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await violationsOf(page)).toEqual([]);
      }
      await context.close();
    },
    60_000,
  );

  it('shows the times of a day on which the clock changes in three zones, and says which zone it is', async () => {
    const owner = await world.organization();
    const variables = [{ name: 'temperature', type: 'FLOAT32' }];
    const product = { name: 'Thermometer', version: '1', variables };
    const id = await owner.make(`/organizations/${owner.id}/products`, product);
    const device = await owner.make(`/organizations/${owner.id}/devices/c0-01`, { product: { id } });
    // Each: the hour before the clock is set back, and the two hours after it, in UTC.
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

  it('is used by the keyboard alone: from the list to a device, its edit and back', async () => {
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
