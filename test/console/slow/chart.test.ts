import { expect, it } from '@jest/globals';
import { minuteSeconds } from '#common/time.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('charts', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Two devices that send every minute, the second half a minute later, with an outage of an hour. */
  const furnished = async () => {
    const owner = await world.organization();
    const variables = [
      { name: 'temperature', unit: '°C', type: 'FLOAT32' },
      { name: 'door', unit: 'closed/open', type: 'BOOL' },
    ];
    const product = { name: 'Cold room', version: '1', variables };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const start = Math.floor(Date.now() / 1000 / minuteSeconds) * minuteSeconds - 180 * minuteSeconds;
    const minutes = Array.from({ length: 180 }, (_, index) => index).filter((at) => at < 60 || at >= 120);
    for (const [serial, name, shift] of [
      ['c0-01', 'Freezer', 0],
      ['c0-02', 'Larder', 30],
    ] as const) {
      const device = { name, product: { id: productId, organizationId: owner.id } };
      const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`, device);
      await owner.put(`/applications/${owner.id}/${applicationId}/devices/${id}`);
      await owner.post(
        `/organizations/${owner.id}/records`,
        minutes.map((at) => ({
          serial,
          ts: start + at * minuteSeconds + shift,
          data: { temperature: at + shift / 100, door: at >= 150 },
        })),
      );
    }
    const range = `${start - minuteSeconds}..${start + 181 * minuteSeconds}`;
    const query = `range=${range}&function=lttb&variable=temperature&variable=door&zone=UTC`;
    return { owner, start, range, address: `${world.url}/console/explore?${query}#token=${owner.token}` };
  };

  const opened = async () => {
    const made = await furnished();
    const { page, faults } = await browser.open(made.address);
    const chart = page.getByRole('figure', { name: 'Freezer temperature, Larder temperature' });
    await chart.waitFor();
    return { ...made, page, faults, chart, reading: page.getByLabel('Values at the cursor') };
  };

  it('leaves a gap where devices were silent, and shows every device near the pointer', async () => {
    const { page, faults, chart, reading } = await opened();
    const box = (await chart.locator('.u-over').boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.1, box.y + 40);
    await reading.getByText('Larder temperature').waitFor();
    expect(await reading.innerText()).toMatch(/Freezer temperature\s+\d+ °C\s+Larder temperature\s+\d+\.3 °C/);
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    await reading.getByText('No value').waitFor();
    // The middle of the outage has no line of either colour.
    const isEmpty = await chart.locator('canvas').evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const { data } = canvas.getContext('2d')!.getImageData(canvas.width / 2 + 20, 0, 20, canvas.height - 60);
      return data.every((value, index) => index % 4 === 3 || Math.abs(value - data[index - (index % 4)]!) < 12);
    });
    expect(isEmpty).toBe(true);
    expect(faults).toEqual([]);
  });

  it('shows booleans as steps with the words of their variable', async () => {
    const { page } = await opened();
    const doors = page.getByRole('figure', { name: 'Freezer door, Larder door' });
    await doors.getByRole('button', { name: 'As a table' }).click();
    await doors.getByRole('cell', { name: 'open', exact: true }).first().waitFor();
    expect(await doors.getByRole('cell', { name: 'closed', exact: true }).count()).toBeGreaterThan(100);
  });

  it('zooms in by dragging and out by a double click, and shows one line alone after a click on its name', async () => {
    const { page, chart, range } = await opened();
    const box = (await chart.locator('.u-over').boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.1, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.3, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await chart.getByRole('button', { name: 'Zoom out' }).waitFor();
    const [from, to] = new URL(page.url()).searchParams.get('range')!.split('..').map(Number);
    expect(Math.round((to! - from!) / minuteSeconds)).toBeGreaterThan(30);
    expect(Math.round((to! - from!) / minuteSeconds)).toBeLessThan(43);
    await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 60);
    await chart.getByRole('button', { name: 'Zoom out' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('range')).toBe(range);
    const name = chart.getByRole('button', { name: 'Freezer temperature' });
    await name.click();
    expect(await name.getAttribute('aria-pressed')).toBe('true');
    await chart.locator('.u-over').hover({ position: { x: box.width * 0.1, y: 50 } });
    const reading = page.getByLabel('Values at the cursor');
    await reading.getByText('Freezer temperature').waitFor();
    expect(await reading.getByText('Larder temperature').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('moves one cursor over all charts, selects and zooms by the keyboard alone', async () => {
    const { page, chart, reading, range } = await opened();
    await chart.focus();
    await page.keyboard.press('Home');
    await reading.getByText('Freezer temperature').waitFor();
    const doors = page.getByRole('figure', { name: 'Freezer door, Larder door' });
    const places = await Promise.all(
      [chart, doors].map((one) => one.locator('.u-cursor-x').evaluate((line) => line.getBoundingClientRect().width)),
    );
    expect(places).toHaveLength(2);
    for (let presses = 0; presses < 20; presses++) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await chart.getByRole('button', { name: 'Zoom out' }).waitFor();
    expect(new URL(page.url()).searchParams.get('range')).not.toBe(range);
    await page.keyboard.press('Backspace');
    await chart.getByRole('button', { name: 'Zoom out' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('range')).toBe(range);
  });
});
