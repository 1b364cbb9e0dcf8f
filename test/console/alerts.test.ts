import { expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

describeInBrowser('console: alerts', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('lists an open episode with the record that opened it, counts it in the navigation and acknowledges it', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer' });
    const application = `/applications/${owner.id}/${applicationId}`;
    await owner.put(`${application}/devices/${deviceId}`);
    const when = { all: [{ variable: 'temperature', operator: 'gt', value: 8 }] };
    await owner.make(`${application}/alert-rules`, { name: 'Too warm', kind: 'threshold', severity: 'critical', when });
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 9.5 } });
    const { page, faults } = await browser.open(`${world.url}/console/alerts#token=${owner.token}`);
    await page.getByRole('link', { name: 'Alerts 1 open' }).waitFor();
    const row = page.getByRole('table', { name: 'Episodes' }).getByRole('row', { name: 'Too warm' });
    expect(await row.innerText()).toMatch(/Too warm[^]*Cold rooms[^]*critical[^]*Freezer[^]*temperature 9.5[^]*open/);
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole('button', { name: 'Acknowledge' }).click();
    await row.getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Acknowledged' }).selectOption('Not acknowledged');
    await page.getByText('No episode matches').waitFor();
    expect(page.url()).toContain('acknowledged=no');
    expect(faults).toEqual([]);
  });
});
