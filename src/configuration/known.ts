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
