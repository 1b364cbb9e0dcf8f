import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import sql from 'sql-template-tag';
import { hourSeconds } from '#common/time.js';
import { Role } from '#entities/enums.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

const variables = [
  { name: 'temperature', unit: '°C', type: 'FLOAT32' },
  { name: 'doorOpen', type: 'BOOL' },
];

const above = (value: number) => ({ all: [{ variable: 'temperature', operator: 'gt', value }] });
const tooWarm = { name: 'Too warm', kind: 'threshold', severity: 'critical', when: above(8) };

describeInBrowser('console: alert rules and episodes', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Creates an application with a device; `send` takes pairs of age in seconds and temperature. */
  const furnished = async () => {
    const owner = await world.organization();
    const organization = `/organizations/${owner.id}`;
    const id = await owner.make(`${organization}/products`, { name: 'Thermometer', version: '1', variables });
    const applicationId = await owner.make(`${organization}/applications`, { name: 'Cold rooms' });
    const deviceId = await owner.make(`${organization}/devices/c0-01`, { name: 'Freezer', product: { id } });
    const application = `/applications/${owner.id}/${applicationId}`;
    await owner.put(`${application}/devices/${deviceId}`);
    const now = Math.floor(Date.now() / 1000);
    const send = (...points: [ago: number, temperature: number][]) =>
      owner.post(
        `${organization}/records`,
        points.map(([ago, temperature]) => ({ serial: 'c0-01', ts: now - ago, data: { temperature } })),
      );
    return { owner, application, applicationId, deviceId, send };
  };

  const episodes = (page: Page) => page.getByRole('table', { name: 'Episodes' }).getByRole('row');

  it('creates a rule about desired state, and shows what a device has not reported', async () => {
    const { owner, applicationId, application, deviceId } = await furnished();
    await owner.put(`/devices/${owner.id}/${deviceId}/state`, { desired: { setPoint: -22 } });
    await world.pool.query(
      sql`update device_state set desired_at = desired_at - interval '2 h' where device_id = ${deviceId}`,
    );
    const rule = `${world.url}/console/alerts/rules/${applicationId}/new`;
    const { page, faults } = await browser.open(`${rule}#token=${owner.token}`);
    await page.getByLabel('Opens when').selectOption('A device does not report what is desired');
    await page.getByLabel('Name').first().fill('Not set');
    await page.getByLabel('Not reported for', { exact: true }).fill('0.5');
    await page.getByLabel('Name').last().fill('setPoint');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('earlier desired states are not kept').waitFor();
    await page.getByText('once on 1 device').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create the rule' }).click();
    await page.getByText('setPoint was not reported for 30 min').waitFor();
    await world.pool.query(
      sql`update alert_state set due_at = now(), since = now() - interval '1 h' where device_id = ${deviceId}`,
    );
    await page.goto(`${world.url}/console/alerts`);
    await episodes(page).filter({ hasText: 'setPoint is not −22' }).waitFor();
    await owner.post(`/devices/${owner.id}/${deviceId}/state`, { reported: { setPoint: -22 } });
    await episodes(page).filter({ hasText: 'the device reported what is desired' }).waitFor();
    expect((await owner.get<object[]>(`${application}/episodes`)).body).toMatchObject([{ closedReason: 'settled' }]);
    expect(faults).toEqual([]);
  });

  it('creates a rule with a preview, then shows its episode being opened, acknowledged and closed without a reload', async () => {
    const { owner, send } = await furnished();
    await send(
      [50 * hourSeconds, 9],
      [49 * hourSeconds, 4],
      [26 * hourSeconds, 11],
      [25 * hourSeconds, 4],
      [2 * hourSeconds, 12],
      [hourSeconds, 3],
    );
    const { page, faults } = await browser.open(`${world.url}/console/alerts#token=${owner.token}`);
    await page.getByText('No alert yet').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'rule', exact: true }).click();
    await page.getByText('No rules yet').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Create a rule' }).click();

    await page.getByLabel('Name').fill('Too warm');
    await page.getByLabel('Severity').selectOption('critical');
    const [variable, operator, value] = ['variable', 'operator', 'value'].map((part) =>
      page.getByLabel(`When, comparison 1: ${part}`),
    );
    await variable!.fill('doorOpen');
    expect(await operator!.getByRole('option').allTextContents()).toEqual(['equal to', 'other than']);
    await variable!.fill('temperature');
    await operator!.selectOption('above');
    await value!.fill('8');
    let previews = 0;
    page.on('request', (request) => (previews += /query PreviewAlertRule\(/.test(request.postData() ?? '') ? 1 : 0));
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('3 times on 1 device').waitFor();
    const picture = page.getByRole('figure', { name: 'Preview on Freezer' });
    await picture.getByText('critical alert open (3 times)').waitFor();
    expect(await page.getByRole('list', { name: 'Openings on this device' }).getByRole('listitem').count()).toBe(3);
    expect(await violationsOf(page)).toEqual([]);
    await picture.getByRole('button', { name: 'As a table' }).click();
    expect(await picture.getByRole('cell', { name: 'critical' }).count()).toBeGreaterThanOrEqual(3);
    await value!.fill('10');
    await page.getByText('The form has changed since').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('2 times on 1 device').waitFor();
    expect(previews).toBe(2);
    await page.getByRole('button', { name: 'Create the rule' }).click();
    const rules = page.getByRole('table', { name: 'Alert rules' });
    await rules.getByRole('row', { name: 'Too warm' }).getByText('temperature above 10').waitFor();
    await rules.getByRole('row', { name: 'Too warm' }).getByText('A value is wrong').waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('link', { name: 'Episodes' }).click();
    await page.getByText('No episode matches').waitFor();
    await page.getByLabel('Application').selectOption('Every application');
    await send([0, 12.5]);
    await episodes(page).filter({ hasText: '12.5' }).waitFor();
    await page.getByRole('link', { name: 'Alerts 1 open' }).waitFor();
    await page.getByRole('button', { name: 'Acknowledge all 1 that match' }).click();
    const dialog = page.getByRole('dialog', { name: 'Acknowledge 1 episode' });
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByRole('button', { name: 'Acknowledge all' }).waitFor({ state: 'detached' });
    await send([-1, 4]);
    await episodes(page).getByText('a record cleared it').waitFor();
    await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it("shows open alerts on the overview, and bands and a history on the device's page", async () => {
    const { owner, application, deviceId, send } = await furnished();
    await owner.make(`${application}/alert-rules`, tooWarm);
    await send([5 * hourSeconds, 9], [4 * hourSeconds, 3], [hourSeconds, 10]);
    const { page } = await browser.open(`${world.url}/console/?range=day#token=${owner.token}`);
    const panel = page.getByRole('region', { name: 'Open alerts' });
    await panel.getByRole('link', { name: 'Freezer' }).click();
    await page.getByRole('heading', { name: 'Freezer' }).waitFor();
    expect(page.url()).toContain(deviceId);
    await page.getByRole('status', { name: 'Open alerts' }).getByText('critical').waitFor();
    await page.getByRole('tab', { name: 'Alerts' }).click();
    await panel.getByText('critical').waitFor();
    const chart = page.getByRole('figure', { name: 'temperature' });
    await chart.getByText('critical alert open (2 times)').waitFor();
    await panel.getByRole('link', { name: 'History' }).click();
    await page.getByText('Device: Freezer').waitFor();
    expect(await episodes(page).count()).toBe(3);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('shows a refusal by the service beside the field', async () => {
    const { owner, applicationId } = await furnished();
    const { page } = await browser.open(`${world.url}/console/alerts/rules/${applicationId}/new#token=${owner.token}`);
    await page.getByLabel('Name').fill('Wrong');
    await page.getByRole('button', { name: 'Create the rule' }).click();
    await page.getByText('must name a variable').waitFor();
    await page.getByLabel('When, comparison 1: variable').fill('temperature');
    await page.getByLabel('When, comparison 1: value').fill('8');
    await page.getByLabel('Close on another condition').check();
    await page.getByLabel('Until, comparison 1: variable').fill('temperature');
    await page.getByLabel('Until, comparison 1: value').fill('5');
    await page.getByLabel('Longest gap', { exact: true }).fill('500');
    await page.getByRole('button', { name: 'Create the rule' }).click();
    const fieldOf = (name: string) => page.locator('.field', { has: page.getByRole('spinbutton', { name }) });
    await fieldOf('Longest gap').getByText('must not be greater than 604800').waitFor();
    await page.getByLabel('Longest gap', { exact: true }).fill('2');
    await page.getByRole('button', { name: 'Create the rule' }).click();
    await page.getByRole('group', { name: 'Until' }).getByText('must not hold where `when` holds').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('When: form of the condition').selectOption('A query finds the record');
    await page.getByLabel('When: query').fill('{ "rang": {} }');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('group', { name: 'When' }).getByText('rang').first().waitFor();
    await page.getByLabel('Opens when').selectOption('A device falls silent');
    await page.getByLabel('Silent for', { exact: true }).fill('0.5');
    await page.getByLabel('Unit of silent for').selectOption('minutes');
    await page.getByRole('button', { name: 'Create the rule' }).click();
    await fieldOf('Silent for').getByText('must not be less than 60').waitFor();
  });

  it('reports what the preview of a rule did not cover', async () => {
    const { owner, applicationId } = await furnished();
    await world.pool.query(
      `with made as (
         insert into device (id, organization_id, serial, name, slug, created_at, updated_at)
         select gen_random_uuid(), $1, 'e0-' || lpad(to_hex(n / 256), 2, '0') || '-' || lpad(to_hex(n % 256), 2, '0'),
           'Device ' || n, 'device-' || n, now(), now() from generate_series(1, 1000) n returning id)
       insert into application_device (organization_id, application_id, device_id) select $1, $2, id from made`,
      [owner.id, applicationId],
    );
    const { page } = await browser.open(`${world.url}/console/alerts/rules/${applicationId}/new#token=${owner.token}`);
    await page.getByLabel('When, comparison 1: variable').fill('temperature');
    await page.getByLabel('When, comparison 1: value').fill('8');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('The preview is incomplete').waitFor();
    expect(await page.getByText('No episode in the part that was previewed.').count()).toBe(1);
  });

  it('lets a reader of the application acknowledge alerts, and view but not change rules', async () => {
    const { owner, application, applicationId, send } = await furnished();
    const ruleId = await owner.make(`${application}/alert-rules`, { ...tooWarm, for: 1800 });
    await send([3000, 9], [0, 9]);
    const member = await world.member(owner, Role.member);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Readers' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
    const { page } = await browser.open(`${world.url}/console/alerts#token=${member.token}`);
    await page.getByLabel('Choose Too warm, Freezer').check();
    await page.getByRole('button', { name: 'Acknowledge 1 chosen' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('None chosen').waitFor();
    for (const name of ['Acknowledge', 'Acknowledge all 1 that match'])
      await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' });
    await page.goto(`${world.url}/console/alerts/rules/${applicationId}/${ruleId}`);
    await page.getByText('You can preview this one').waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    expect(await page.getByLabel('For', { exact: true }).inputValue()).toBe('30');
    expect(await page.getByRole('button', { name: /Save|Switch off|Delete/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('once on 1 device').waitFor();
    await page.goto(`${world.url}/console/alerts/rules`);
    await page.getByRole('table', { name: 'Alert rules' }).waitFor();
    expect(await page.getByRole('link', { name: 'Create a rule' }).count()).toBe(0);
  });

  it('acknowledges all alerts, also those of the last of 201 applications', async () => {
    const { owner, application, send } = await furnished();
    await world.pool.query(
      `insert into application (id, organization_id, name, slug, created_at, updated_at)
       select gen_random_uuid(), $1, 'App ' || n, 'app-' || n, now(), now() from generate_series(1, 200) n`,
      [owner.id],
    );
    await owner.make(`${application}/alert-rules`, tooWarm);
    await send([0, 12]);
    const { page } = await browser.open(`${world.url}/console/alerts#token=${owner.token}`);
    await page.getByRole('button', { name: 'Acknowledge all 1 that match' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByRole('button', { name: 'Acknowledge all' }).waitFor({ state: 'detached' });
    const { body } = await owner.get<{ acknowledgedAt: string | null }[]>(`${application}/episodes`);
    expect(body.map(({ acknowledgedAt }) => acknowledgedAt)).toEqual([expect.any(String)]);
  });

  it('selects the alert events that a hook receives', async () => {
    const { owner, application, applicationId } = await furnished();
    const hookId = await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/' });
    const { page } = await browser.open(`${world.url}/console/hooks/${applicationId}/${hookId}#token=${owner.token}`);
    await page.getByRole('button', { name: 'Settings' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings of the hook' });
    await dialog.getByLabel('alerts that open').check();
    await dialog.getByLabel('devices that are registered').check();
    await dialog.getByLabel('records', { exact: false }).first().uncheck();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('alerts that open, devices that are registered').waitFor();
    const { body } = await owner.get<{ events: string[] }>(`${application}/hooks/${hookId}/settings`);
    expect(body.events).toEqual(['alert.opened', 'device.registered']);
  });
});
