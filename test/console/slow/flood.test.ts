import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser } from '../browser.js';
import { longestTask, longestTaskAllowed } from '../task.js';

describeInBrowser('console: live records in a flood', () => {
  const world = useWorld();
  const browser = useBrowser({ own: true });

  /** Creates an application with one device. */
  const furnished = async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer' });
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    const send = (...temperatures: number[]) =>
      owner.post(
        `/organizations/${owner.id}/records`,
        temperatures.map((temperature) => ({ serial: 'c0-01', data: { temperature } })),
      );
    return { owner, applicationId, send };
  };

  const connected = (page: Page) => page.getByText('Connected').waitFor();

  it('blocks the page for at most 200 ms, and shows how many of 2,000 records a second it left out', async () => {
    const { owner, send } = await furnished();
    const { page } = await browser.open(`${world.url}/console/live#token=${owner.token}`);
    await connected(page);
    const second = Array.from({ length: 2000 }, (_, index) => index);
    const longest = await longestTask(page, async () => {
      for (let round = 0; round < 5; round++) {
        const begun = Date.now();
        await send(...second);
        await page.waitForTimeout(Math.max(0, 1000 - (Date.now() - begun)));
      }
      await page.getByText('10,000 records came').waitFor();
      await page.getByText('9,900 left out').waitFor();
    });
    expect(longest).toBeLessThan(longestTaskAllowed);
  });
});
