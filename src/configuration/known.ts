import type { Configuration } from './document.js';
import { keysOf } from './plan.js';
import type { State } from './state.js';

/** Identifiers of the things that steps refer to, by key. Each created thing adds its identifier. */
export interface Known {
  products: Map<string, string>;
  applications: Map<string, string>;
  hooks: Map<string, string>;
  teams: Map<string, string>;
  users: Map<string, string>;
  /** Version of each application's dashboard, by the application's identifier. */
  dashboards: ReadonlyMap<string, number>;
}

/** Returns the identifier of a key. A text that is not a known key is itself an identifier. */
export const idIn = (ids: ReadonlyMap<string, string>, key: string): string => ids.get(key) ?? key;

/** Returns the identifiers of the stored things. */
export const knownOf = (state: State, wanted: Configuration): Known => {
  const keyOf = keysOf(wanted);
  const keyed = (things: State['products']) => new Map(things.map((each) => [keyOf(each) ?? each.id, each.id]));
  return {
    products: keyed(state.products),
    applications: keyed(state.applications),
    hooks: keyed(state.applications.flatMap(({ hooks }) => hooks)),
    teams: new Map(state.teams.map(({ name, id }) => [name, id])),
    dashboards: new Map(
      state.applications.flatMap(({ id, dashboard }) => (dashboard === null ? [] : [[id, dashboard.version]])),
    ),
    users: new Map(state.teams.flatMap(({ members }) => members.map(({ username, id }) => [username, id]))),
  };
};
