import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Service } from '#app/app.js';
import { readConfig } from '#config/config.js';
import { createToken, revokeToken } from '#operator/token.js';
import { startTestService } from '../../support/start-service.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: live records', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Creates an application with one device. */
  const furnished = async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const variables = [{ name: 'temperature', type: 'FLOAT32', unit: '°C' }];
    const product = { name: 'Thermometer', version: '1', variables };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const device = { name: 'Freezer', product: { id: productId, organizationId: owner.id } };
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`, device);
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    const send = (...temperatures: number[]) =>
      owner.post(
        `/organizations/${owner.id}/records`,
        temperatures.map((temperature) => ({ serial: 'c0-01', data: { temperature } })),
      );
    return { owner, applicationId, send };
  };

  const temperatures = async (page: Page): Promise<string[]> =>
    (
      await page
        .getByRole('table', { name: 'Records' })
        .getByRole('cell', { name: /^temperature/ })
        .allTextContents()
    ).map((text) => text.replace('temperature', '').trim());

  const connected = (page: Page) => page.getByText('Connected').waitFor();

  /** Stops the service of a page, and starts it again at its address after something was done meanwhile. */
  const restart = async (first: Service, page: Page, meanwhile: () => Promise<unknown>): Promise<Service> => {
    await first.close();
    await page.getByText('Connecting…').waitFor();
    await meanwhile();
    const config = readConfig({ PORT: new URL(first.url).port, RATE_LIMIT: '0' });
    return startTestService(world.databaseUrl, { config });
  };

  it('shows new records above earlier ones, and only those that match the filter in the address', async () => {
    const { owner, send } = await furnished();
    await send(1, 40);
    const query = encodeURIComponent('{"range":{"data.temperature":{"gt":30}}}');
    const { page, faults } = await browser.open(`${world.url}/console/live?query=${query}#token=${owner.token}`);
    await connected(page);
    await page.getByText('Before this page was opened').waitFor();
    await send(2, 50);
    await page.getByText('1 record came').waitFor();
    expect(await temperatures(page)).toEqual(['50 °C', '40 °C']);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Every record' }).click();
    await page.getByRole('link', { name: 'Freezer' }).nth(3).waitFor();
    expect(page.url()).not.toContain('query=');
    const streams: string[] = [];
    page.on('request', (request) => {
      if (request.postData()?.includes('subscription')) streams.push(request.postData()!);
    });
    await page.locator('summary', { hasText: 'Filter' }).click();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('link', { name: 'Freezer' }).nth(3).waitFor({ state: 'detached' });
    await connected(page);
    await send(60);
    await page.getByText('1 record came').waitFor();
    expect(streams).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it('shows why a stream is refused, and no longer that it connects', async () => {
    const { owner } = await furnished();
    const { page } = await browser.open('about:blank');
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('subscription') ? route.fulfill({ status: 403 }) : route.continue(),
    );
    await page.goto(`${world.url}/console/live#token=${owner.token}`);
    await page.getByRole('alert').getByText('403').waitFor();
    expect(await page.getByText('Connecting…').count()).toBe(0);
  });

  it('shows why a filter is refused', async () => {
    const { owner } = await furnished();
    const query = encodeURIComponent('{"rang":{"data.temperature":{"gt":30}}}');
    const { page } = await browser.open(`${world.url}/console/live?query=${query}#token=${owner.token}`);
    await page.getByRole('alert').getByText('did you mean [range]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('continues after a restart of the service with the records that came meanwhile', async () => {
    const { owner, send } = await furnished();
    const first = await startTestService(world.databaseUrl);
    const { page } = await browser.open(`${first.url}/console/live#token=${owner.token}`);
    await connected(page);
    await send(1);
    await page.getByText('1 record came').waitFor();
    const second = await restart(first, page, () => send(2));
    try {
      await page.getByText('2 records came').waitFor();
      await send(3);
      await page.getByText('3 records came').waitFor();
      expect(await temperatures(page)).toEqual(['3 °C', '2 °C', '1 °C']);
    } finally {
      await page.close();
      await second.close();
    }
  });

  it('begins again after an hour without connection, with the records that came meanwhile', async () => {
    const { owner, send } = await furnished();
    const first = await startTestService(world.databaseUrl);
    const { page } = await browser.open('about:blank');
    await page.route('**/graphql', (route) => {
      const body = route.request().postDataJSON();
      const cursor = body.variables?.after;
      if (cursor == null) return route.continue();
      const [seen, since, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
      body.variables.after = Buffer.from(JSON.stringify([seen, since - 3_700_000, after])).toString('base64url');
      return route.continue({ postData: JSON.stringify(body) });
    });
    await page.goto(`${first.url}/console/live#token=${owner.token}`);
    await connected(page);
    await send(1);
    await page.getByText('1 record came').waitFor();
    const second = await restart(first, page, () => send(2));
    try {
      await page.getByText('Before the connection was back').waitFor();
      await connected(page);
      await send(3);
      await page.getByText('1 record came').waitFor();
      expect(await temperatures(page)).toEqual(['3 °C', '2 °C', '1 °C']);
      expect(await page.getByRole('alert').count()).toBe(0);
    } finally {
      await page.close();
      await second.close();
    }
  });

  it('asks once for a stream that the service refuses', async () => {
    const { owner } = await furnished();
    const { page } = await browser.open('about:blank');
    await page.clock.install();
    let asked = 0;
    await page.route('**/graphql', (route) => {
      const body = route.request().postDataJSON();
      if (!body.query.includes('LiveRecords')) return route.continue();
      asked += 1;
      body.variables.after = 'not a cursor';
      return route.continue({ postData: JSON.stringify(body) });
    });
    await page.goto(`${world.url}/console/live#token=${owner.token}`);
    await page.getByRole('alert').getByText('cursor').waitFor();
    await page.clock.fastForward(60_000);
    // The answer comes after every request that the page sent before.
    await page.evaluate(async () => (await fetch('/auth/session')).status);
    expect(asked).toBe(1);
  });

  it('asks for another token when its own is revoked', async () => {
    const { owner } = await furnished();
    const { id, token } = await createToken(world.pool, { organizationId: owner.id }, new Date());
    const { page } = await browser.open(`${world.url}/console/live#token=${token}`);
    await connected(page);
    await revokeToken(world.pool, id, new Date());
    await page.getByRole('alert').getByText('no longer valid').waitFor();
    await page.getByLabel('Token').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});
