import type { Graph } from './client.js';
import { withProducts } from './dashboard.js';
import type { Configuration, Values } from './document.js';

/** A stored thing with the key that a tool gave it. */
export interface Thing {
  id: string;
  externalId: string | null;
  slug: string;
  values: Values;
}

/** Things that an organization has. */
export interface State {
  products: Thing[];
  applications: (Thing & { hooks: Thing[]; dashboard: Dashboard | null })[];
  teams: { id: string; name: string; description: string | null; members: Member[]; grants: Grant[] }[];
  devices?: { id: string; serial: string; values: Values; productId: string | null; applicationIds: string[] }[];
}

/** A dashboard; version 0 was never saved. */
interface Dashboard {
  version: number;
  document: Values;
}

interface Member {
  id: string;
  username: string;
}
interface Grant {
  permission: string;
  application: { id: string };
}

const productFields =
  'id externalId slug name version variables { name unit type mappings { streamId streamType varNumber } }';
const hookFields = `id externalId url allowUnverifiedSSLCert disabled
  settings { concurrency maxPerSecond ordered events filter { products tags query } }`;
const lists = {
  products: [50, productFields],
  applications: [
    50,
    `id externalId slug name description hasDashboard dashboard { version document }
     hooks(limit: 100) { items { ${hookFields} } }`,
  ],
  teams: [
    10,
    `id name description members(limit: 500) { totalCount items { id username } }
     grants(limit: 500) { totalCount items { permission application { id } } }`,
  ],
  devices: [
    500,
    `id serial name tags location { lat lon } product { id }
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
  products: Keyed;
  applications: Keyed & {
    dashboard: Dashboard | null;
    hooks: { items: (Omit<Keyed, 'slug'> & { settings: Values })[] };
  };
  teams: { id: string; name: string; description: string | null; members: Page<Member>; grants: Page<Grant> };
  devices: {
    id: string;
    serial: string;
    product: { id: string } | null;
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

/** Reads the organization's things. Devices are read on request only, because there may be many. */
export async function readState(graph: Graph, organizationId: string, withDevices: boolean): Promise<State> {
  const products = (await readAll(graph, organizationId, 'products')).map(thingOf);
  const applications = (await readAll(graph, organizationId, 'applications')).map(({ hooks, dashboard, ...row }) => ({
    ...thingOf(row as Keyed),
    dashboard,
    hooks: hooks.items.map(({ settings, ...hook }) => thingOf({ ...hook, ...settings, slug: 'hook' } as Keyed)),
  }));
  const teams = (await readAll(graph, organizationId, 'teams')).map(({ members, grants, ...team }) => ({
    ...team,
    members: whole(members, `members of the team ${team.name}`),
    grants: whole(grants, `applications of the team ${team.name}`),
  }));
  const names = new Set(teams.map(({ name }) => name));
  if (names.size < teams.length) throw new Error('Several teams have the same name: rename one of them first.');
  if (!withDevices) return { products, applications, teams };
  const rows = await readAll(graph, organizationId, 'devices');
  const devices = rows.map(({ id, serial, product, applications: linked, ...values }) => ({
    id,
    serial,
    values: values as Values,
    productId: product?.id ?? null,
    applicationIds: whole(linked, `applications of the device ${serial}`).map((each) => each.id),
  }));
  return { products, applications, teams, devices };
}

const thingOf = ({ id, externalId, slug, ...values }: Keyed): Thing => ({ id, externalId, slug, values });

const whole = <Item>({ items, totalCount }: Page<Item>, what: string): Item[] => {
  if (totalCount > items.length) throw new Error(`There are too many ${what}.`);
  return items;
};

/** Chooses the key of a thing in a document; undefined leaves the thing out. */
export type KeyOf = (thing: Thing) => string | undefined;

/** Writes a state as a document. */
export function documentOf(state: State, keyOf: KeyOf): Configuration & Required<Omit<Configuration, 'devices'>> {
  const keys = new Map([...state.products, ...state.applications].map((each) => [each.id, keyOf(each) ?? each.id]));
  /** `tidy` removes empty values from `valuesOf`, but not from `asTheyAre`. */
  const keyed = (
    things: readonly Thing[],
    valuesOf: (thing: never) => Values,
    asTheyAre: (thing: never) => Values = () => ({}),
  ) =>
    Object.fromEntries(
      things.flatMap((thing) => {
        const key = keyOf(thing);
        const id = thing.externalId === null ? { id: thing.id } : {};
        return key === undefined
          ? []
          : [[key, { ...tidy({ ...id, ...valuesOf(thing as never) }), ...asTheyAre(thing as never) }]];
      }),
    );
  const hookValues = ({ values: { filter, ...values } }: Thing): Values => {
    const { products, ...rest } = (filter ?? {}) as { products?: string[] | null };
    const named = products == null ? {} : { products: products.map((id) => keys.get(id) ?? id) };
    return { ...values, filter: filter == null ? null : { ...named, ...rest } };
  };
  return {
    products: keyed(state.products, ({ values }: Thing) => values),
    applications: keyed(
      state.applications,
      ({ values, hooks }: State['applications'][number]) => ({
        ...values,
        ...(hooks.length > 0 && { hooks: keyed(hooks, hookValues) }),
      }),
      ({ dashboard }: State['applications'][number]) =>
        dashboard === null || dashboard.version === 0
          ? {}
          : { dashboard: withProducts(dashboard.document, (id) => keys.get(id) ?? id) },
    ),
    teams: Object.fromEntries(
      state.teams.map(({ name, description, members, grants }) => [
        name,
        tidy({
          description,
          members: members.map(({ username }) => username).sort(),
          applications: Object.fromEntries(
            grants.map(({ application, permission }) => [keys.get(application.id) ?? application.id, permission]),
          ),
        }),
      ]),
    ),
    ...(state.devices && {
      devices: Object.fromEntries(
        state.devices.map(({ serial, values, productId, applicationIds }) => [
          serial,
          tidy({
            ...values,
            product: productId === null ? null : (keys.get(productId) ?? productId),
            applications: applicationIds.map((id) => keys.get(id) ?? id).sort(),
          }),
        ]),
      ),
    }),
  };
}

/** Removes empty values: null, empty texts, empty lists and empty objects. */
export const tidy = (value: unknown): Values =>
  Object.fromEntries(
    Object.entries(value as Values).flatMap(([name, each]) => {
      const inner = tidied(each);
      return inner === undefined ? [] : [[name, inner]];
    }),
  );

const tidied = (value: unknown): unknown => {
  if (value === null || value === undefined || value === '') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((each: unknown) => tidied(each) ?? each);
  if (typeof value !== 'object') return value;
  const inner = tidy(value);
  return Object.keys(inner).length === 0 ? undefined : inner;
};

/** Returns the keys of an export: each thing's `externalId`, else a unique key made from its slug. */
export function exportKeys(state: State): KeyOf {
  const kinds = [state.products, state.applications, state.applications.flatMap(({ hooks }) => hooks)];
  const keys = new Map<string, string>();
  for (const kind of kinds) {
    const taken = new Set(kind.flatMap(({ externalId }) => externalId ?? []));
    for (const { id, externalId, slug } of kind) {
      let key = externalId ?? slug;
      for (let count = 2; externalId === null && taken.has(key); count++) key = `${slug}-${count}`;
      taken.add(key);
      keys.set(id, key);
    }
  }
  return ({ id }) => keys.get(id);
}
