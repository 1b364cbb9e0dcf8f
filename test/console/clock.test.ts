import { expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser } from './browser.js';

describeInBrowser('console: device whose clock is ahead', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('shows by how much, until a record arrives in time', async () => {
    const owner = await world.organization();
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c1-0c`, { name: 'Freezer' });
    const send = (ahead: number) =>
      owner.post(`/organizations/${owner.id}/records`, {
        serial: 'c1-0c',
        ts: Date.now() / 1000 + ahead,
        data: { temperature: 9.5 },
      });
    await send(23.5 * 3600);
    const address = `${world.url}/console/devices/${deviceId}`;
    const { page, faults } = await browser.open(`${address}#token=${owner.token}`);
    await page.getByText(/^23 hrs? ahead$/).waitFor();
    await send(0);
    await page.reload();
    await page.getByText('Last heard').waitFor();
    expect(await page.getByText('ahead').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
