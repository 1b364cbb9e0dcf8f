import { expect, it } from '@jest/globals';
import { hourSeconds } from '#common/time.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';
import { saveDashboard } from '../dashboards.js';

const seconds = (text: string) => Date.parse(text) / 1000;

/** The ends of months in Paris, where the clock goes back on October 26. */
const [october, november, december] = ['2025-09-30T22:00Z', '2025-10-31T23:00Z', '2025-11-30T23:00Z'].map(seconds) as [
  number,
  number,
  number,
];

const source = { variable: 'data.energy' };
const bars = { kind: 'series', draw: 'bar', sources: [source], aggregate: 'increase', every: 'day' };
const number = { kind: 'figure', source, aggregate: 'increase' };

describeInBrowser('console: panels that compare ranges', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Creates a meter that counts one kilowatt-hour an hour in October and two in November, and that was exchanged. */
  const metered = async (panels: readonly object[]) => {
    const owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const variables = [{ name: 'energy', unit: 'kWh', type: 'FLOAT32' }];
    const product = await owner.make(`${at}/products`, { name: 'Meter', version: '1', variables });
    const application = await owner.make(`${at}/applications`, { name: 'Building 2', hasDashboard: true });
    const device = await owner.make(`${at}/devices/e0-01`, { name: 'Meter 1', product: { id: product } });
    await owner.put(`/applications/${owner.id}/${application}/devices/${device}`);
    // The step to an hour counts in the day in which it ends.
    const [first, faster] = [october - hourSeconds, november - hourSeconds];
    const exchanged = seconds('2025-11-15T11:30Z');
    const readingAt = (ts: number) => {
      const hours = (Math.min(ts, faster) - first + 2 * Math.max(0, ts - faster)) / hourSeconds;
      return ts < exchanged ? 100 + hours : 3000 + hours;
    };
    const hours = Array.from({ length: (december - first) / hourSeconds + 1 }, (_, hour) => first + hour * hourSeconds);
    const records = hours.map((ts) => ({ serial: 'e0-01', ts, data: { energy: readingAt(ts) } }));
    await owner.post(`${at}/records`, records);
    const { body } = await owner.graph(
      'mutation ($o: ID!, $d: ID!, $ts: UnixTime!, $value: Float!) { declareMeterExchange(organizationId: $o, deviceId: $d, variable: "energy", ts: $ts, value: $value) { id } }',
      { o: owner.id, d: device, ts: exchanged, value: readingAt(exchanged) - 1 },
    );
    expect(body.errors).toBeUndefined();
    await saveDashboard(owner, application, panels);
    const address = `${world.url}/console/dashboards/${application}`;
    return { owner, application, address, token: `#token=${owner.token}` };
  };

  it('draws a month over a longer one with a change of the clock, day by day', async () => {
    const { address, token } = await metered([
      { ...bars, id: 'p1', title: 'Energy by day', x: 0, y: 0, w: 8, h: 10, compare: 'previous' },
      { ...number, id: 'p2', title: 'Energy', x: 8, y: 0, w: 4, h: 5, compare: 'previous', trend: true },
      { ...number, id: 'p3', title: 'Last year', x: 8, y: 5, w: 4, h: 5, compare: 'year' },
    ]);
    const { page, faults } = await browser.open(`${address}?range=${november}..${december}${token}`);
    const figure = page.getByRole('article', { name: 'Energy', exact: true });
    await figure.getByText('1,440 kWh').waitFor();
    expect(await figure.innerText()).toMatch(/93\.3%\s+from 745 kWh, 1\s–\s31 Oct 2025, 31 days instead of 30/);
    await page
      .getByRole('article', { name: 'Last year' })
      .getByText(/No value in 1\s–\s30 Nov 2024/)
      .waitFor();
    const panel = page.getByRole('article', { name: 'Energy by day' });
    expect(await panel.locator('.legend').innerText()).toMatch(/^energy\s+energy, 1\s–\s31 Oct 2025$/);
    await panel.locator('.u-over').hover();
    const reading = page.getByLabel('Values at the cursor');
    expect(await reading.innerText()).toMatch(
      /1\d Nov 2025[\s\S]*48 kWh[\s\S]*24 kWh\s+\w+,? 1\d Oct 2025 · 1 of 1 device/,
    );
    expect(await violationsOf(page)).toEqual([]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/compare.png` });
    await page.mouse.move(0, 0);
    await panel.getByRole('button', { name: 'As a table' }).click();
    const cells = (text: string) => panel.getByRole('row').filter({ hasText: text }).getByRole('cell').allInnerTexts();
    expect(await panel.getByRole('columnheader').allInnerTexts()).toEqual([
      'Time (Europe/Paris)',
      'energy (kWh)',
      expect.stringMatching(/^Time of energy, 1\s–\s31 Oct 2025$/),
      expect.stringMatching(/^energy, 1\s–\s31 Oct 2025 \(kWh\)$/),
    ]);
    expect(await cells('26 Nov 2025')).toEqual(['26 Nov 2025, 00:00:00', '48', '26 Oct 2025, 00:00:00', '25']);
    // November has no day beside October 31.
    expect(await cells('31 Oct 2025')).toEqual(['1 Dec 2025, 00:00:00', '', '31 Oct 2025, 00:00:00', '24']);
    const saved = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await (await saved).createReadStream();
    const text = (await file.toArray()).join('');
    expect(text).toContain('2025-11-25T23:00:00.000Z,48,2025-10-25T22:00:00.000Z,25\r\n');
    expect(faults).toEqual([]);
  });

  it('compares a month that goes on with the same part of the month before', async () => {
    const { address, token } = await metered([
      { ...bars, id: 'p1', title: 'Energy by day', x: 0, y: 0, w: 8, h: 10, compare: 'previous' },
      { ...number, id: 'p2', title: 'Energy', x: 8, y: 0, w: 4, h: 5, compare: 'previous' },
    ]);
    const { page } = await browser.open(`${world.url}/console/${token}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.clock.setFixedTime(new Date('2025-11-10T11:00:00Z'));
    await page.goto(`${address}?range=this-month`);
    const figure = page.getByRole('article', { name: 'Energy', exact: true });
    // Nine days and twelve hours of both months.
    await figure.getByText('456 kWh').waitFor();
    expect(await figure.innerText()).toMatch(/100%\s+from 228 kWh, 1 Oct 2025, 00:00\s–\s10 Oct 2025, 12:00$/);
    expect(await page.getByLabel('Range', { exact: true }).inputValue()).toBe('this-month');
    // The change of the clock on October 26 makes it no longer than 27 days and eleven hours of November.
    await page.clock.setFixedTime(new Date('2025-11-28T10:00:00Z'));
    await page.reload();
    await figure.getByText(/28 Oct 2025, 11:00$/).waitFor();
    await page.clock.setFixedTime(new Date('2025-11-10T11:00:00Z'));
    await page.reload();
    await figure.getByText('456 kWh').waitFor();
    const panel = page.getByRole('article', { name: 'Energy by day' });
    await panel.getByRole('button', { name: 'As a table' }).click();
    const rows = panel.getByRole('row');
    expect(await rows.count()).toBe(1 + 31);
    expect(await rows.nth(1).getByRole('cell').allInnerTexts()).toEqual([
      '1 Dec 2025, 00:00:00',
      '',
      '31 Oct 2025, 00:00:00',
      '24',
    ]);
  });

  it('compares on a wall, and as the editor was told', async () => {
    const { owner, application, address, token } = await metered([
      { ...bars, id: 'p1', title: 'Energy by day', x: 0, y: 0, w: 12, h: 8 },
    ]);
    const range = `range=${november}..${december}`;
    const { page } = await browser.open(`${address}?${range}${token}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Edit Energy by day' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Compare with').selectOption('The range before');
    await dialog.getByText(/energy, 1\s–\s31 Oct 2025/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/compare-editor.png` });
    await dialog.getByLabel('Split').selectOption('A line for each device');
    expect(await dialog.getByLabel('Compare with').count()).toBe(0);
    await dialog.getByLabel('Split').selectOption('One line');
    await dialog.getByLabel('Compare with').selectOption('A year before');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Range and variables' }).click();
    await page.getByRole('dialog').getByLabel('Opens with').selectOption('Last month');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Apply|Done|Keep/ })
      .click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The dashboard was saved.').waitFor();
    const names = { o: owner.id, a: application };
    const read =
      'query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) { dashboard { document } } }';
    const { body } = await owner.graph(read, names);
    expect(body.data!['application'].dashboard.document).toMatchObject({
      range: 'last-month',
      panels: [{ compare: 'year', every: 'day' }],
    });
    await saveDashboard(owner, application, [
      { ...bars, id: 'p1', title: 'Energy by day', x: 0, y: 0, w: 12, h: 8, compare: 'previous' },
    ]);
    const link =
      'mutation ($o: ID!, $a: ID!) { createDashboardLink(organizationId: $o, applicationId: $a, name: "Lobby") { url } }';
    const made = await owner.graph(link, names);
    const url = new URL(made.body.data!['createDashboardLink'].url as string);
    url.search = range;
    const wall = await browser.open(`${world.url}${url.pathname}${url.search}${url.hash}`);
    await wall.page.getByText(/energy, 1\s–\s31 Oct 2025/).waitFor();
    expect(wall.faults).toEqual([]);
  });
});
