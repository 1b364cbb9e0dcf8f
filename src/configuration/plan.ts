import { isDeepStrictEqual } from 'node:util';
import type { Configuration, Values } from './document.js';
import { documentOf, type KeyOf, type State, type Thing, tidy } from './state.js';

export type Kind = 'product' | 'application' | 'dashboard' | 'hook' | 'team' | 'member' | 'grant' | 'device' | 'link';

/** One thing to create, change or remove. */
export interface Step {
  action: 'create' | 'change' | 'remove';
  kind: Kind;
  /** Key of the parent: the application of a hook, the team of a member or grant, the device of a link. */
  parent?: string;
  key: string;
  /** Values of the thing in the document. */
  values: Values;
  /** Fields that change. */
  fields?: string[];
}

/** An item of a document, with its kind, its key and its parent's key. */
type Entry = Pick<Step, 'kind' | 'parent' | 'key' | 'values'>;

/**
 * Returns the function that finds the key of a stored thing: the document's key for its identifier, else its
 * `externalId`.
 */
export function keysOf({ products = {}, applications = {} }: Configuration): KeyOf {
  const hooks = Object.values(applications).flatMap((each) => Object.entries((each['hooks'] ?? {}) as Values));
  const all = [...Object.entries(products), ...Object.entries(applications), ...hooks] as [string, Values | null][];
  const byId = new Map(
    all.flatMap(([key, values]) => (typeof values?.['id'] === 'string' ? [[values['id'], key]] : [])),
  );
  return ({ id, externalId }: Thing) => byId.get(id) ?? externalId ?? undefined;
}

/**
 * Returns the steps that turn the stored state into the document's.
 * @param prune whether to remove stored things that the document lacks
 */
export function planOf(state: State, wanted: Configuration, prune: boolean): Step[] {
  const keyOf = keysOf(wanted);
  const now = entriesOf(documentOf(state, keyOf));
  const then = entriesOf(wanted);
  const withKey = new Set(
    [...state.products, ...state.applications, ...state.applications.flatMap(({ hooks }) => hooks)].flatMap((each) =>
      each.externalId === keyOf(each) ? each.externalId : [],
    ),
  );
  const steps: Step[] = [];
  for (const [path, entry] of then) {
    const stored = now.get(path);
    if (stored === undefined) steps.push({ action: 'create', ...entry });
    else {
      const fields = changedFields(stored.values, entry.values);
      const isKeyed = entry.kind === 'product' || entry.kind === 'application' || entry.kind === 'hook';
      if (isKeyed && !withKey.has(entry.key)) fields.push('externalId');
      if (fields.length > 0) steps.push({ action: 'change', ...entry, fields });
    }
  }
  if (!prune) return steps;
  const removed = [...now].filter(([path, entry]) => !then.has(path) && isManaged(entry, wanted));
  const gone = new Set(removed.map(([path]) => path));
  // Removing a thing removes everything below it. A device must be unlinked before it can be deleted.
  const isBelow = ({ kind, parent }: Entry) =>
    kind !== 'link' && parent !== undefined && gone.has(pathOf(parentKind(kind), parent));
  return [
    ...steps,
    ...removed.flatMap(([, entry]): Step[] => (isBelow(entry) ? [] : [{ action: 'remove', ...entry }])),
  ];
}

const parentKind = (kind: Kind): Kind => (kind === 'hook' ? 'application' : kind === 'link' ? 'device' : 'team');

/** Whether the document has the section that would contain a stored thing. */
function isManaged({ kind, parent }: Entry, wanted: Configuration): boolean {
  const below = (name: 'applications' | 'teams', field: string) => {
    const section = wanted[name];
    const isNamed = section !== undefined && Object.hasOwn(section, parent!);
    return section !== undefined && (!isNamed || (section[parent!] ?? {})[field] !== undefined);
  };
  switch (kind) {
    case 'product':
      return wanted.products !== undefined;
    case 'application':
      return wanted.applications !== undefined;
    case 'dashboard':
      // A dashboard is a field of its application, and an absent field stays unchanged.
      return false;
    case 'hook':
      return below('applications', 'hooks');
    case 'team':
      return wanted.teams !== undefined;
    case 'member':
      return below('teams', 'members');
    case 'grant':
      return below('teams', 'applications');
    case 'device':
      return wanted.devices !== undefined;
    case 'link': {
      if (wanted.devices === undefined) return false;
      const key = Object.keys(wanted.devices).find((serial) => serialKey(serial) === serialKey(parent!));
      return key === undefined || wanted.devices[key]?.['applications'] !== undefined;
    }
  }
}

const changedFields = (stored: Values, wanted: Values): string[] =>
  Object.keys(wanted).filter((field) => {
    if (field === 'id') return false;
    return !isDeepStrictEqual(tidy({ value: stored[field] }), tidy({ value: wanted[field] }));
  });

/** Returns a serial in the form for comparison. */
export const serialKey = (serial: string): string => serial.toLowerCase().replaceAll('-', '');

const pathOf = (kind: Kind, key: string, parent?: string): string =>
  JSON.stringify(
    kind === 'device'
      ? [kind, serialKey(key)]
      : kind === 'link'
        ? [kind, serialKey(parent!), key]
        : [kind, parent ?? '', key],
  );

/** Lists the items of a document by path. */
function entriesOf({ products = {}, applications = {}, teams = {}, devices = {} }: Configuration): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const add = (kind: Kind, key: string, values: Values, parent?: string) =>
    void entries.set(pathOf(kind, key, parent), { kind, key, values, ...(parent !== undefined && { parent }) });
  for (const [key, values] of Object.entries(products)) add('product', key, values);
  for (const [key, { hooks, dashboard, ...values }] of Object.entries(applications)) {
    add('application', key, values);
    if (dashboard != null) add('dashboard', key, dashboard as Values);
    for (const [hook, inner] of Object.entries((hooks ?? {}) as Record<string, Values>)) add('hook', hook, inner, key);
  }
  for (const [name, team] of Object.entries(teams)) {
    const { members, applications: grants, ...values } = team ?? {};
    add('team', name, values);
    for (const username of (members ?? []) as string[]) add('member', username, {}, name);
    for (const [key, permission] of Object.entries((grants ?? {}) as Values)) add('grant', key, { permission }, name);
  }
  for (const [serial, device] of Object.entries(devices)) {
    const { applications: links, ...values } = device ?? {};
    add('device', serial, values);
    for (const key of (links ?? []) as string[]) add('link', key, {}, serial);
  }
  return entries;
}

/** Returns a step as a line for people. */
export const lineOf = ({ action, kind, parent, key, fields }: Step): string => {
  const sign = { create: '+', change: '~', remove: '-' }[action];
  const place = parent === undefined ? '' : ` of ${parent}`;
  return `${sign} ${kind} ${key}${place}${fields ? `: ${fields.join(', ')}` : ''}`;
};
