import { beforeAll, expect, it } from '@jest/globals';
import { until } from '../../support/until.js';
import { type AccountActor, useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser } from '../browser.js';
import { loaded } from '../screens.js';

/** Tallest row of a list with long names in pixels: two lines, and a line below. */
const tallest = 90;

describeInBrowser('console: names of 200 characters', () => {
  const world = useWorld();
  const browser = useBrowser();
  let owner: AccountActor;
  const paths: Record<string, string> = {};
  const solid = 'W'.repeat(200);
  const words = 'many words '.repeat(20).slice(0, 200).trim();

  beforeAll(async () => {
    owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const variables = [{ name: 'temperature', type: 'FLOAT32' }];
    const product = await owner.make(`${at}/products`, { name: solid, version: 'v'.repeat(100), variables });
    const application = await owner.make(`${at}/applications`, { name: solid, description: words });
    const ids: string[] = [];
    for (const [serial, name] of Object.entries({ 'c0-01': solid, 'c0-02': words })) {
      const device = { name, tags: ['t'.repeat(64)], product: { id: product } };
      ids.push(await owner.make(`${at}/devices/${serial}`, device));
      await owner.put(`/applications/${owner.id}/${application}/devices/${ids.at(-1)}`);
    }
    const url = `http://127.0.0.1:1/${'u'.repeat(180)}`;
    const hook = await owner.make(`/applications/${owner.id}/${application}/hooks`, { url });
    const when = { all: [{ variable: 'temperature', operator: 'gt', value: 3 }] };
    const rule = { name: solid, kind: 'threshold', when };
    const ruleId = await owner.make(`/applications/${owner.id}/${application}/alert-rules`, rule);
    await owner.make(`${at}/teams`, { name: solid, description: words });
    await owner.post(`${at}/records`, { serial: 'c0-01', data: { temperature: 9, state: solid } });
    Object.assign(paths, {
      Overview: '/',
      Devices: '/devices',
      'A device': `/devices/${ids[0]}`,
      Alerts: '/alerts',
      Rules: '/alerts/rules',
      'A rule': `/alerts/rules/${application}/${ruleId}`,
      Products: '/products',
      'A product': `/products/${product}`,
      Hooks: '/hooks',
      'A hook': `/hooks/${application}/${hook}`,
      Applications: '/applications',
      'An application': `/applications/${application}`,
      People: '/people',
    });
  });

  it.each([1280, 390])(
    'ends them in an ellipsis on every screen of %i pixels',
    async (width) => {
      const { page } = await browser.open(`${world.url}/console/#token=${owner.token}`, {
        viewport: { width, height: 800 },
      });
      const faults: string[] = [];
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(`${world.url}/console${path}`);
        await loaded(page);
        const found = await page.evaluate(() => ({
          heading: document.querySelector('h1')!.clientHeight,
          rows: [...document.querySelectorAll('table.list tr')].map(({ clientHeight }) => clientHeight),
          page: document.documentElement.scrollWidth,
        }));
        if (found.heading > 40) faults.push(`${name}: a heading of ${found.heading} px`);
        if (width > 390 && Math.max(0, ...found.rows) > tallest)
          faults.push(`${name}: a row of ${Math.max(...found.rows)} px`);
        if (found.page > width) faults.push(`${name}: a page of ${found.page} px`);
      }
      expect(faults).toEqual([]);
    },
    120_000,
  );

  it('shows the whole name when the pointer reaches it', async () => {
    const { page } = await browser.open(`${world.url}/console/devices?sort=serial#token=${owner.token}`);
    const link = page.getByRole('table', { name: 'Devices' }).getByRole('link', { name: solid });
    await link.hover();
    expect(await link.getAttribute('title')).toBe(solid);
    await page.mouse.move(0, 0);
    await until(async () => (await link.getAttribute('title')) === null);
  });
});
