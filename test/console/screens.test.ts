import { beforeAll, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser } from './browser.js';
import { furnishScreens, loaded, type Screens } from './screens.js';

describeInBrowser('console: every screen', () => {
  const world = useWorld();
  const browser = useBrowser();
  let screens: Screens;
  beforeAll(async () => {
    screens = await furnishScreens(world);
  });

  it('fits a width of 390 pixels, and shows hostile texts as plain text', async () => {
    const { page, faults } = await browser.open(`${world.url}/console/#token=${screens.token}`, {
      viewport: { width: 390, height: 800 },
    });
    const wide: string[] = [];
    for (const [name, path] of Object.entries(screens.paths)) {
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
});
