import { expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
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

  it('shows on a rule the records that it has yet to decide, and on a device how far its clock is ahead', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Rooms' });
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/a0-01`);
    const application = `/applications/${owner.id}/${applicationId}`;
    await owner.put(`${application}/devices/${deviceId}`);
    const when = { query: { range: { 'data.t': { gt: 8 } } } };
    const ruleId = await owner.make(`${application}/alert-rules`, { name: 'Warm', kind: 'threshold', when });
    const ts = Date.now() / 1000 + 7200;
    await owner.post(`/organizations/${owner.id}/records`, [{ serial: 'a0-01', ts, data: { t: 1 } }]);
    // Without a row in alert_backlog, no process decides the record.
    await world.pool.query(sql`
      with state as (
        insert into alert_state (rule_id, application_id, device_id, started_at)
        values (${ruleId}, ${applicationId}, ${deviceId}, now()) on conflict do nothing)
      insert into alert_undecided (device_id, rule_id, record_id, ts, data, noted_at)
      values (${deviceId}, ${ruleId}, ${deviceId}, now(), '{}', now())`);
    const { page, faults } = await browser.open(`${world.url}/console/alerts/rules#token=${owner.token}`);
    const row = page.getByRole('table', { name: 'Alert rules' }).getByRole('row', { name: 'Warm' });
    await row.getByText(/behind for 1 device since/).waitFor();
    await page.goto(`${world.url}/console/devices/${deviceId}`);
    const values = page.getByRole('region', { name: 'Newest values' });
    await values.getByText(/(1|2) hr ahead/).waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/in \d+ hr/);
    expect(faults).toEqual([]);
  });
});
