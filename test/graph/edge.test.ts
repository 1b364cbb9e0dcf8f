import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { setPublic } from '#operator/product.js';
import { type AccountActor, useWorld, type World } from '../support/world.js';

const world = useWorld();
let owner: Awaited<ReturnType<World['organization']>>;
let ids: Record<string, string>;

/** Creates two of everything, so that an edge that returns another parent's list, or all objects, is noticed. */
beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const variables = [{ name: 'temperature', type: 'FLOAT32' }];
  const [productId, otherProductId] = [
    await owner.make(`${at}/products`, { name: 'Used', version: '1', variables }),
    await owner.make(`${at}/products`, { name: 'Other', version: '1', variables }),
  ];
  const deviceId = await owner.make(`${at}/devices/aa-01`, { product: { id: productId } });
  await owner.make(`${at}/devices/aa-02`, { product: { id: otherProductId } });
  const [applicationId, otherApplicationId] = [
    await owner.make(`${at}/applications`, { name: 'First' }),
    await owner.make(`${at}/applications`, { name: 'Second' }),
  ];
  const application = `/applications/${owner.id}/${applicationId}`;
  await owner.put(`${application}/devices/${deviceId}`);
  const hookId = await owner.make(`${application}/hooks`, { url: 'http://127.0.0.1:9/' });
  await owner.make(`/applications/${owner.id}/${otherApplicationId}/hooks`, { url: 'http://127.0.0.1:9/other' });
  const member = await world.member(owner, Role.member);
  const teamId = await owner.make(`${at}/teams`, { name: 'With' });
  await owner.make(`${at}/teams`, { name: 'Without' });
  await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
  await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
  await owner.post(`${at}/records`, [
    { serial: 'aa-01', ts: 1_700_000_000, data: { temperature: 1 } },
    { serial: 'aa-02', ts: 1_700_000_000, data: { temperature: 2 } },
  ]);
  const jobId = await owner.make(`/products/${owner.id}/${productId}/redecode`);
  ids = { o: owner.id, productId, deviceId, applicationId, hookId, teamId, memberId: member.id, jobId };
});

const one = async (query: string, actor: AccountActor = owner) => {
  const { body } = await actor.graph(query.replaceAll(/\$(\w+)/g, (_, name: string) => JSON.stringify(ids[name])));
  expect(body.errors).toBeUndefined();
  return body.data!;
};

const page = '{ totalCount items { id } }';
const application = 'application(organizationId: $o, applicationId: $applicationId)';
const device = 'device(organizationId: $o, deviceId: $deviceId)';
const ledger = (filter = '') =>
  `applicationHookLedger(organizationId: $o, applicationId: $applicationId, applicationHookId: $hookId${filter})`;

/** Each edge with the root query for the same list; both are aliased `list`. */
const pairs: Record<string, [edge: string, root: string]> = {
  'Organization.teams, of account': [
    `{ account { list: teams ${page} } }`,
    `{ list: teams(organizationId: $o) ${page} }`,
  ],
  'Organization.teams': [
    `{ organization(organizationId: $o) { list: teams ${page} } }`,
    `{ list: teams(organizationId: $o) ${page} }`,
  ],
  ...Object.fromEntries(
    ['members:organizationMembers', 'products', 'devices', 'applications', 'tokens:apiTokens'].map((names) => {
      const [edge, root = edge] = names.split(':');
      return [
        `Organization.${edge}`,
        [`{ account { list: ${edge} ${page} } }`, `{ list: ${root}(organizationId: $o) ${page} }`] as [string, string],
      ];
    }),
  ),
  'Organization.jobs': [
    `{ account { list: jobs { items { id } } } }`,
    '{ list: job(organizationId: $o, jobId: $jobId) { id } }',
  ],
  'Team.members': [
    `{ team(organizationId: $o, teamId: $teamId) { list: members ${page} } }`,
    `{ list: teamMembers(organizationId: $o, teamId: $teamId) ${page} }`,
  ],
  'Team.applications': [
    `{ team(organizationId: $o, teamId: $teamId) { list: applications ${page} } }`,
    `{ list: teamApplications(organizationId: $o, teamId: $teamId) ${page} }`,
  ],
  'Product.devices': [
    `{ product(organizationId: $o, productId: $productId) { list: devices ${page} } }`,
    `{ list: devices(organizationId: $o, productId: $productId) ${page} }`,
  ],
  'Product.applications': [
    `{ product(organizationId: $o, productId: $productId) { list: applications ${page} } }`,
    `{ list: applications(organizationId: $o, ids: [$applicationId]) ${page} }`,
  ],
  'Device.applications': [
    `{ ${device} { list: applications ${page} } }`,
    `{ list: applications(organizationId: $o, ids: [$applicationId]) ${page} }`,
  ],
  'Device.deliveries': [
    `{ ${device} { list: deliveries ${page} } }`,
    `{ list: ${ledger(', deviceId: $deviceId')} ${page} }`,
  ],
  'Device.latest': [
    `{ ${device} { list: latest { name value ts } } }`,
    '{ latest(organizationId: $o, deviceIds: [$deviceId]) { list: values { name value ts } } }',
  ],
  'Device.series': [
    `{ ${device} { list: series(variables: ["temperature"], from: 1699999000, to: 1700001000) { name values ts } } }`,
    '{ list: series(organizationId: $o, deviceIds: [$deviceId], variables: ["temperature"], from: 1699999000, to: 1700001000) { name values ts } }',
  ],
  'Device.records': [`{ ${device} { list: records ${page} } }`, `{ ${application} { list: records ${page} } }`],
  'Application.devices': [
    `{ ${application} { list: devices ${page} } }`,
    `{ list: applicationDevices(organizationId: $o, applicationId: $applicationId) ${page} }`,
  ],
  'Application.products': [
    `{ ${application} { list: products ${page} } }`,
    `{ list: products(organizationId: $o, q: "Used") ${page} }`,
  ],
  'Application.series': [
    `{ ${application} { list: series(variables: ["temperature"], from: 1699999000, to: 1700001000) { deviceId name ts values } } }`,
    '{ list: series(organizationId: $o, applicationId: $applicationId, variables: ["temperature"], from: 1699999000, to: 1700001000) { deviceId name ts values } }',
  ],
  'Application.groupSeries': [
    `{ ${application} { list: groupSeries(variable: "temperature", from: 1699999000, to: 1700001000) { key ts values devices expected } } }`,
    '{ list: groupSeries(organizationId: $o, over: { applicationId: $applicationId }, variable: "temperature", from: 1699999000, to: 1700001000) { key ts values devices expected } }',
  ],
  'Application.hooks': [
    `{ ${application} { list: hooks ${page} } }`,
    `{ list: applicationHooks(organizationId: $o, applicationId: $applicationId) ${page} }`,
  ],
  'Application.deliveries': [`{ ${application} { list: deliveries ${page} } }`, `{ list: ${ledger()} ${page} }`],
  'Application.teams': [
    `{ ${application} { list: teams ${page} } }`,
    `{ list: teams(organizationId: $o, q: "^With$") ${page} }`,
  ],
  'Hook.deliveries': [
    `{ applicationHook(organizationId: $o, applicationId: $applicationId, applicationHookId: $hookId) { list: deliveries ${page} } }`,
    `{ list: ${ledger()} ${page} }`,
  ],
  'User.teams': [
    `{ accounts(ids: [$memberId]) { items { list: teams ${page} } } }`,
    `{ list: teams(organizationId: $o, q: "^With$") ${page} }`,
  ],
  'OrganizationMember.applications': [
    `{ organizationMembers(organizationId: $o, role: member) { items { list: applications ${page} } } }`,
    `{ list: applications(organizationId: $o, ids: [$applicationId]) ${page} }`,
  ],
  'Record.applications': [
    `{ ${device} { records { items { list: applications ${page} } } } }`,
    `{ list: applications(organizationId: $o, ids: [$applicationId]) ${page} }`,
  ],
  'Delivery.record': [
    `{ ${application} { deliveries { items { list: record { id ts data } } } } }`,
    `{ ${device} { records { items { list: id ts data } } } }`,
  ],
};

/** Finds the value under the key `list` at any depth. */
function listIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('list' in value) return value.list;
  return Object.values(value)
    .map(listIn)
    .find((found) => found !== undefined);
}

const idsIn = (value: unknown) => JSON.stringify(value).match(/[0-9a-f]{8}-[0-9a-f-]{27}/g);

describe('GraphQL edge', () => {
  it.each(Object.entries(pairs))('returns the same as its root query: %s', async (name, [edge, root]) => {
    const [below, top] = [listIn(await one(edge)), listIn(await one(root))];
    // These two have another shape at the root, so only their identifiers are compared.
    if (name === 'Organization.jobs' || name === 'Delivery.record') {
      expect(idsIn(below)).not.toBeNull();
      expect(idsIn(below)).toEqual(idsIn(await one(root)) ?? idsIn(top));
    } else {
      expect(below).toEqual(top);
      expect(JSON.stringify(below)).toMatch(/"totalCount":[1-9]|"value":|"values":\[/);
    }
  });

  it('returns the organization of a job', async () => {
    const { job } = await one('{ job(organizationId: $o, jobId: $jobId) { organization { id } } }');
    expect(job.organization).toEqual({ id: owner.id });
  });
});

describe('device queries', () => {
  it('filters by identifiers in GraphQL, and returns 422 for them over REST', async () => {
    const { devices } = await one(`{ devices(organizationId: $o, ids: [$deviceId, "none", $productId]) ${page} }`);
    expect(devices).toEqual({ totalCount: 1, items: [{ id: ids['deviceId'] }] });
    const rest = await owner.get(`/organizations/${owner.id}/devices?ids=${ids['deviceId']}`);
    expect(rest.status).toBe(422);
  });

  it.each(['aa-01', 'AA01', 'a-a-0-1'])('finds a device by the serial %s', async (serial) => {
    const { deviceBySerial } = await one(
      `{ deviceBySerial(organizationId: $o, deviceSerial: "${serial}") { id name product { name } } }`,
    );
    expect(deviceBySerial).toMatchObject({ id: ids['deviceId'], product: { name: 'Used' } });
  });

  it('returns NOT_FOUND for the serial of a device that the caller cannot read', async () => {
    const member = await world.member(owner, Role.member);
    const query = `{ deviceBySerial(organizationId: "${owner.id}", deviceSerial: "aa-02") { id } }`;
    for (const actor of [member, await world.organization()]) {
      const { body } = await actor.graph(query);
      expect(body).toMatchObject({ data: { deviceBySerial: null }, errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    }
  });
});

it('shows no deliveries of a device to a member who may only read its application', async () => {
  const member = await world.member(owner, Role.member);
  await owner.put(`/teams/${owner.id}/${ids['teamId']}/members/${member.id}`);
  const { device: seen } = await one(`{ ${device} { deliveries ${page} records ${page} } }`, member);
  expect(seen).toMatchObject({ deliveries: { totalCount: 0, items: [] }, records: { totalCount: 1 } });
});

describe('product that is no longer public', () => {
  it('keeps its last public state for other organizations that use it', async () => {
    const other = await world.organization();
    const product = `/products/${owner.id}/${ids['productId']}`;
    const set = async (isPublic: boolean) => setPublic(world.pool, ids['productId']!, isPublic, new Date());
    await set(true);
    const deviceId = await other.make(`/organizations/${other.id}/devices/bb-01`, {
      product: { id: ids['productId'] },
    });
    const query = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) {
      product { name slug version updatedAt variables { name } } } }`;
    const seen = async (): Promise<object> =>
      (await other.graph(query, { o: other.id, d: deviceId })).body.data!.device.product;
    await owner.put(product, { name: 'Published', version: '2', variables: [{ name: 'a', type: 'BOOL' }] });
    expect(await seen()).toMatchObject({ name: 'Published', version: '2' });
    await set(false);
    const then = await seen();
    await owner.put(product, { name: 'Secret', version: '3', variables: [{ name: 'secret', type: 'BOOL' }] });
    expect(await seen()).toEqual(then);
    expect(then).toMatchObject({ name: 'Published', slug: 'published', version: '2', variables: [{ name: 'a' }] });
    const own = await owner.get<{ name: string }>(product);
    expect(own.body.name).toBe('Secret');
    await set(true);
    expect(await seen()).toMatchObject({ name: 'Secret', version: '3', variables: [{ name: 'secret' }] });
  });
});
