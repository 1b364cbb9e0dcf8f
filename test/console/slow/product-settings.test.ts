import { expect, it } from '@jest/globals';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

const variables = [
  { name: 'temperature', unit: '°C', type: 'FLOAT32' },
  { name: 'volume', type: 'FLOAT32' },
  { name: 'door', type: 'BOOL' },
];

describeInBrowser('console: settings of a product', () => {
  const world = useWorld();
  const browser = useBrowser();

  /** Opens the screen of a product with a device that sent two records. */
  const open = async (width = 1280) => {
    const owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const productId = await owner.make(`${at}/products`, { name: 'Cold room', version: '1', variables });
    await owner.make(`${at}/devices/c0-01`, { name: 'Cellar', product: { id: productId } });
    const records = [
      { temperature: 4, volume: 2, door: true },
      { temperature: 5, volume: 0 },
    ].map((data, index) => ({ serial: 'c0-01', ts: 1.7e9 + index, data }));
    await owner.post(`${at}/records`, records);
    const opened = await browser.open(`${world.url}/console/products/${productId}#token=${owner.token}`, {
      viewport: { width, height: 800 },
    });
    const settings = async () => {
      const { body } = await owner.graph(
        `query ($o: ID!, $p: ID!) { product(organizationId: $o, productId: $p) { settings {
          variables { name decimals counter { rollsOverAt jitter } words { value word } } derived { name unit type formula } } } }`,
        { o: owner.id, p: productId },
      );
      return (body.data!.product as { settings: object }).settings;
    };
    return { ...opened, settings };
  };

  it('previews formulas with the records of a device, and marks where one is at fault', async () => {
    const { page, faults, settings } = await open();
    await page.getByRole('button', { name: 'Edit formulas' }).click();
    await page.getByLabel('Name of derived variable 1').fill('density');
    const formula = page.getByLabel('Formula of derived variable 1');
    await formula.fill('temperature / vol');
    const fault = page.getByRole('alert');
    await fault.getByText('has an unknown name').waitFor();
    expect(await fault.locator('mark').innerText()).toBe('vol');
    await formula.fill('temperature / volume');
    await page.getByText('division by zero').waitFor();
    const preview = page.getByRole('table', { name: 'Preview' });
    expect(await preview.getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/^Measured\s+temperature\s+volume\s+= density$/),
      expect.stringMatching(/5\s+0\s+division by zero$/),
      expect.stringMatching(/4\s+2\s+2$/),
    ]);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('table', { name: 'Derived variables' }).getByText('temperature / volume').waitFor();
    expect(await settings()).toEqual({
      variables: [],
      derived: [{ name: 'density', unit: null, type: 'FLOAT32', formula: 'temperature / volume' }],
    });
    expect(faults).toEqual([]);
  });

  it('saves the counter, decimals and words of one variable, and keeps those of others', async () => {
    const { page, faults, settings } = await open(390);
    const row = (name: string) => page.getByRole('table', { name: 'Variables' }).getByRole('row', { name });
    await row('door').getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Word for true').fill('open');
    await page.getByLabel('Word for false').fill('closed');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await row('door').getByText('false = closed, true = open').waitFor();
    await row('volume').getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Decimals').fill('1');
    await page.getByLabel('Counts up').check();
    await page.getByLabel('Rolls over at').fill('1000');
    await page.getByRole('button', { name: 'Save' }).click();
    await row('volume').getByText('counter to 1,000, 1 decimal').waitFor();
    expect(await settings()).toEqual({
      variables: [
        {
          name: 'door',
          decimals: null,
          counter: null,
          words: [
            { value: 'false', word: 'closed' },
            { value: 'true', word: 'open' },
          ],
        },
        { name: 'volume', decimals: 1, counter: { rollsOverAt: 1000, jitter: 0 }, words: [] },
      ],
      derived: [],
    });
    expect(faults).toEqual([]);
  });
});
