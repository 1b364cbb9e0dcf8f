import { expect, it } from '@jest/globals';
import { newLink } from '../../auth/operations.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser } from '../browser.js';
import { saveDashboard } from '../dashboards.js';

const variables = [
  { name: 'temperature', unit: '°C', type: 'FLOAT32' },
  { name: 'door', type: 'BOOL' },
  { name: 'mode', type: 'UINT8' },
];
const settings = {
  derived: [{ name: 'fahrenheit', unit: '°F', type: 'FLOAT32', formula: 'temperature * 1.8 + 32' }],
  variables: [
    { name: 'temperature', decimals: 2 },
    { name: 'fahrenheit', decimals: 0 },
    {
      name: 'door',
      words: [
        { value: 'true', word: 'open' },
        { value: 'false', word: 'closed' },
      ],
    },
    { name: 'mode', words: [{ value: '3', word: 'defrost' }] },
  ],
};

describeInBrowser('console: words and decimals of settings', () => {
  const world = useWorld();
  const browser = useBrowser();

  const furnished = async () => {
    const owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const productId = await owner.make(`${at}/products`, { name: 'Cold room', version: '1', variables });
    const { body } = await owner.graph(
      `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
        putProductSettings(organizationId: $o, productId: $p, settings: $s) { id } }`,
      { o: owner.id, p: productId, s: settings },
    );
    expect(body.errors).toBeUndefined();
    const application = await owner.make(`${at}/applications`, { name: 'Cold rooms', hasDashboard: true });
    const device = await owner.make(`${at}/devices/c0-01`, { name: 'Cellar', product: { id: productId } });
    await owner.put(`/applications/${owner.id}/${application}/devices/${device}`);
    await owner.post(`${at}/records`, { serial: 'c0-01', data: { temperature: 4, door: true, mode: 3 } });
    return { owner, application, device };
  };

  it('shows them in figures, tables, states and lists of a dashboard, to a link too', async () => {
    const { owner, application } = await furnished();
    const source = (name: string) => ({ variable: `data.${name}` });
    const panels = [
      { kind: 'figure', title: 'Door', source: source('door'), aggregate: 'last' },
      { kind: 'figure', title: 'Mode', source: source('mode'), aggregate: 'last' },
      { kind: 'figure', title: 'Heat', source: source('fahrenheit'), aggregate: 'last' },
      { kind: 'figure', title: 'Rooms', source: source('temperature'), aggregate: 'last', combine: 'count' },
      { kind: 'table', title: 'Newest', sources: ['temperature', 'door', 'mode', 'fahrenheit'].map(source) },
      { kind: 'timeline', title: 'States', sources: [source('door'), source('mode')] },
      { kind: 'top', title: 'Ranking', source: source('temperature'), aggregate: 'last', order: 'highest', size: 5 },
    ].map((panel, index) => ({
      id: `p${index}`,
      x: (index % 4) * 3,
      y: 6 * Math.floor(index / 4),
      w: 3,
      h: 6,
      ...panel,
    }));
    await saveDashboard(owner, application, panels);
    const link = await newLink({ owner, applicationId: application });
    for (const address of [`/dashboards/${application}#token=${owner.token}`, `/wall#${link.token}`]) {
      const { page, faults } = await browser.open(`${world.url}/console${address}`);
      const panel = (name: string) => page.getByRole('article', { name });
      await panel('Door').getByText('open', { exact: true }).waitFor();
      await panel('Mode').getByText('defrost', { exact: true }).waitFor();
      await panel('Heat').getByText('39 °F').waitFor();
      await panel('Rooms').getByText('1 device', { exact: true }).waitFor();
      await panel('Rooms').getByText('1 of 1 device', { exact: false }).waitFor();
      const row = panel('Newest').getByRole('row', { name: 'Cellar' });
      expect(await row.getByRole('cell').allInnerTexts()).toEqual([
        'Cellar',
        '4.00 °C',
        'open',
        'defrost',
        '39 °F',
        expect.anything(),
      ]);
      const legend = panel('States').getByRole('list', { name: 'States' });
      expect(await legend.getByRole('listitem').allInnerTexts()).toEqual(['defrost', 'open']);
      await panel('Ranking').getByText('4.00 °C').waitFor();
      expect(faults).toEqual([]);
    }
  });

  it('shows them on the screens of the device and of all devices, and offers derived variables', async () => {
    const { owner, application, device } = await furnished();
    const { page, faults } = await browser.open(`${world.url}/console/devices/${device}#token=${owner.token}`);
    const tiles = page.getByRole('region', { name: 'Newest values' });
    await tiles.getByText('defrost').waitFor();
    expect(await tiles.innerText()).toMatch(/open[^]*39 °F[^]*4\.00 °C/);
    await page.locator('summary', { hasText: 'Variables' }).click();
    await page.getByRole('checkbox', { name: 'fahrenheit' }).waitFor();
    await page.goto(`${world.url}/console/explore?application=${application}&variable=fahrenheit`);
    await page.getByText('1 line ·').waitFor();
    await page.goto(`${world.url}/console/devices`);
    await page.getByRole('row', { name: 'Cellar' }).getByText('4.00 °C').waitFor();
    expect(faults).toEqual([]);
  });
});
