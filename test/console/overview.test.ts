import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { TokenScope } from '#entities/enums.js';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

/** Runs a curl command as a terminal would, and returns the status. */
const carryOut = async (text: string): Promise<number> => {
  const headers = [...text.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]): [string, string] => [
    name!,
    value!,
  ]);
  const [, body] = /-d '([^']+)'/.exec(text) ?? [];
  const [url] = /http:\/\/\S+$/.exec(text.trim()) ?? [];
  const { status } = await fetch(url!, { method: 'POST', headers, body: body! });
  return status;
};

/** Returns the command of a step. The page shows its token as dots until a person asks for it. */
const callOf = async (page: Page, title: string) => {
  const call = page.getByLabel(`Call: ${title}`);
  expect(await call.textContent()).toContain('Bearer ••••••••');
  await page.getByRole('listitem').filter({ has: call }).getByRole('button', { name: 'Show the token' }).click();
  return (await call.textContent())!;
};

describeInBrowser('console: overview', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('guides an empty organization through three calls to its first record, then shows a live chart', async () => {
    const owner = await world.organization();
    const { page, faults } = await browser.open(`${world.url}/console/#token=${owner.token}`);
    for (const title of [
      'A product says what its devices measure',
      'A device has a serial number',
      'The device sends a record',
    ]) {
      await page.getByLabel(`Call: ${title}`).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await carryOut(await callOf(page, title))).toBe(200);
    }
    await page.getByRole('figure', { name: 'Values of First device' }).waitFor();
    await page.getByRole('button', { name: 'As a table' }).click();
    await page.getByRole('cell', { name: '21.5' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('shows a read-only token no calls to copy', async () => {
    const owner = await world.organization();
    const reader = await world.bearer({ organizationId: owner.id, scope: TokenScope.read });
    const { page } = await browser.open(`${world.url}/console/#token=${reader.token}`);
    await page.getByText('sign in as an owner to begin').waitFor();
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
  });
});
