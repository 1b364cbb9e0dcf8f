import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

const seconds = (text: string) => Date.parse(text) / 1000;

describeInBrowser('console: time range', () => {
  const world = useWorld();
  const browser = useBrowser();

  const opened = async (query: string) => {
    const owner = await world.organization();
    return browser.open(`${world.url}/console/audit?zone=Europe/Berlin&${query}#token=${owner.token}`);
  };
  const end = (page: Page, name: 'From' | 'To') => page.getByLabel(`${name} (Europe/Berlin)`);
  const rangeOf = (page: Page) => new URL(page.url()).searchParams.get('range');
  const reaches = (page: Page, from: number, to: number) =>
    page.waitForURL((url) => url.searchParams.get('range') === `${from}..${to}`);

  it('shows and takes both ends in the zone that is shown', async () => {
    const [from, to] = [seconds('2026-07-01T22:00Z'), seconds('2026-07-02T10:30Z')];
    const { page, faults } = await opened(`range=${from}..${to}`);
    await end(page, 'From').waitFor();
    expect([await end(page, 'From').inputValue(), await end(page, 'To').inputValue()]).toEqual([
      '2026-07-02 00:00',
      '2026-07-02 12:30',
    ]);
    await end(page, 'From').fill('2026-07-01 06:15');
    await end(page, 'From').press('Enter');
    await reaches(page, seconds('2026-07-01T04:15Z'), to);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('tells the hour apart that comes twice, and takes the change for a time that no clock shows', async () => {
    const to = seconds('2026-10-26T00:00Z');
    const { page } = await opened(`range=${seconds('2026-10-25T00:30Z')}..${to}`);
    await end(page, 'From').waitFor();
    expect(await end(page, 'From').inputValue()).toBe('2026-10-25 02:30 CEST');
    await end(page, 'From').fill('2026-10-25 02:30 CET');
    await end(page, 'From').press('Enter');
    await reaches(page, seconds('2026-10-25T01:30Z'), to);
    expect(await end(page, 'From').inputValue()).toBe('2026-10-25 02:30 CET');
    await end(page, 'From').fill('2026-03-29 02:30');
    await end(page, 'From').press('Enter');
    await reaches(page, seconds('2026-03-29T01:00Z'), to);
  });

  it('refuses what is no time, and an end before the start', async () => {
    const [from, to] = [seconds('2026-07-01T00:00Z'), seconds('2026-07-02T00:00Z')];
    const { page } = await opened(`range=${from}..${to}`);
    for (const text of ['2026-02-30', 'tomorrow', '2026-07-01 25:00', '2026-06-30', '2026-07-03 00:00 CET']) {
      await end(page, 'To').fill(text);
      await end(page, 'To').press('Enter');
      await page.locator('input[aria-invalid="true"]').waitFor();
      expect(await end(page, 'To').inputValue()).toBe(text);
      expect(rangeOf(page)).toBe(`${from}..${to}`);
      await end(page, 'To').fill('2026-07-02 02:00');
      await end(page, 'To').press('Enter');
      await page.locator('input[aria-invalid="true"]').waitFor({ state: 'detached' });
    }
  });

  it('moves back and forth by its length, and becomes twice as long', async () => {
    const [from, to] = [seconds('2026-07-01T00:00Z'), seconds('2026-07-01T06:00Z')];
    const { page } = await opened(`range=${from}..${to}`);
    await page.getByRole('button', { name: 'Earlier' }).click();
    await reaches(page, from - 6 * 3600, from);
    await page.getByRole('button', { name: 'Later' }).click();
    await reaches(page, from, to);
    await page.getByRole('button', { name: 'Twice as long' }).click();
    await reaches(page, from - 3 * 3600, to + 3 * 3600);
    expect(await end(page, 'To').inputValue()).toBe('2026-07-01 11:00');
  });

  it('begins yesterday at the midnight of the zone, and knows lengths that nobody listed', async () => {
    const { page } = await opened('range=3d');
    const select = page.getByLabel('Range', { exact: true });
    await select.getByRole('option', { name: 'Last 3 days' }).waitFor({ state: 'attached' });
    await select.selectOption('Yesterday');
    await select.selectOption('From, to');
    await end(page, 'From').waitFor();
    const [from, to] = [await end(page, 'From').inputValue(), await end(page, 'To').inputValue()];
    expect([from, to]).toEqual([expect.stringMatching(/ 00:00$/), expect.stringMatching(/ 00:00$/)]);
    expect(Date.parse(to.slice(0, 10)) - Date.parse(from.slice(0, 10))).toBe(24 * 3600e3);
    await end(page, 'From').fill('2w');
    await end(page, 'From').press('Enter');
    await page.waitForURL((url) => {
      const start = Number(url.searchParams.get('range')!.split('..')[0]);
      return Math.abs(Date.now() / 1000 - 14 * 86_400 - start) < 60;
    });
  });
});
