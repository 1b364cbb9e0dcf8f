import { renameDashboardProducts } from './dashboard.js';
import type { Configuration, Values } from './document.js';
import {
  type DocumentItem,
  isIdentifier,
  type MatchedThing,
  match,
  newThingToken,
  referencesTo,
  serialKey,
  type Token,
} from './names.js';
import type { State, Thing } from './state.js';

export type ThingKind =
  | 'product'
  | 'application'
  | 'dashboard'
  | 'hook'
  | 'rule'
  | 'site'
  | 'team'
  | 'member'
  | 'grant'
  | 'device'
  | 'link';

/** A thing that an organization has or is to have. Each reference in it is a token. */
export interface Entry {
  kind: ThingKind;
  token: Token;
  /** Key, name, serial or username. */
  key: string;
  /** The application of a hook, rule or dashboard, the team of a member or grant, the device of a link. */
  parent?: { token: Token; key: string };
  values: Values;
  /** Place in the document. */
  place: string;
}

/** A document whose references are resolved. */
export interface Resolved {
  entries: Map<Token, Entry>;
  /** Sentences, each with its place in the document. */
  faults: string[];
}

/** Returns the token of a thing that joins two others. */
export const pairOf = (parent: Token, token: Token): Token => `${parent}\n${token}`;
/** Returns the thing that such a pair joins to its parent. */
export const secondOf = ({ token }: Pick<Entry, 'token'>): Token => token.slice(token.indexOf('\n') + 1);
/** Returns the token of an application's dashboard. */
export const dashboardOf = (application: Token): Token => `dashboard ${application}`;

/** Resolves every reference of a document. Two names for one thing are a fault, and so is a name that no thing has. */
export function resolve(wanted: Configuration, state: State): Resolved {
  const resolving = new Resolving(wanted, state);
  resolving.addSites();
  resolving.addThings();
  resolving.addTeams();
  resolving.addDevices();
  return resolving;
}

const itemsOf = (section: Configuration['products'], at: string): DocumentItem[] =>
  Object.entries(section ?? {}).map(([key, values]) => ({ key, values: values ?? {}, place: `${at}.${key}` }));

class Resolving implements Resolved {
  readonly entries = new Map<Token, Entry>();
  readonly faults: string[] = [];
  private readonly applications;
  private readonly productNamed: (name: string) => Token | undefined;
  private readonly sites;
  private readonly siteNamed: (name: string) => Token | undefined;
  private readonly applicationNamed: (name: string) => Token | undefined;

  constructor(
    private readonly wanted: Configuration,
    private readonly state: State,
  ) {
    const { products, applications, sites } = state;
    const named = match('product', itemsOf(wanted.products, 'products'), products, this.faults);
    this.applications = match('application', itemsOf(wanted.applications, 'applications'), applications, this.faults);
    this.sites = match('site', itemsOf(wanted.sites, 'sites'), sites, this.faults);
    this.siteNamed = referencesTo(this.sites, sites);
    this.productNamed = referencesTo(named, products);
    this.applicationNamed = referencesTo(this.applications, applications);
    // A product of an export without variables has none.
    for (const { key, token, place, values, stored } of named)
      this.add({ kind: 'product', key, token, place, values: stored ? values : { variables: [], ...values } });
  }

  addSites(): void {
    for (const { key, token, place, values } of this.sites) {
      const { parent } = values;
      const named = typeof parent === 'string' ? this.site(parent, `${place}.parent`) : parent;
      this.add({
        kind: 'site',
        key,
        token,
        place,
        values: { ...values, ...(parent !== undefined && { parent: named }) },
      });
    }
  }

  /** Adds applications with their hooks and dashboards. */
  addThings(): void {
    const hooks = this.hooksByApplication();
    for (const { key, token, place, values: all } of this.applications) {
      const { hooks: _, alertRules, dashboard, ...values } = all;
      const parent = { token, key };
      this.add({ kind: 'application', key, token, place, values });
      if (dashboard != null) {
        const at = `${place}.dashboard`;
        const document = renameDashboardProducts(dashboard as Values, (name) => this.product(name, at, /^(\$|$)/));
        this.add({ kind: 'dashboard', key, token: dashboardOf(token), parent, place: at, values: document });
      }
      for (const hook of hooks.get(token) ?? []) {
        const named = withFilterProducts(hook.values, (name) => this.product(name, `${hook.place}.filter`));
        this.add({ kind: 'hook', key: hook.key, token: hook.token, parent, place: hook.place, values: named });
      }
      this.addRules(alertRules, parent, place);
    }
  }

  /** Adds the alert rules of an application, within which their keys are unique. */
  private addRules(rules: unknown, parent: { token: Token; key: string }, place: string): void {
    const stored = this.state.applications.find(({ id }) => id === parent.token)?.alertRules ?? [];
    const items = itemsOf(rules as Configuration['products'], `${place}.alertRules`);
    for (const rule of match<Thing>('rule', items, stored, this.faults)) {
      const values = renameInRule(
        rule.values,
        (name) => this.product(name, `${rule.place}.products`),
        (name) => this.site(name, `${rule.place}.sites`),
      );
      const token = rule.stored?.id ?? newThingToken('rule', `${rule.key} of ${parent.key}`);
      this.add({ kind: 'rule', key: rule.key, token, parent, place: rule.place, values });
    }
  }

  /** Matches the hooks of all applications at once, because their keys are unique in the organization. */
  private hooksByApplication(): Map<Token, MatchedThing<Thing>[]> {
    const below = this.applications.flatMap(({ token, place, values: { hooks } }) =>
      itemsOf(hooks as Configuration['products'], `${place}.hooks`).map((item) => ({ item, token })),
    );
    const parents = new Map(below.map(({ item, token }) => [item.place, token]));
    const items = below.map(({ item }) => item);
    const stored = this.state.applications.flatMap(({ hooks }) => hooks);
    const matched = match<Thing>('hook', items, stored, this.faults);
    return Map.groupBy(matched, ({ place }) => parents.get(place)!);
  }

  addTeams(): void {
    const stored = new Map(this.state.teams.map(({ name, id }) => [name, id]));
    const members = this.state.members ?? [];
    const people = new Map([
      ...members.map((each) => [each.id, each]),
      ...members.map((each) => [each.username, each]),
    ] as [string, (typeof members)[number]][]);
    for (const { key, values: all, place } of itemsOf(this.wanted.teams, 'teams')) {
      const { members: names, applications, ...values } = all;
      const parent = { token: stored.get(key) ?? newThingToken('team', key), key };
      this.add({ kind: 'team', key, token: parent.token, place, values });
      for (const name of (names ?? []) as string[]) {
        const person = people.get(name);
        const at = `${place}.members`;
        if (person === undefined) this.faults.push(`${at}: no member of the organization has the username "${name}"`);
        else {
          const { id, username } = person;
          this.add({ kind: 'member', key: username, token: pairOf(parent.token, id), parent, place: at, values: {} });
        }
      }
      for (const [name, permission] of Object.entries((applications ?? {}) as Values)) {
        const at = `${place}.applications.${name}`;
        const token = this.application(name, at);
        if (token === undefined) continue;
        const pair = pairOf(parent.token, token);
        const earlier = this.entries.get(pair);
        if (earlier === undefined)
          this.add({ kind: 'grant', key: name, token: pair, parent, place: at, values: { permission } });
        else if (earlier.values['permission'] !== permission)
          this.faults.push(`${at}: is the same application as ${earlier.place}, with another permission`);
      }
    }
  }

  addDevices(): void {
    const stored = new Map((this.state.devices ?? []).map(({ serial, id }) => [serialKey(serial), id]));
    const places = new Map<string, string>();
    for (const { key, values: all, place } of itemsOf(this.wanted.devices, 'devices')) {
      const { applications, product, site, ...values } = all;
      const same = serialKey(key);
      const earlier = places.get(same);
      places.set(same, place);
      if (earlier !== undefined) {
        this.faults.push(`${place}: is the same device as ${earlier}`);
        continue;
      }
      const parent = { token: stored.get(same) ?? newThingToken('device', same), key };
      const named = typeof product === 'string' ? this.product(product, `${place}.product`) : product;
      const at = typeof site === 'string' ? this.site(site, `${place}.site`) : site;
      this.add({
        kind: 'device',
        key,
        token: parent.token,
        place,
        values: {
          ...values,
          ...(product !== undefined && { product: named }),
          ...(site !== undefined && { site: at }),
        },
      });
      for (const name of (applications ?? []) as string[]) {
        const at = `${place}.applications`;
        const token = this.application(name, at);
        if (token !== undefined)
          this.add({ kind: 'link', key: name, token: pairOf(parent.token, token), parent, place: at, values: {} });
      }
    }
  }

  /** Adds an entry unless the document has named the same thing before. */
  private add(entry: Entry): void {
    if (!this.entries.has(entry.token)) this.entries.set(entry.token, entry);
  }

  /** Returns the token of a product. One of another organization is named by its identifier, which is its token. */
  private product(name: string, place: string, open?: RegExp): Token {
    const token = this.productNamed(name);
    if (token !== undefined) return token;
    if (isIdentifier(name) || open?.test(name)) return name;
    this.faults.push(`${place}: there is no product "${name}"`);
    return newThingToken('product', name);
  }

  private site(name: string, place: string): Token {
    const token = this.siteNamed(name);
    if (token === undefined) this.faults.push(`${place}: there is no site "${name}"`);
    return token ?? newThingToken('site', name);
  }

  private application(name: string, place: string): Token | undefined {
    const token = this.applicationNamed(name);
    if (token === undefined) this.faults.push(`${place}: there is no application "${name}"`);
    return token;
  }
}

/** Returns the values of a hook with other names for the products of its filter. */
export const withFilterProducts = (values: Values, productName: (product: string) => string): Values => {
  const { filter } = values;
  if (typeof filter !== 'object' || filter === null || !('products' in filter)) return values;
  const { products } = filter as { products: unknown };
  if (!Array.isArray(products)) return values;
  const named = products.map((each: unknown) => (typeof each === 'string' ? productName(each) : each));
  return { ...values, filter: { ...filter, products: named } };
};

/** Returns the values of an alert rule with other names for its products and sites. */
export const renameInRule = (
  values: Values,
  productName: (product: string) => string,
  siteName: (site: string) => string = productName,
): Values => {
  const renamed = (field: 'products' | 'sites', nameOf: (name: string) => string) => {
    const list = values[field];
    return (
      Array.isArray(list) && { [field]: list.map((each: unknown) => (typeof each === 'string' ? nameOf(each) : each)) }
    );
  };
  return { ...values, ...renamed('products', productName), ...renamed('sites', siteName) };
};
