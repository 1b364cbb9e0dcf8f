import { minuteSeconds } from '#common/time.js';
import type { AccountActor, World } from '../support/world.js';

/** Saves a dashboard with these panels as the next version. */
export const saveDashboard = async (
  owner: AccountActor,
  application: string,
  panels: readonly object[],
  variables: readonly object[] = [{ name: 'site', kind: 'tag' }],
) => {
  const names = { o: owner.id, a: application };
  const read =
    'query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) { dashboard { version } } }';
  const { body } = await owner.graph(read, names);
  const write =
    'mutation ($o: ID!, $a: ID!, $version: Int!, $document: JSON!) { updateDashboard(organizationId: $o, applicationId: $a, version: $version, document: $document) { version } }';
  const { version } = body.data!['application'].dashboard;
  const document = { format: 1, range: '24h', variables, panels };
  const saved = await owner.graph(write, { ...names, version, document });
  if (saved.body.errors !== undefined) throw new Error(JSON.stringify(saved.body.errors));
};

const roomVariables: readonly object[] = [
  { name: 'temperature', unit: '°C', type: 'FLOAT32' },
  { name: 'door', unit: 'closed/open', type: 'BOOL' },
  { name: 'state', type: 'TXT' },
];

/**
 * Creates an organization with two cold rooms that send every five minutes for a day. The second was silent for some
 * hours. Their application has a dashboard without panels.
 */
export const coldRooms = async (world: World, hasDashboard = true, variables = roomVariables) => {
  const owner = await world.organization();
  const organization = `/organizations/${owner.id}`;
  const product = await owner.make(`${organization}/products`, { name: 'Cold room', version: '1', variables });
  const application = await owner.make(`${organization}/applications`, { name: 'Cold rooms', hasDashboard });
  const now = Math.floor(Date.now() / 1000);
  const devices: string[] = [];
  for (const [serial, name, tag, warmth] of [
    ['c0-01', 'Freezer', 'lyon', -18],
    ['c0-02', 'Larder', 'porto', 6],
  ] as const) {
    const device = { name, tags: [tag], product: { id: product }, location: { lat: 45, lon: warmth } };
    const id = await owner.make(`${organization}/devices/${serial}`, device);
    await owner.put(`/applications/${owner.id}/${application}/devices/${id}`);
    devices.push(id);
    const ages = Array.from({ length: 250 }, (_, index) => index * 5 * minuteSeconds);
    const heard = ages.filter((age) => serial === 'c0-01' || age < 6 * 3600 || age > 9 * 3600);
    await owner.post(
      `${organization}/records`,
      heard.map((age) => ({
        serial,
        ts: now - age,
        data: {
          temperature: warmth + (age % 1500) / 500,
          door: age % 7200 < 1800,
          state: age < 36_000 ? 'ok' : 'service',
        },
      })),
    );
  }
  return { owner, application, devices, now, address: `${world.url}/console/dashboards/${application}` };
};
