import { buffer } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Role, TokenScope } from '#entities/enums.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

/** Returns the text of the file that a button downloads. */
const downloaded = async (page: Page, button = 'Download CSV'): Promise<string> => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).first().click(),
  ]);
  return (await buffer(await file.createReadStream())).toString();
};

describeInBrowser('console: explore', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Creates two devices with three records each in the last hour; the name of one is a formula. */
  const furnished = async () => {
    const owner = await world.organization();
    const variables = [
      { name: 'temperature', unit: '°C', type: 'FLOAT32' },
      { name: 'door', type: 'BOOL' },
    ];
    const product = { name: 'Cold room', version: '1', variables };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    for (const [serial, name] of [
      ['c0-01', 'Freezer'],
      ['c0-02', '=HYPERLINK("http://example.com")'],
    ]) {
      const device = { name, product: { id: productId, organizationId: owner.id } };
      const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`, device);
      await owner.put(`/applications/${owner.id}/${applicationId}/devices/${id}`);
      const now = Math.floor(Date.now() / 1000);
      await owner.post(
        `/organizations/${owner.id}/records`,
        [1, 2, 3].map((step) => ({ serial, ts: now - step * 300, data: { temperature: -step, door: false } })),
      );
    }
    const reader = await world.bearer({ organizationId: owner.id, scope: TokenScope.read });
    return { owner, reader, applicationId };
  };

  it('draws the devices of an application, keeps its settings in the address, and exports CSV without formulas', async () => {
    const { reader } = await furnished();
    const { page, faults } = await browser.open(`${world.url}/console/explore?range=hour#token=${reader.token}`);
    await page.getByText('Variables door').click();
    await page.getByLabel('door').uncheck();
    await page.getByText('Choose variables to draw').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('temperature').check();
    await page.getByText('2 lines').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('temperature').isVisible()).toBe(false);
    await page.getByLabel('Function').selectOption('Measured points');
    await page.getByRole('button', { name: 'As a table' }).click();
    await page.getByRole('columnheader', { name: 'Freezer (°C)' }).waitFor();
    expect(await page.getByRole('cell', { name: '−3', exact: true }).count()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
    const text = await downloaded(page);
    expect(text).toMatch(/^\uFEFFtime,unix,device,serial,variable,unit,value\r\n/);
    expect(text).toMatch(/,Freezer,c0-01,temperature,°C,-3\r\n/);
    expect(text).toContain(`,"'=HYPERLINK(""http://example.com"")",c0-02,`);

    const colleague = await browser.open(`${page.url()}#token=${reader.token}`);
    await colleague.page.getByText('2 lines').waitFor();
    expect(await colleague.page.getByLabel('Function').inputValue()).toBe('lttb');
    expect(faults).toEqual([]);
  });

  it('opens with one band for many devices, says how many have values, and combines them otherwise', async () => {
    const { owner, applicationId } = await furnished();
    await world.pool.query(
      `with made as (
         insert into device (id, organization_id, serial, slug, created_at, updated_at)
         select gen_random_uuid(), $1, 'd0-' || lpad(to_hex(n), 2, '0'), 'device-' || n, now(), now() from generate_series(1, 120) n
         returning id, organization_id)
       insert into application_device (organization_id, application_id, device_id) select organization_id, $2, id from made`,
      [owner.id, applicationId],
    );
    const { page, faults } = await browser.open(`${world.url}/console/explore?range=hour#token=${owner.token}`);
    await page.getByText('2 of 122 devices').waitFor();
    expect(await page.getByLabel('Combine').inputValue()).toBe('spread');
    await page.getByRole('button', { name: 'As a table' }).click();
    expect(await page.getByRole('columnheader').allInnerTexts()).toContain('door, highest');
    expect(await violationsOf(page)).toEqual([]);
    expect(await downloaded(page)).toMatch(/^\uFEFFtime,unix,variable,unit,lowest,value,highest,devices,expected\r\n/);
    // A line for each of so many devices is refused, so an address that asks for it shows the band.
    await page.goto(`${world.url}/console/explore?range=hour&variable=temperature`);
    await page.getByText('2 of 122 devices').waitFor();
    await page.getByLabel('Combine').selectOption('Sum');
    await page.getByRole('button', { name: 'As a table' }).click();
    await page.getByRole('columnheader', { name: 'temperature (°C)' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('completes fields and clauses in the editor, runs a query by keyboard, and shows its buckets as chart and table', async () => {
    const { reader } = await furnished();
    const address = `${world.url}/console/explore?range=hour&by=query#token=${reader.token}`;
    const { page, faults } = await browser.open(address);
    const editor = page.locator('.editor [role="textbox"]');
    await editor.fill('');
    await page.keyboard.type('{ "size": 0, "ag');
    await page.getByRole('option', { name: '"aggs"' }).click();
    await page.keyboard.type(': { "by": { "te');
    await page.getByRole('option', { name: '"terms"' }).click();
    await page.keyboard.type(': { "field": "device.se');
    await page.getByRole('option', { name: '"device.serial"' }).click();
    await page.getByText('Ctrl+Enter runs it').waitFor();
    await page.keyboard.press('Control+Enter');
    const table = page.getByRole('table', { name: 'Buckets of by' });
    await table.waitFor();
    expect(await table.getByRole('row').allTextContents()).toEqual(['byrecords', 'c0-013', 'c0-023']);
    await page.getByRole('group', { name: 'records by by' }).waitFor();
    expect(await downloaded(page)).toBe('\uFEFFby,records\r\nc0-01,3\r\nc0-02,3\r\n');
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await table.waitFor();
    expect(faults).toEqual([]);
  });

  it('offers templates, and keeps the queries that ran, for this account alone', async () => {
    const { owner, reader } = await furnished();
    const address = `${world.url}/console/explore?range=hour&by=query`;
    const { page, context, faults } = await browser.open(`${address}#token=${reader.token}`);
    const editor = page.locator('.editor [role="textbox"]');
    await editor.waitFor();
    await page.getByLabel('Template').selectOption('Average by device');
    await editor.getByText('"device.name"').waitFor();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('table', { name: 'Buckets of device' }).waitFor();
    await page.getByLabel('Template').selectOption('Newest records');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { name: 'Records' }).waitFor();
    const history = page.locator('summary', { hasText: 'History' });
    await history.click();
    expect(await page.getByRole('button', { name: '{ "query"' }).count()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'device.name' }).click();
    await editor.getByText('"device.name"').waitFor();
    await page.reload();
    await history.click();
    expect(await page.getByRole('button', { name: '{ "query"' }).count()).toBe(2);
    const other = await context.newPage();
    const someone = await world.member(owner, Role.member);
    await other.goto(`${address}#token=${someone.token}`);
    await other.getByText('No application').waitFor();
    const kept = await other.evaluate(() => Object.keys(localStorage));
    expect(kept).toEqual([expect.stringMatching(new RegExp(`^ddp\\.queries\\..+\\.${owner.id}$`))]);
    expect(faults).toEqual([]);
  });

  it('downloads all records of a query and the devices of the application, with no token in the address', async () => {
    const { reader, applicationId } = await furnished();
    const query = encodeURIComponent('{"query":{"term":{"device.serial":"c0-02"}},"size":1}');
    const address = `${world.url}/console/explore?range=hour&application=${applicationId}&by=query&query=${query}`;
    const { page, faults } = await browser.open(`${address}#token=${reader.token}`);
    await page.getByText('3 records').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const records = await downloaded(page, 'Download the records');
    expect(records.split('\r\n')[0]).toBe('\uFEFFid,ts,device.id,device.serial,device.name,data.temperature,data.door');
    expect(records.match(/c0-02,"'=HYPERLINK\(""http:\/\/example.com""\)",-\d,false\r\n/g)).toHaveLength(3);
    await page.goto(`${world.url}/console/applications/${applicationId}`);
    expect(await downloaded(page)).toMatch(/^\uFEFFid,serial,name,.*\r\n[^,]+,c0-01,Freezer,/);
    expect(asked.filter((url) => url.includes(reader.token!))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("shows the service's message for an invalid query, takes / and ? as text, and disables Run without JSON", async () => {
    const { reader, applicationId } = await furnished();
    const query = encodeURIComponent('{"query":{"rang":{"data.temperature":{"gt":0}}}}');
    const address = `${world.url}/console/explore?application=${applicationId}&by=query&query=${query}`;
    const { page } = await browser.open(`${address}#token=${reader.token}`);
    await page.getByRole('alert').getByText('did you mean [range]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const editor = page.locator('.editor [role="textbox"]');
    await editor.fill('{ not json');
    await page.keyboard.type(' / ?');
    await editor.getByText('{ not json / ?').waitFor();
    await page.getByText('This is not JSON yet').waitFor();
    expect(await page.getByRole('button', { name: 'Run' }).isDisabled()).toBe(true);
  });
});
