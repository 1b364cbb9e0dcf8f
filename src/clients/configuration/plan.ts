import { isDeepStrictEqual } from 'node:util';
import { changedValues, heldAttributes } from './attributes.js';
import type { Configuration, Values } from './document.js';
import { serialKey } from './names.js';
import { storedSettings } from './product-settings.js';
import { type Entry, type Resolved, resolve, type ThingKind } from './resolve.js';
import type { State } from './state.js';
import { entriesOf } from './stored-entries.js';
import { tidy } from './tidy.js';

/** One thing to create, change or remove. */
export interface Step extends Entry {
  action: 'create' | 'change' | 'remove';
  /** Changed fields, such as the key, or the application that a hook is moved from. */
  fields?: string[];
}

/** Steps that turn the stored state into the document's, and what is wrong with the document's references. */
export interface Plan {
  state: State;
  steps: readonly Step[];
  faults: readonly string[];
}

/**
 * Plans the way from the stored state to the document's.
 * @param prune whether to remove stored things that the document lacks
 */
export function planOf(state: State, wanted: Configuration, prune: boolean): Plan {
  const resolved = resolve(wanted, state);
  const now = entriesOf(state);
  const keys = new Map(
    [
      ...state.products,
      ...state.applications,
      ...state.sites,
      ...state.applications.flatMap(({ hooks, alertRules }) => [...hooks, ...alertRules]),
    ].map((each) => [each.id, each.externalId]),
  );
  const steps: Step[] = [];
  for (const entry of resolved.entries.values()) {
    const stored = now.get(entry.token);
    if (stored === undefined) steps.push({ action: 'create', ...entry });
    else {
      const moved = entry.kind === 'hook' && entry.parent!.token !== stored.parent!.token;
      const fields = [
        ...(moved ? [`moved from ${stored.parent!.key}`] : []),
        ...changedFields(entry.kind, stored.values, entry.values),
        ...(keys.has(entry.token) && keys.get(entry.token) !== entry.key ? ['externalId'] : []),
      ];
      if (fields.length > 0)
        steps.push({
          action: 'change',
          ...entry,
          values: { ...requiredOf(stored), ...changedValues(entry.values, stored.values) },
          fields,
        });
    }
  }
  const isManaged = managedBy(wanted, resolved);
  const removed = prune ? [...now.values()].filter((each) => !resolved.entries.has(each.token)) : [];
  const kept = removed.filter((entry) => isManaged(entry) && keys.get(entry.token) !== null);
  steps.push(...kept.map((entry): Step => ({ action: 'remove', ...entry })));
  return { state, steps, faults: [...resolved.faults, ...faultsOfRemovals(state, steps)] };
}

/** Fields that a call must have though the document may leave them out. */
const requiredOf = ({ kind, values }: Entry): Values => {
  // A rule is checked as a whole.
  if (kind === 'rule') return values;
  const { name, version, variables = [], url } = tidy(values);
  if (kind === 'product') return { name, version, variables };
  return kind === 'application' || kind === 'site' ? { name } : kind === 'hook' ? { url } : {};
};

/**
 * Returns the function that says whether the document has the section that would contain a stored thing. What is below
 * a thing that is removed goes with it, except links, without which a device cannot be deleted.
 */
function managedBy(wanted: Configuration, { entries }: Resolved): (entry: Entry) => boolean {
  const values = new Map<string, Values>();
  for (const { kind, token, key } of entries.values()) {
    const section = ({ application: 'applications', team: 'teams', device: 'devices' } as const)[kind as 'team'];
    if (section !== undefined) values.set(token, wanted[section]?.[key] ?? {});
  }
  const hasField = (parent: Entry['parent'], field: string) => values.get(parent!.token)?.[field] !== undefined;
  const sections = {
    product: 'products',
    application: 'applications',
    site: 'sites',
    team: 'teams',
    device: 'devices',
  } as const;
  const serials = new Set(Object.keys(wanted.devices ?? {}).map(serialKey));
  return ({ kind, parent }) => {
    switch (kind) {
      case 'dashboard':
        // A dashboard is a field of its application, and an absent field stays unchanged.
        return false;
      case 'hook':
        return hasField(parent, 'hooks');
      case 'rule':
        return hasField(parent, 'alertRules');
      case 'member':
        return hasField(parent, 'members');
      case 'grant':
        return hasField(parent, 'applications');
      case 'link':
        return (
          wanted.devices !== undefined && (!serials.has(serialKey(parent!.key)) || hasField(parent, 'applications'))
        );
      default:
        return wanted[sections[kind]] !== undefined;
    }
  };
}

/** Says which products the service would refuse to delete. */
function faultsOfRemovals({ products, devices = [] }: State, steps: readonly Step[]): string[] {
  const byToken = new Map(steps.filter(({ kind }) => kind === 'device').map((step) => [step.token, step]));
  return steps
    .filter(({ kind, action }) => kind === 'product' && action === 'remove')
    .flatMap((step): string[] => {
      const product = products.find(({ id }) => id === step.token)!;
      if (product.public) return [`${lineOf(step)}: the product is public`];
      const freed = devices.filter(({ id, productId }) => {
        const change = productId === product.id ? byToken.get(id) : undefined;
        return (
          change?.action === 'remove' ||
          (change !== undefined && change.values['product'] !== undefined && change.values['product'] !== product.id)
        );
      });
      const left = product.deviceCount - freed.length;
      return left > 0 ? [`${lineOf(step)}: ${left === 1 ? '1 device uses' : `${left} devices use`} it`] : [];
    });
}

/** The defaults that the service stores for null, where they are not empty. */
const defaults: Partial<Record<ThingKind, Values>> = {
  application: { hasDashboard: false },
  hook: { allowUnverifiedSSLCert: false, disabled: false, concurrency: 8, ordered: false, events: ['record'] },
  rule: { severity: 'warning', disabled: false, for: 0, maxGap: 3600 },
};

function changedFields(kind: ThingKind, stored: Values, wanted: Values): string[] {
  return Object.keys(wanted).filter((field) => {
    const value = wanted[field] ?? defaults[kind]?.[field];
    // The service stores each event of a hook once.
    const kept =
      kind === 'hook' && field === 'events' && Array.isArray(value)
        ? [...new Set(value)]
        : kind === 'product' && field === 'settings'
          ? storedSettings(value)
          : value;
    if (field === 'attributes') return !isDeepStrictEqual(heldAttributes(stored[field]), heldAttributes(value));
    return field !== 'id' && !isDeepStrictEqual(tidy({ value: stored[field] }), tidy({ value: kept }));
  });
}

/** Returns a step as a line for people. */
export const lineOf = ({ action, kind, parent, key, fields }: Step): string => {
  const sign = { create: '+', change: '~', remove: '-' }[action];
  const place = parent === undefined || kind === 'dashboard' ? '' : ` of ${parent.key}`;
  return `${sign} ${kind} ${key}${place}${fields ? `: ${fields.join(', ')}` : ''}`;
};
