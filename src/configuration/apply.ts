import { faultText, type Graph } from './client.js';
import type { Configuration, Values } from './document.js';
import { type Kind, keysOf, lineOf, type Step } from './plan.js';
import type { State } from './state.js';

interface Answer {
  results: {
    index: number;
    id: string | null;
    error: { message: string; errors: { path: string; message: string }[] } | null;
  }[];
}

/** Items of a call that puts devices. 1,000 with long names and tags would exceed the size of a request. */
const devicesAtOnce = 500;

/**
 * Does the steps of a plan, and returns a sentence for each that failed. Those that do not depend on it are done all the
 * same.
 */
export async function applyPlan(
  graph: Graph,
  organizationId: string,
  { state, wanted, steps }: { state: State; wanted: Configuration; steps: readonly Step[] },
): Promise<string[]> {
  const faults: string[] = [];
  const keyOf = keysOf(wanted);
  const keyed = (things: State['products']) => new Map(things.map((each) => [keyOf(each) ?? each.id, each.id]));
  const products = keyed(state.products);
  const applications = keyed(state.applications);
  const teams = new Map(state.teams.map(({ name, id }) => [name, id]));
  const idIn = (ids: ReadonlyMap<string, string>, key: string) => ids.get(key) ?? key;
  const of = (kind: Kind, ...actions: Step['action'][]) =>
    steps.filter((step) => step.kind === kind && actions.includes(step.action));
  const fail = (step: Step, message: string) => faults.push(`${lineOf(step)}: ${message}`);

  /** Puts the things of steps, and keeps their identifiers. */
  const put = async (
    name: string,
    { list, type, parent }: { list: string; type: string; parent?: readonly [name: string, id: string] },
    items: readonly { step: Step; item: object }[],
    keep?: Map<string, string>,
  ): Promise<void> => {
    if (items.length === 0) return;
    const declared = parent === undefined ? '' : ', $p: ID!';
    const passed = parent === undefined ? '' : `, ${parent[0]}: $p`;
    const { answer } = await graph.ask<{ answer: Answer }>(
      `mutation ($o: ID!, $items: [${type}!]!${declared}) { answer: ${name}(organizationId: $o, ${list}: $items${passed}) {
        results { index id error { message errors { path message } } } } }`,
      { o: organizationId, items: items.map(({ item }) => item), ...(parent && { p: parent[1] }) },
    );
    for (const { index, id, error } of answer.results) {
      const { step } = items[index]!;
      if (error !== null) fail(step, [error.message, ...error.errors.map(faultText)].join(' '));
      else if (id !== null) keep?.set(step.key, id);
    }
  };
  const itemOf = (step: Step, values: Values = step.values) => ({ step, item: { externalId: step.key, ...values } });
  const byParent = (found: readonly Step[]) => Map.groupBy(found, ({ parent }) => parent!);

  await put(
    'putProducts',
    { list: 'products', type: 'ProductInput' },
    of('product', 'create', 'change').map((step) => itemOf(step)),
    products,
  );
  await put(
    'putApplications',
    { list: 'applications', type: 'ApplicationInput' },
    of('application', 'create', 'change').map((step) => itemOf(step)),
    applications,
  );
  for (const [key, found] of byParent(of('hook', 'create', 'change'))) {
    const items = found.map((step) =>
      itemOf(
        step,
        hookValues(step.values, (each) => idIn(products, each)),
      ),
    );
    await put(
      'putHooks',
      { list: 'hooks', type: 'HookInput', parent: ['applicationId', idIn(applications, key)] },
      items,
    );
  }
  for (const step of of('team', 'create', 'change')) {
    const id = teams.get(step.key);
    const [name, declared, passed] =
      id === undefined ? ['createTeam', '', ''] : ['updateTeam', ', $id: ID!', ', teamId: $id'];
    const query = `mutation ($o: ID!, $name: String!, $description: String${declared}) { team: ${name}(organizationId: $o${passed}, name: $name, description: $description) { id } }`;
    const variables = { o: organizationId, id, name: step.key, ...step.values };
    await graph.ask<{ team: { id: string } }>(query, variables).then(
      ({ team }) => teams.set(step.key, team.id),
      (error: Error) => fail(step, error.message),
    );
  }
  for (const [team, found] of byParent(of('member', 'create'))) {
    const items = found.map((step) => ({ step, item: { username: step.key } }));
    await put(
      'putTeamMembers',
      { list: 'members', type: 'TeamMemberInput', parent: ['teamId', idIn(teams, team)] },
      items,
    );
  }
  for (const [team, found] of byParent(of('grant', 'create', 'change'))) {
    const items = found.map((step) => ({
      step,
      item: { applicationId: idIn(applications, step.key), ...step.values },
    }));
    await put(
      'putTeamApplications',
      { list: 'applications', type: 'TeamApplicationInput', parent: ['teamId', idIn(teams, team)] },
      items,
    );
  }
  await putDevices();
  await remove();
  return faults;

  /** Puts devices, those that are linked to the same applications together. */
  async function putDevices(): Promise<void> {
    const links = byParent(of('link', 'create'));
    const changed = of('device', 'create', 'change');
    const known = new Set(changed.map(({ key }) => key));
    const all = [
      ...changed,
      ...[...links].flatMap(([serial, [first]]) => (known.has(serial) ? [] : { ...first!, key: serial, values: {} })),
    ];
    const groups = Map.groupBy(all, ({ key }) =>
      JSON.stringify((links.get(key) ?? []).map((link) => idIn(applications, link.key)).sort()),
    );
    for (const [linkTo, found] of groups)
      for (let from = 0; from < found.length; from += devicesAtOnce) {
        const items = found
          .slice(from, from + devicesAtOnce)
          .map((step) => ({ step, item: { serial: step.key, ...deviceValues(step.values) } }));
        const { answer } = await graph.ask<{ answer: Answer }>(
          `mutation ($o: ID!, $items: [DeviceInput!]!, $linkTo: [ID!]) { answer: putDevices(organizationId: $o, devices: $items, linkTo: $linkTo) {
            results { index id error { message errors { path message } } } } }`,
          { o: organizationId, items: items.map(({ item }) => item), linkTo: JSON.parse(linkTo) as string[] },
        );
        for (const { index, error } of answer.results)
          if (error !== null) fail(items[index]!.step, [error.message, ...error.errors.map(faultText)].join(' '));
      }
  }

  function deviceValues({ product, ...values }: Values): Values {
    if (product === undefined) return values;
    return { ...values, product: product === null ? null : { id: idIn(products, String(product)) } };
  }

  /** Removes what depends on other things first. */
  async function remove(): Promise<void> {
    const hookIds = new Map(state.applications.flatMap(({ hooks }) => hooks.map((hook) => [keyOf(hook), hook.id])));
    const users = new Map(state.teams.flatMap(({ members }) => members.map(({ username, id }) => [username, id])));
    const call = (name: string, variables: Record<string, string | readonly string[] | undefined>) => {
      const named = Object.entries(variables);
      const declared = named
        .map(([each, value]) => `, $${each}: ${typeof value === 'object' ? '[Serial!]' : 'ID!'}`)
        .join('');
      const passed = named.map(([each]) => `, ${each}: $${each}`).join('');
      const query = `mutation ($o: ID!${declared}) { ${name}(organizationId: $o${passed}) { __typename } }`;
      return { query, variables: { o: organizationId, ...variables } };
    };
    const operationOf = ({ kind, key, parent }: Step) => {
      switch (kind) {
        case 'link':
          return call('unlinkDevices', { applicationId: idIn(applications, key), serials: [parent!] });
        case 'device':
          return call('deleteDevices', { serials: [key] });
        case 'grant':
          return call('removeTeamApplication', { teamId: teams.get(parent!), applicationId: idIn(applications, key) });
        case 'member':
          return call('removeTeamMember', { teamId: teams.get(parent!), memberId: users.get(key) });
        case 'hook':
          return call('deleteApplicationHook', {
            applicationId: idIn(applications, parent!),
            applicationHookId: hookIds.get(key),
          });
        case 'team':
          return call('deleteTeam', { teamId: teams.get(key) });
        case 'application':
          return call('deleteApplication', { applicationId: idIn(applications, key) });
        case 'product':
          return call('deleteProduct', { productId: idIn(products, key) });
      }
    };
    for (const kind of ['link', 'device', 'grant', 'member', 'hook', 'team', 'application', 'product'] as const) {
      const found = of(kind, 'remove');
      const failures = await graph.askAll(found.map(operationOf));
      failures.forEach((message, index) => message !== undefined && fail(found[index]!, message));
    }
  }
}

/** Returns the values of a hook with the identifiers of the products that its filter names. */
const hookValues = (values: Values, idOf: (key: string) => string): Values => {
  const { filter } = values;
  if (typeof filter !== 'object' || filter === null || !('products' in filter)) return values;
  return { ...values, filter: { ...filter, products: (filter.products as string[]).map(idOf) } };
};
