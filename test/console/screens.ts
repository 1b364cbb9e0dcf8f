import type { Page } from 'playwright-core';
import type { World } from '../support/world.js';
import { saveDashboard } from './dashboards.js';

/** A text that has an effect unless a screen treats it as plain text. */
const hostile = `<img src=x onerror="document.title='broken in'">"'\`{{7*7}}\${7*7}\u202E<script>document.title='broken in'</script>`;

/** A panel of each kind, with hostile titles. */
const panelsOf = (device: string): object[] => {
  const source = { devices: [device], variable: 'data.temperature', unit: hostile.slice(0, 20), label: hostile };
  const state = { variable: 'data.state', label: hostile };
  return [
    { kind: 'series', sources: [source], draw: 'line', bands: [{ from: 3, severity: 'critical' }] },
    { kind: 'figure', source: state, aggregate: 'last', trend: true },
    { kind: 'table', sources: [source, state] },
    { kind: 'map' },
    { kind: 'timeline', sources: [state] },
    { kind: 'top', source, aggregate: 'max', order: 'highest', size: 5 },
    { kind: 'query', query: { aggs: { [hostile.slice(0, 20)]: { terms: { field: 'data.state' } } } }, show: 'bars' },
    { kind: 'text', text: `${hostile} https://example.com/${'x'.repeat(300)}` },
  ].map((panel, index) => {
    const place = { x: (index % 3) * 4, y: 6 * Math.floor(index / 3), w: 4, h: 6 };
    return { id: `p${index}`, title: hostile, ...place, ...panel };
  });
};

/** The names of the screens. */
export const screenNames = [
  'Overview',
  'Devices',
  'A device',
  'Dashboards',
  'A dashboard',
  'Alerts',
  'Alert rules',
  'An alert rule',
  'Live',
  'Explore by chart',
  'Explore by query',
  'Products',
  'A product',
  'Hooks',
  'A hook',
  'A delivery',
  'Applications',
  'An application',
  'Sites',
  'A site',
  'People',
  'Audit',
  'Jobs',
  'Usage',
  'Tokens',
  'Network servers',
] as const;

/** The console's screens for an organization whose objects have hostile names. */
export interface Screens {
  token: string;
  /** The path of each screen below `/console`. */
  paths: Record<(typeof screenNames)[number], string>;
}

/** Creates an organization with one object of each kind, each with hostile names, values and tags. */
export const furnishScreens = async (world: World): Promise<Screens> => {
  const owner = await world.organization();
  const variables = [
    { name: 'temperature', unit: hostile.slice(0, 20), type: 'FLOAT32' },
    { name: 'state', type: 'TXT' },
  ];
  const organization = `/organizations/${owner.id}`;
  const product = await owner.make(`${organization}/products`, { name: hostile, version: '<b>1', variables });
  const application = await owner.make(`${organization}/applications`, {
    name: hostile,
    description: hostile,
    hasDashboard: true,
  });
  const device = await owner.make(`${organization}/devices/c0-01`, {
    name: hostile,
    tags: [hostile.slice(0, 50)],
    product: { id: product, organizationId: owner.id },
    location: { lat: 48, lon: 2 },
  });
  await owner.put(`/applications/${owner.id}/${application}/devices/${device}`);
  const url = "http://127.0.0.1:1/onerror=alert(1)?a='&b=%3Cimg%3E";
  const hook = await owner.make(`/applications/${owner.id}/${application}/hooks`, { url });
  const rule = await owner.make(`/applications/${owner.id}/${application}/alert-rules`, {
    name: hostile,
    kind: 'threshold',
    tags: [hostile.slice(0, 50)],
    when: { all: ['state', hostile].map((variable) => ({ variable, operator: 'eq', value: hostile })) },
  });
  const site = await owner.make(`${organization}/sites`, { name: hostile, kind: hostile.slice(0, 50) });
  await owner.put(`${organization}/device-sites`, { siteId: site, serials: ['c0-01'] });
  await owner.make(`${organization}/teams`, { name: hostile, description: hostile });
  await owner.post(`${organization}/records`, {
    serial: 'c0-01',
    metadata: { [hostile]: hostile },
    data: { temperature: 4, state: hostile, [hostile]: hostile },
  });
  await saveDashboard(owner, application, panelsOf(device));
  const { body } = await owner.get<{ id: string }[]>(
    `/applications/${owner.id}/${application}/hooks/${hook}/deliveries`,
  );
  const query = encodeURIComponent('{"size":5,"aggs":{"by":{"terms":{"field":"data.state"}}}}');
  return {
    token: owner.token!,
    paths: {
      Overview: '/',
      Devices: '/devices',
      'A device': `/devices/${device}`,
      Dashboards: '/dashboards',
      'A dashboard': `/dashboards/${application}`,
      Alerts: '/alerts',
      'Alert rules': '/alerts/rules',
      'An alert rule': `/alerts/rules/${application}/${rule}`,
      Live: '/live',
      'Explore by chart': '/explore?variable=temperature',
      'Explore by query': `/explore?by=query&query=${query}`,
      Products: '/products',
      'A product': `/products/${product}?frame=0441ac0000`,
      Hooks: '/hooks',
      'A hook': `/hooks/${application}/${hook}`,
      'A delivery': `/hooks/${application}/${hook}/${body[0]!.id}`,
      Applications: '/applications',
      'An application': `/applications/${application}`,
      Sites: '/sites',
      'A site': `/sites/${site}`,
      People: '/people',
      Audit: '/audit',
      Jobs: '/jobs',
      Usage: '/usage',
      Tokens: '/tokens',
      'Network servers': '/network-servers',
    },
  };
};

/** Waits until a screen shows its data. */
export const loaded = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Parts of a screen may load at the same time or one after the other.
  const loading = page.getByRole('status', { name: 'Loading' });
  while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
};
