import { expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
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

  it('counts no further than 10,000 alerts, and shows why a panel is refused instead of its figure', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer' });
    await owner.post(`/organizations/${owner.id}/records`, { serial: 'c0-01', data: { temperature: 1 } });
    await world.pool.query(sql`
      insert into episode (id, organization_id, application_id, rule_id, rule_name, severity, device_id, opened_at, created_at,
                           updated_at)
      select gen_random_uuid(), ${owner.id}, ${applicationId}, gen_random_uuid(), 'Too warm',
             case when n > 9 then 'warning' else 'critical' end, gen_random_uuid(), now() - '1 min'::interval, now(), now()
        from generate_series(1, 10001) n`);
    const { page } = await browser.open(`${world.url}/console/#token=${owner.token}`);
    const figures = page.getByRole('group', { name: 'Figures' });
    const texts = () => figures.getByRole('link').allTextContents();
    await figures.waitFor();
    expect(await texts()).toContain('Open alerts10,000+9 critical, 10,000+ opened in the range');
    await page.route('**/graphql', (route) => {
      const body = route.request().postDataJSON();
      // The service refuses the lists of silent devices and of open alerts, and answers the others.
      const query = body.query.replaceAll('limit: 8', 'limit: 0');
      return route.continue({ postData: JSON.stringify({ ...body, query }) });
    });
    await page.reload();
    for (const name of ['Silent devices', 'Open alerts'])
      await page.getByRole('region', { name }).getByRole('alert').getByText('limit').waitFor();
    expect(await texts()).toEqual([
      'Failing hooks0of 0, 0 switched off',
      'Silent devices–of 1, silent for a day',
      'Open alerts–– opened in the range',
    ]);
    expect(await violationsOf(page)).toEqual([]);
  });
});
