import { expect, it } from '@jest/globals';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: overview panels', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('counts the records of applications, and lists silent devices and stopped hooks', async () => {
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
});
