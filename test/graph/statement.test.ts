import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { getMetadataStorage } from 'type-graphql';
import { createVault } from '#calls/vault.js';
import { sealAuthentication } from '#hooks/authentication.js';
import { useWorld, type World } from '../support/world.js';
import { fillOrganization } from './fleet.js';

const secretKeys = ['a key for tests'];
const world = useWorld({ secretKeys });

/** Selection of an edge. Its page has one item, so that the query stays below the cost limit with 100 parents. */
const one = '(limit: 1) { totalCount items { id } }';
const sites = (selection: string) =>
  `sites(organizationId: $o, limit: 40, kind: "building") { items { ${selection} } } latest(organizationId: $o, deviceIds: $d) { deviceId }`;
const connection = '(first: 1) { totalCount edges { cursor node { id } } pageInfo { hasNextPage } }';
const applications = (selection: string) => `applications(limit: 100) { items { ${selection} } }`;
const devices = (selection: string) => `devices(limit: 100) { items { ${selection} } }`;
const hooks = (selection: string) => applications(`hooks(limit: 1) { items { ${selection} } }`);
const deliveries = (selection: string) => applications(`deliveries(limit: 1) { items { ${selection} } }`);
const records = (selection: string) => devices(`records(limit: 1) { items { ${selection} } }`);
const edges: Record<string, string> = {
  'Organization.members': `members${one}`,
  'Organization.teams': `teams${one}`,
  'Organization.products': `products${one}`,
  'Organization.devices': `devices${one}`,
  'Organization.applications': `applications${one}`,
  'Organization.tokens': `tokens${one}`,
  'Organization.activity': 'activity { ts stored }',
  'Organization.jobs': `jobs${one}`,
  'Organization.episodes': `episodes${one}`,
  'User.role': 'teams(limit: 100) { items { members(limit: 1) { items { role } } } }',
  'User.teams': `members(limit: 100) { items { id role teams${one} } }`,
  'User.tokens': `members(limit: 100) { items { tokens${one} } }`,
  'Team.members': `teams(limit: 100) { items { members${one} } }`,
  'Team.applications': `teams(limit: 100) { items { applications${one} } }`,
  'Team.grants': 'teams(limit: 100) { items { grants(limit: 1) { totalCount items { permission } } } }',
  'Team.organization': 'teams(limit: 100) { items { organization { name memberCount role } } }',
  'TeamGrant.application': 'teams(limit: 100) { items { grants(limit: 1) { items { application { name } } } } }',
  'TeamGrant.team': applications('grants(limit: 1) { items { team { name } } }'),
  'Product.recordedVariables': 'products(limit: 100) { items { recordedVariables { name words } } }',
  'Product.devices': `products(limit: 100) { items { devices${one} } }`,
  'Product.organization': 'products(limit: 100) { items { organization { memberCount } } }',
  'Product.applications': `products(limit: 100) { items { applications${one} } }`,
  'User.applications': `members(limit: 100) { items { applications${one} } }`,
  'Team.history': `teams(limit: 100) { items { history${one} } }`,
  'Product.history': `products(limit: 100) { items { history${one} } }`,
  'Application.history': applications(`history${one}`),
  'Device.history': devices(`history${one}`),
  'Hook.history': hooks(`history${one}`),
  'Device.deliveries': devices(`deliveries${one}`),
  'Device.product': devices('product { name deviceCount variables { name } }'),
  'Device.applications': devices(`applications${one}`),
  'Device.lastRecordAt': devices('lastRecordAt'),
  'Device.latest': devices('latest { name ts value unit }'),
  'Device.records': devices('records(limit: 1) { totalCount endCursor items { id } }'),
  'Device.series': devices('series(variables: ["temperature"], points: 10) { name ts values }'),
  'Device.attributeVersions': devices('attributeVersions(name: "offset") { validFrom value }'),
  'Device.attributeNames': devices('attributeNames'),
  'Device.attributes': devices('attributes { name value }'),
  'Device.meterExchanges': devices('meterExchanges { variable ts }'),
  'Device.state': devices('state { name desired reported }'),
  'Device.commands': devices('commands(limit: 1) { totalCount items { id } }'),
  'Command.evidence': devices('commands(limit: 1) { items { evidence { kind } } }'),
  'Command.device': devices('commands(limit: 1) { items { device { name } } }'),
  'Device.site': devices('site { name }'),
  'Device.sites': devices('sites(limit: 1) { totalCount items { startedAt } }'),
  'DeviceSite.site': devices('sites(limit: 1) { items { site { name } } }'),
  'Device.states': devices('states(variables: ["temperature"], points: 10) { name ts values }'),
  'Device.clockAhead': devices('clockAhead'),
  'Device.organization': devices('organization { memberCount }'),
  'LatestValue.typed': devices('latest { typed { ... on NumberValue { number } } }'),
  'Record.applications': records('applications(limit: 1) { totalCount items { name } }'),
  'Record.device': records('device { serial }'),
  'Record.product': records('product { name }'),
  'Record.values': records('values { name unit typed { __typename } }'),
  'Application.activity': applications('activity { ts stored }').replace('limit: 100', 'limit: 40'),
  'Application.devices': applications(`devices${one}`),
  'Application.devicesConnection': applications(`devicesConnection${connection}`),
  'Application.hooksConnection': applications(`hooksConnection${connection}`),
  'Application.deliveriesConnection': applications(`deliveriesConnection${connection}`),
  'Application.recordsConnection': applications(`recordsConnection${connection}`),
  'Device.applicationsConnection': devices(`applicationsConnection${connection}`),
  'Application.products': applications(`products${one}`),
  'Application.alertRules': applications(`alertRules${one}`),
  'Application.groupSeries': `applications(limit: 40) { items { groupSeries(variable: "temperature") { ts values } } }`,
  'Application.series': `applications(limit: 40) { items { series(variables: ["temperature"], points: 10) { name ts } } }`,
  'Application.teams': applications(`teams${one}`),
  'Application.grants': applications('grants(limit: 1) { totalCount items { permission } }'),
  'Application.hooks': applications(`hooks${one}`),
  'Application.deliveries': applications(`deliveries${one}`),
  'Application.records': applications('records(limit: 1) { totalCount endCursor items { id } }'),
  'Application.organization': applications('organization { memberCount }'),
  'Application.dashboard': applications('dashboard { version document }'),
  'Application.dashboardLinks': applications('dashboardLinks { name }'),
  'Dashboard.updatedBy': applications('dashboard { updatedBy { username } }'),
  'Hook.application': hooks('application { name }'),
  'Hook.deliveries': hooks(`deliveries${one}`),
  'Hook.authentication': hooks('authentication { basic { user } }'),
  'HookHeader.value': hooks('authentication { header { name value } }'),
  'Hook.settings': hooks('settings { circuit }'),
  'Hook.activity': hooks('activity { ts succeeded p50 }').replace('limit: 100', 'limit: 40'),
  'Hook.stats': hooks('stats { pending }'),
  'Application.openEpisodeCount': applications('openEpisodeCount'),
  'Device.openEpisodes': devices(`openEpisodes${one}`),
  'Episode.device': 'episodes(limit: 100) { items { device { serial } } }',
  'Episode.alertRule': 'episodes(limit: 100) { items { alertRule { name } } }',
  'Episode.mails': 'episodes(limit: 100) { items { mails { address sentAt } } }',
  'Episode.calls': 'episodes(limit: 100) { items { calls { __typename } } }',
  'AlertRule.undecided': applications('alertRules(limit: 1) { items { undecided { deviceCount } } }'),
  'AlertRule.recipientStates': applications('alertRules(limit: 1) { items { recipientStates { address } } }'),
  'Delivery.application': deliveries('application { name }'),
  'Delivery.hook': deliveries('hook { url }'),
  'Delivery.device': deliveries('device { serial }'),
  'Delivery.record': deliveries('record { ts }'),
  'Job.organization': 'jobs(limit: 100) { items { organization { name } } }',
  'ApiToken.user': 'tokens(limit: 100) { items { user { username } } }',
  'ApiToken.organization': 'tokens(limit: 100) { items { organization { name } } }',
};

/** Edges that are reached from an operation's arguments instead of a list of parents, with at most 100 devices. */
const fromDevices: Record<string, string> = {
  'Site.groupSeries': sites('groupSeries(variable: "temperature") { ts values }'),
  'Site.organization': sites('organization { memberCount }'),
  'Site.parent': sites('parent { name }'),
  'Site.attributeVersions': sites('attributeVersions(name: "area") { validFrom value }'),
  'Site.attributeNames': sites('attributeNames'),
  'Site.attributes': sites('attributes { name value }'),
  'Site.children': sites(`children${one}`),
  'Site.devices': sites(`devices${one}`),
  'DeviceLatest.device': 'latest(organizationId: $o, deviceIds: $d) { device { serial } values { name value } }',
  'Series.device':
    'series(organizationId: $o, deviceIds: $d, variables: ["temperature"], points: 10) { device { serial } ts }',
};

/** A search runs once per application, as its cost says; the others are computed from the row. */
const without = [
  // Parts of a row that is read already.
  'ProductSettings.variables',
  'ProductSettings.derived',
  'ProductSettings.commands',
  'ProductSettings.state',
  'ProductSettings.version',
  // A loader reads this edge, below a list that has no parent.
  'Session.user',
  'Application.search',
  // An import never appears in a list.
  'FileImport.job',
  // Only events of a subscription have these edges.
  'CommandsUpdated.commands',
  'DevicesChanged.devices',
  'TeamMemberListItem.avatarURL',
  'Organization.memberCount',
  // A request has only one viewer.
  'Viewer.application',
  'Viewer.mqtt',
  'Organization.role',
];

/** Returns every field that has a resolver, except operations. */
const resolved = (): string[] => {
  const { fieldResolvers, resolverClasses, objectTypes } = getMetadataStorage();
  return fieldResolvers.flatMap(({ kind, target, schemaName }) => {
    const type = resolverClasses.find((each) => each.target === target)?.getObjectType?.();
    const name = objectTypes.find((each) => each.target === type)?.name;
    return kind === 'external' ? [`${name}.${schemaName}`] : [];
  });
};

const dashboards: Record<string, string> = {
  'the fleet at a glance': `devices(limit: 100) { totalCount items { name serial product { name } latest { name value }
    applications(limit: 3) { totalCount items { name } } } }`,
  'who may see what': `members(limit: 100) { items { username role teams(limit: 2) { items { name
    grants(limit: 2) { items { permission application { name } } } } } } }`,
  'the health of hooks': `applications(limit: 100) { items { name hooks(limit: 2) { items { url disabled stats { pending successRate }
    settings { circuit } deliveries(limit: 2) { items { successful device { serial } } } } } } }`,
  'products in use': `products(limit: 100) { items { name deviceCount devices(limit: 3) { totalCount items { serial
    applications(limit: 2) { items { name } } } } } }`,
  'everything of a screen': `name memberCount teams { items { name members { items { username } } } }
    applications(limit: 100) { items { name teams(limit: 2) { items { name } } devices(limit: 3) { items { serial product { name } } } } }`,
};

/** Records the statements sent, except those of background work: jobs, deliveries, quotas and upkeep. */
const sent: string[] = [];
const byItself =
  /update job|from job where|delivery_partition|delivery_open|with ripe|record_key|record_summary|record_sweep|record_recompute|retention|pg_try_advisory|deleted_hook|claim|usage_delta|with ahead|alert_(?!rule)|event_notice|from command where (?:open|id <)|delete from (?:episode|session|sign_in_|invitation)/;
const { query } = pg.Client.prototype;

type OrganizationActor = Awaited<ReturnType<World['organization']>>;

let single: OrganizationActor;
let hundred: OrganizationActor;

beforeAll(async () => {
  single = await world.organization();
  hundred = await world.organization();
  await fillOrganization(world.pool, single.id, 1);
  await fillOrganization(world.pool, hundred.id, 100);
  for (const { id } of [single, hundred]) await addHeaders(id);
  await addSites(single.id, 1);
  await addSites(hundred.id, 40);
  for (const { id } of [single, hundred]) await addCommands(id);
  await world.pool.query('analyze');
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]): unknown {
      const [first] = args;
      const text = typeof first === 'string' ? first : (first as { text: string }).text;
      if (!byItself.test(text)) sent.push(text.trim());
      return Reflect.apply(query, this, args);
    },
  });
});
afterAll(() => {
  Object.assign(pg.Client.prototype, { query });
});

/** Adds a command with evidence, and a state, to each device. */
async function addCommands(organizationId: string): Promise<void> {
  await world.pool.query(
    `with sent as (
       insert into command (id, organization_id, device_id, name, confirmed, secret, expires_at, open)
       select gen_random_uuid(), organization_id, id, 'raw', false, false, now(), false from device where organization_id = $1
       returning id
     ), noted as (
       insert into command_evidence (command_id, source, kind) select id, 'service', 'expired' from sent
     )
     insert into device_state (organization_id, device_id, name, desired)
     select organization_id, id, 'setPoint', '1' from device where organization_id = $1`,
    [organizationId],
  );
}

/** Creates buildings below a site, with a floor and a device in each. */
const addSites = (organizationId: string, count: number) =>
  world.pool.query(
    `with top as (
       insert into site (id, organization_id, path, name, created_at, updated_at)
       select id, $1, array[id], 'Campus', now(), now() from (select gen_random_uuid() as id) s returning id
     ), building as (
       insert into site (id, organization_id, parent_id, path, name, kind, created_at, updated_at)
       select s.id, $1, t.id, array[t.id, s.id], 'Building', 'building', now(), now()
       from top t cross join (select gen_random_uuid() as id from generate_series(1, $2)) s returning id, path
     ), floor as (
       insert into site (id, organization_id, parent_id, path, name, created_at, updated_at)
       select s.floor, $1, s.id, s.path || s.floor, 'Floor', now(), now()
       from (select id, path, gen_random_uuid() as floor from building) s
     )
     insert into device_site (organization_id, device_id, site_id, started_at)
     select $1, d.id, b.id, now() from (select id, row_number() over () as n from building) b
     join (select id, row_number() over () as n from device where organization_id = $1) d using (n)`,
    [organizationId, count],
  );

/** Gives every hook of an organization a header. The value is encrypted, so SQL alone cannot make it. */
async function addHeaders(organizationId: string): Promise<void> {
  const vault = createVault(secretKeys);
  const stored = await world.pool.query<{ id: string }>('select id from hook where organization_id = $1', [
    organizationId,
  ]);
  for (const { id } of stored.rows) {
    const none = { id, basicUser: null, basicPass: null, headerName: null, headerValue: null };
    const { headerName, headerValue } = sealAuthentication(vault, none, { header: { name: 'X-Key', value: 'secret' } });
    const values = [id, headerName, headerValue];
    await world.pool.query('update hook set header_name = $2, header_value = $3 where id = $1', values);
  }
}

const statements = (owner: OrganizationActor, selection: string): Promise<string[]> =>
  statementsOf(owner, `query ($o: ID!) { organization(organizationId: $o) { ${selection} } }`);

async function statementsOf(owner: OrganizationActor, query: string): Promise<string[]> {
  const { rows } = await world.pool.query<{ id: string }>('select id from device where organization_id = $1', [
    owner.id,
  ]);
  const d = rows.map(({ id }) => id);
  sent.length = 0;
  const { body } = await owner.graph(query, { o: owner.id, ...(query.includes('$d') && { d }) });
  expect(body.errors).toBeUndefined();
  // Statements that the service sends on a timer do not belong to the call.
  return sent.filter((text) => /^(select|with)/.test(text) && !text.includes('from index_move')).sort();
}

describe('number of SQL statements for 100 parents', () => {
  it.each(Object.entries(edges))('equals that for one parent along %s', async (_edge, selection) => {
    const few = await statements(single, selection);
    const many = await statements(hundred, selection);
    expect(many).toEqual(few);
    expect(few.length).toBeGreaterThan(2);
  });

  it.each(Object.entries(fromDevices))(
    'equals that for one parent when devices are named, along %s',
    async (_edge, selection) => {
      const query = `query ($o: ID!, $d: [ID!]!) { ${selection} }`;
      const few = await statementsOf(single, query);
      expect(await statementsOf(hundred, query)).toEqual(few);
      expect(few.length).toBeGreaterThan(2);
    },
  );

  it('has a test for every edge of the schema', () => {
    const known = new Set([...Object.keys(edges), ...Object.keys(fromDevices), ...without]);
    expect(resolved().filter((edge) => !known.has(edge))).toEqual([]);
  });

  it.each(Object.entries(dashboards))('equals that for one parent on a dashboard: %s', async (_name, selection) => {
    const few = await statements(single, selection);
    const many = await statements(hundred, selection);
    expect(many).toEqual(few);
  });
});
