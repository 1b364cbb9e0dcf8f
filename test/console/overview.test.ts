import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { TokenScope } from '../../src/entities/enums.js';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

/** Carries out a call of curl as a terminal would. */
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

const callOf = async (page: Page, title: string) => (await page.getByLabel(`Call: ${title}`).textContent())!;

describeInBrowser('the overview', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('leads an empty organization by three calls to its first record, and turns into its live chart', async () => {
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

  it('counts the records of applications, and names silent devices and hooks that stand', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer' });
    await owner.make(`/organizations/${owner.id}/devices/c0-02`, { name: 'Lost one' });
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    const url = 'https://example.com/off';
    await owner.make(`/applications/${owner.id}/${applicationId}/hooks`, { url, disabled: true });
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 1 } });
    const { page } = await browser.open(`${world.url}/console/#token=${owner.token}`);
    await page.getByText('1 record was measured in this range').waitFor();
    await page.getByRole('figure', { name: 'Records a minute by application' }).waitFor();
    const silent = page.getByRole('region', { name: 'Silent devices' });
    expect(await silent.getByRole('link').allTextContents()).toEqual(['Lost one']);
    const hooks = page.getByRole('region', { name: 'Hooks that fail' });
    expect(await hooks.getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('switched off by hand'),
    ]);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('offers no call to a token that may change nothing', async () => {
    const owner = await world.organization();
    const reader = await world.bearer({ organizationId: owner.id, scope: TokenScope.read });
    const { page } = await browser.open(`${world.url}/console/#token=${reader.token}`);
    await page.getByText('sign in as an owner to begin').waitFor();
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
  });
});
