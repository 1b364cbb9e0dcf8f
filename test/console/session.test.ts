import { expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

describeInBrowser('console: sign-in', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('redirects a browser from / to the console, and returns JSON to other clients', async () => {
    const { page } = await browser.open(world.url);
    expect(page.url()).toBe(`${world.url}/console/`);
    const plain = await fetch(world.url);
    expect([plain.status, plain.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('signs in by the token in the fragment, removes it from the address and keeps it for the tab only', async () => {
    const owner = await world.organization();
    const { page, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    expect(page.url()).toBe(`${world.url}/console/devices`);
    expect(await page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([1, 0]);
    expect(faults).toEqual([]);
  });

  it('signs in by a link with a token that is opened in a tab with the console', async () => {
    const [first, second] = [await world.organization(), await world.organization()];
    await second.make(`/organizations/${second.id}/applications`, { name: 'Of the second' });
    const { page, faults } = await browser.open(`${world.url}/console/applications#token=${first.token}`);
    await page.getByText('No application').first().waitFor();
    await page.goto(`${world.url}/console/applications#token=${second.token}`);
    await page.getByRole('link', { name: 'Of the second' }).waitFor();
    expect(page.url()).toBe(`${world.url}/console/applications`);
    expect(faults).toEqual([]);
  });

  it('signs in by hand, stays signed in on request, and forgets the token on sign-out', async () => {
    const owner = await world.organization();
    const { page, context } = await browser.open(`${world.url}/console/devices`);
    await page.getByLabel('Token').fill(owner.token!);
    await page.getByLabel('Stay signed in on this machine').check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    const other = await context.newPage();
    await other.goto(`${world.url}/console/devices`);
    await other.getByRole('heading', { name: 'Devices' }).waitFor();
    await other.locator('summary', { hasText: 'Account:' }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByLabel('Token').waitFor();
    expect(await other.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([0, 0]);
  });

  it('signs a second tab in as the first one is, and both out at once, without keeping the token', async () => {
    const owner = await world.organization();
    const { page, context, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    const other = await context.newPage();
    await other.goto(`${world.url}/console/products`);
    await other.getByRole('heading', { name: 'Products' }).waitFor();
    expect(await other.evaluate(() => localStorage.length)).toBe(0);
    await other.locator('summary', { hasText: 'Account:' }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, other]) await tab.getByLabel('Token').waitFor();
    const third = await context.newPage();
    await third.goto(`${world.url}/console/products`);
    await third.getByLabel('Token').waitFor();
    expect(await third.evaluate(() => sessionStorage.length)).toBe(0);
    expect(faults).toEqual([]);
  });

  it('reports an invalid token and asks for another', async () => {
    const { page } = await browser.open(`${world.url}/console/devices#token=ddp_${'x'.repeat(43)}`);
    await page.getByRole('alert').getByText('no longer valid').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
