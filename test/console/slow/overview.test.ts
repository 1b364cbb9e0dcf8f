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
    await page.getByRole('figure', { name: 'Records arriving by application' }).waitFor();
    const figures = page.getByRole('group', { name: 'Figures' });
    await figures.getByRole('group', { name: 'Records arrived' }).getByText('1', { exact: true }).waitFor();
    expect(await figures.getByRole('link').allTextContents()).toEqual([
      'Failing hooks0of 1, 1 switched off',
      'Silent devices1of 2, silent for a day',
      'Open alerts00 opened in the range',
    ]);
    const silent = page.getByRole('region', { name: 'Silent devices' });
    expect(await silent.getByRole('link').allTextContents()).toEqual(['Lost one']);
    const hooks = page.getByRole('region', { name: 'Hooks that fail' });
    expect(await hooks.getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('switched off by hand'),
    ]);
    expect(await violationsOf(page)).toEqual([]);
  });
});
