/** Identifiers of the things that steps name, by key. Identifiers of new things are added as they are created. */
export interface Known {
  products: Map<string, string>;
  applications: Map<string, string>;
  hooks: Map<string, string>;
  teams: Map<string, string>;
  users: Map<string, string>;
  /** Versions of the dashboards that the applications have, by the identifier of the application. */
  dashboards: ReadonlyMap<string, number>;
}

/** Returns the identifier of a key; a reference to a thing without a key is the identifier itself. */
export const idIn = (ids: ReadonlyMap<string, string>, key: string): string => ids.get(key) ?? key;
