import { expect, it } from '@jest/globals';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser } from '../browser.js';
import { longestTask, longestTaskAllowed } from '../task.js';

describeInBrowser('console: 10,000 devices', () => {
  const world = useWorld();
  const browser = useBrowser({ own: true });

  it('lists them page by page and blocks the page for at most 200 ms', async () => {
    const owner = await world.organization();
    await world.pool.query(
      `insert into device (id, organization_id, serial, name, slug, created_at, updated_at)
       select gen_random_uuid(), $1, 'd0-' || lpad(to_hex(n / 256), 2, '0') || '-' || lpad(to_hex(n % 256), 2, '0'),
         'Device ' || n, 'device-' || n, now(), now() from generate_series(1, 10000) n`,
      [owner.id],
    );
    const { page } = await browser.open(`${world.url}/console/devices?sort=serial&page=399#token=${owner.token}`);
    await page.getByText('9951–9975 of 10,000').waitFor();
    let lookups = 0;
    page.on('request', (request) => (lookups += /query Job\(/.test(request.postData() ?? '') ? 1 : 0));
    const longest = await longestTask(page, async () => {
      await page.getByRole('link', { name: 'Next' }).click();
      await page.getByText('9976–10000 of 10,000').waitFor();
      await page.getByRole('button', { name: 'Choose all 10,000 that match' }).click();
      await page.getByText('10,000 chosen').waitFor();
      await page.getByRole('button', { name: 'Tag', exact: true }).click();
      await page.getByRole('dialog', { name: 'Tag 10,000 devices' }).getByLabel('Tags to add').fill('all');
      await page.getByRole('dialog').getByRole('button', { name: 'Tag' }).click();
      await page.getByRole('status', { name: 'Job' }).getByText('10,000 changed').waitFor();
    });
    await page.getByText('all', { exact: true }).first().waitFor();
    // The job's progress arrives as events; the page does not poll.
    expect(lookups).toBe(1);
    expect(longest).toBeLessThan(longestTaskAllowed);
  });
});
