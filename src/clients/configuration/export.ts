import { renameDashboardProducts } from './dashboard.js';
import type { Configuration, Values } from './document.js';
import { renameInRule } from './resolve.js';
import type { State, StoredApplication, StoredDevice, StoredTeam, Thing } from './state.js';
import { tidy } from './tidy.js';

type Keys = ReadonlyMap<string, string>;

/**
 * Writes a state as a document. The document contains empty values as null or an empty list, so that applying it later
 * clears values that were added since.
 */
export function documentOf(state: State): Configuration {
  const keys = keysOf(state);
  const nameOf = (id: string) => keys.get(id) ?? id;
  const keyed = <T extends Thing>(things: readonly T[], valuesOf: (thing: T) => Values): Record<string, Values> =>
    Object.fromEntries(
      things.map((thing) => [
        keys.get(thing.id)!,
        { ...(thing.externalId === null && { id: thing.id }), ...valuesOf(thing) },
      ]),
    );
  const hookValues = ({ values: { filter, ...values } }: Thing): Values => ({
    ...values,
    filter: filterOf((filter ?? {}) as Filter, nameOf),
  });
  const ruleValues = ({ values }: Thing): Values => ({
    ...renameInRule(values, nameOf),
    when: conditionOf(values['when']),
    until: conditionOf(values['until']),
  });
  return {
    products: keyed(state.products, productValues),
    applications: keyed(state.applications, ({ values, hooks, alertRules, dashboard }: StoredApplication) => ({
      ...values,
      description: values['description'] || null,
      hooks: keyed(hooks, hookValues),
      alertRules: keyed(alertRules, ruleValues),
      ...(dashboard !== null &&
        dashboard.version > 0 && { dashboard: renameDashboardProducts(dashboard.document, nameOf) }),
    })),
    sites: keyed(state.sites, ({ values }) => ({ ...values, parent: nameOrNull(values['parent'], nameOf) })),
    teams: Object.fromEntries(state.teams.map((team) => [team.name, teamValues(team, nameOf)])),
    ...(state.devices && {
      devices: Object.fromEntries(state.devices.map((device) => [device.serial, deviceValues(device, nameOf)])),
    }),
  };
}

interface Filter {
  products?: string[] | null;
}

/** An empty filter is none. */
const filterOf = ({ products, ...rest }: Filter, nameOf: (id: string) => string): Values | null => {
  const filter = tidy({ products: products?.map(nameOf), ...rest });
  return Object.keys(filter).length === 0 ? null : filter;
};

/** Returns the part of a condition that is set. A comparison may be with an empty text. */
const conditionOf = (condition: unknown): Values | null =>
  condition == null ? null : Object.fromEntries(Object.entries(condition).filter(([, part]) => part !== null));

const productValues = ({ values: { variables, settings, ...values } }: Thing): Values => ({
  ...values,
  variables: (variables as Values[]).map(tidy),
  settings: tidy(settings),
});

const teamValues = ({ description, members, grants }: StoredTeam, nameOf: (id: string) => string): Values => ({
  description: description || null,
  members: members.map(({ username }) => username).sort(),
  applications: Object.fromEntries(grants.map(({ application, permission }) => [nameOf(application.id), permission])),
});

const deviceValues = ({ values, productId, applicationIds }: StoredDevice, nameOf: (id: string) => string): Values => ({
  ...values,
  product: nameOrNull(productId, nameOf),
  site: nameOrNull(values['site'], nameOf),
  applications: applicationIds.map(nameOf).sort(),
});

const nameOrNull = (id: unknown, nameOf: (id: string) => string): string | null =>
  typeof id === 'string' ? nameOf(id) : null;

/** Returns the keys of an export: each thing's `externalId`, else a unique key made from its slug. */
function keysOf({ products, applications, sites }: State): Keys {
  const keys = new Map<string, string>();
  for (const kind of [
    products,
    applications,
    sites,
    applications.flatMap(({ hooks }) => hooks),
    ...applications.map((each) => each.alertRules),
  ]) {
    const taken = new Set(kind.flatMap(({ externalId }) => externalId ?? []));
    for (const { id, externalId, slug } of kind) {
      let key = externalId ?? slug;
      for (let count = 2; externalId === null && taken.has(key); count++) key = `${slug}-${count}`;
      taken.add(key);
      keys.set(id, key);
    }
  }
  return keys;
}
