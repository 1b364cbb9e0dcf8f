import type { Graph } from './client.js';
import type { Values } from './document.js';

/** A stored thing with the key that a tool gave it. */
export interface Thing {
  id: string;
  externalId: string | null;
  slug: string;
  values: Values;
}

/** A product with the number of devices that use it. A public product cannot be deleted. */
export interface StoredProduct extends Thing {
  deviceCount: number;
  public: boolean;
}

export interface StoredApplication extends Thing {
  hooks: Thing[];
  alertRules: Thing[];
  dashboard: Dashboard | null;
}

/** A site with its place in the tree. The value `parent` is an identifier. */
export interface StoredSite extends Thing {
  level: number;
}

export interface StoredTeam {
  id: string;
  name: string;
  description: string | null;
  members: Member[];
  grants: Grant[];
}

export interface StoredDevice {
  id: string;
  serial: string;
  values: Values;
  productId: string | null;
  applicationIds: string[];
}

/** Things that an organization has. */
export interface State {
  products: StoredProduct[];
  applications: StoredApplication[];
  sites: StoredSite[];
  teams: StoredTeam[];
  /** Members of the organization; absent unless they were asked for. */
  members?: Member[];
  /** Devices; absent unless they were asked for. */
  devices?: StoredDevice[];
}

/** A dashboard; version 0 was never saved. */
export interface Dashboard {
  version: number;
  document: Values;
}

export interface Member {
  id: string;
  username: string;
}

interface Grant {
  permission: string;
  application: { id: string };
}

const hookFields = `id externalId url allowUnverifiedSSLCert disabled
  settings { concurrency maxPerSecond ordered events filter { products tags query } }`;
const conditionFields = '{ all { variable operator value } any { variable operator value } query }';
const ruleFields = `id externalId name kind severity disabled products tags sites when ${conditionFields} until ${conditionFields}
  for maxGap closeAfter silentFor variable unsettledFor stateName recipients`;
const lists = {
  products: [
    50,
    `id externalId slug deviceCount public name version
     variables { name unit type mappings { streamId streamType varNumber } }
     settings { variables { name counter { rollsOverAt jitter } words { value word } decimals } derived { name unit type formula }
       commands { name parameters { name type unit } streamId streamType confirmed secret } state { name type unit } }`,
  ],
  applications: [
    50,
    `id externalId slug name description hasDashboard dashboard { version document }
     hooks(limit: 100) { items { ${hookFields} } }
     alertRules(limit: 100) { items { ${ruleFields} } }`,
  ],
  sites: [200, 'id externalId name kind timeZone location { lat lon } parentId path attributes { name value }'],
  teams: [
    10,
    `id name description members(limit: 500) { totalCount items { id username } }
     grants(limit: 500) { totalCount items { permission application { id } } }`,
  ],
  organizationMembers: [500, 'id username'],
  // Each may have 50 attributes, which count towards the cost of a request.
  devices: [
    200,
    `id serial name tags location { lat lon } product { id } site { id } attributes { name value }
     applications(limit: 20) { totalCount items { id } }`,
  ],
} as const;

type Keyed = { id: string; externalId: string | null; slug: string } & Values;

interface Page<Item> {
  items: Item[];
  totalCount: number;
}

/** The type of each list's rows. */
interface Rows {
  products: Keyed & { deviceCount: number; public: boolean };
  applications: Keyed & {
    dashboard: Dashboard | null;
    alertRules: { items: Omit<Keyed, 'slug'>[] };
    hooks: { items: (Omit<Keyed, 'slug'> & { settings: Values })[] };
  };
  sites: {
    id: string;
    externalId: string | null;
    name: string;
    parentId: string | null;
    path: string[];
    attributes: { name: string; value: unknown }[];
  } & Values;
  teams: { id: string; name: string; description: string | null; members: Page<Member>; grants: Page<Grant> };
  organizationMembers: Member;
  devices: {
    id: string;
    serial: string;
    product: { id: string } | null;
    site: { id: string } | null;
    attributes: { name: string; value: unknown }[];
    applications: Page<{ id: string }>;
  } & Values;
}

/** Reads all pages of a list. */
async function readAll<Name extends keyof Rows>(
  graph: Graph,
  organizationId: string,
  name: Name,
): Promise<Rows[Name][]> {
  const [limit, fields] = lists[name];
  const query = `query ($o: ID!, $page: Int!) {
    page: ${name}(organizationId: $o, limit: ${limit}, page: $page, sort: "id") { items { ${fields} } } }`;
  const rows: Rows[Name][] = [];
  for (let page = 1; ; page++) {
    const answer = await graph.ask<{ page: { items: Rows[Name][] } }>(query, { o: organizationId, page });
    rows.push(...answer.page.items);
    if (answer.page.items.length < limit) return rows;
  }
}

/** Lists to read beside products, applications and teams. */
export interface Reading {
  /** There may be many devices. */
  devices: boolean;
  members: boolean;
}

/** Reads the organization's things. */
export async function readState(graph: Graph, organizationId: string, reading: Reading): Promise<State> {
  const products = (await readAll(graph, organizationId, 'products')).map(
    ({ deviceCount, public: isPublic, ...row }) => ({ ...thingOf(row as Keyed), deviceCount, public: isPublic }),
  );
  const applications = (await readAll(graph, organizationId, 'applications')).map(
    ({ hooks, alertRules, dashboard, ...row }) => ({
      ...thingOf(row as Keyed),
      dashboard,
      alertRules: alertRules.items.map((rule) => thingOf({ ...rule, slug: 'rule' } as Keyed)),
      hooks: hooks.items.map(({ settings, ...hook }) => thingOf({ ...hook, ...settings, slug: 'hook' } as Keyed)),
    }),
  );
  const sites = (await readAll(graph, organizationId, 'sites')).map(({ id, externalId, parentId, path, ...row }) => ({
    ...thingOf({
      ...row,
      attributes: valuesByName(row.attributes),
      id,
      externalId,
      slug: slugOf(row.name),
      parent: parentId,
    }),
    level: path.length,
  }));
  const teams = (await readAll(graph, organizationId, 'teams')).map(({ members, grants, ...team }) => ({
    ...team,
    members: whole(members, `members of the team ${team.name}`),
    grants: whole(grants, `applications of the team ${team.name}`),
  }));
  const names = new Set(teams.map(({ name }) => name));
  if (names.size < teams.length) throw new Error('Several teams have the same name: rename one of them first.');
  return {
    products,
    applications,
    sites,
    teams,
    ...(reading.members && { members: await readAll(graph, organizationId, 'organizationMembers') }),
    ...(reading.devices && { devices: (await readAll(graph, organizationId, 'devices')).map(deviceOf) }),
  };
}

const thingOf = ({ id, externalId, slug, ...values }: Keyed): Thing => ({ id, externalId, slug, values });

/** Returns a key that a site without one gets in a file. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'site';

/** Returns the values of attributes by their names. */
const valuesByName = (attributes: readonly { name: string; value: unknown }[]): Values =>
  Object.fromEntries(attributes.map(({ name, value }) => [name, value]));

const deviceOf = ({
  id,
  serial,
  product,
  site,
  attributes,
  applications,
  ...values
}: Rows['devices']): StoredDevice => ({
  id,
  serial,
  values: {
    ...values,
    site: site?.id ?? null,
    attributes: valuesByName(attributes),
  },
  productId: product?.id ?? null,
  applicationIds: whole(applications, `applications of the device ${serial}`).map((each) => each.id),
});

const whole = <Item>({ items, totalCount }: Page<Item>, what: string): Item[] => {
  if (totalCount > items.length) throw new Error(`There are too many ${what}.`);
  return items;
};
