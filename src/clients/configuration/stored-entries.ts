import type { Token } from './names.js';
import { dashboardOf, type Entry, pairOf } from './resolve.js';
import type { State, StoredApplication, Thing } from './state.js';

/** Lists the stored things as entries. */
export function entriesOf(state: State): Map<Token, Entry> {
  const entries = new Map<Token, Entry>();
  const add = (entry: Omit<Entry, 'place'>) => void entries.set(entry.token, { ...entry, place: '' });
  const keyOf = ({ id, externalId }: Thing) => externalId ?? id;
  const keys = new Map(state.applications.map((each) => [each.id, keyOf(each)]));
  for (const each of state.products) add({ kind: 'product', token: each.id, key: keyOf(each), values: each.values });
  for (const each of state.applications) addApplication(each, add);
  for (const each of state.sites) add({ kind: 'site', token: each.id, key: keyOf(each), values: each.values });
  for (const { id, name, description, members, grants } of state.teams) {
    const parent = { token: id, key: name };
    add({ kind: 'team', token: id, key: name, values: { description } });
    for (const { id: member, username } of members)
      add({ kind: 'member', token: pairOf(id, member), key: username, parent, values: {} });
    for (const { application, permission } of grants) {
      const token = pairOf(id, application.id);
      add({ kind: 'grant', token, key: keys.get(application.id)!, parent, values: { permission } });
    }
  }
  for (const { id, serial, values, productId, applicationIds } of state.devices ?? []) {
    add({ kind: 'device', token: id, key: serial, values: { ...values, product: productId } });
    for (const application of applicationIds)
      add({
        kind: 'link',
        token: pairOf(id, application),
        key: keys.get(application)!,
        parent: { token: id, key: serial },
        values: {},
      });
  }
  return entries;
}

function addApplication(application: StoredApplication, add: (entry: Omit<Entry, 'place'>) => void): void {
  const { id, externalId, values, hooks, alertRules, dashboard } = application;
  const parent = { token: id, key: externalId ?? id };
  add({ kind: 'application', token: id, key: parent.key, values });
  if (dashboard !== null && dashboard.version > 0)
    add({ kind: 'dashboard', token: dashboardOf(id), key: parent.key, parent, values: dashboard.document });
  for (const hook of hooks)
    add({ kind: 'hook', token: hook.id, key: hook.externalId ?? hook.id, parent, values: hook.values });
  for (const rule of alertRules)
    add({ kind: 'rule', token: rule.id, key: rule.externalId ?? rule.id, parent, values: rule.values });
}
