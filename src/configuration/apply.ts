import { callsOf } from './calls.js';
import { faultText, type Graph, Refusal } from './client.js';
import { withProducts } from './dashboard.js';
import type { Configuration, Values } from './document.js';
import { idIn, type Known, knownOf } from './known.js';
import { type Kind, lineOf, type Step } from './plan.js';
import { removalOf } from './remove.js';
import type { State } from './state.js';

interface Answer {
  results: {
    index: number;
    id: string | null;
    error: { message: string; errors: { path: string; message: string }[] } | null;
  }[];
}

/** One item of a call, and the step that it carries out. */
interface Item {
  step: Step;
  item: object;
}

/**
 * A mutation that puts items: its name, the argument for the list, the type of an item, and, for hooks and teams, the
 * argument that names their parent.
 */
interface PutCall {
  name: string;
  list: string;
  type: string;
  more?: { name: string; type: string; value: unknown };
}

/** Steps, with the state and the document that they were made from. */
interface Plan {
  state: State;
  wanted: Configuration;
  steps: readonly Step[];
}

/**
 * Carries out the steps of a plan. Returns one sentence per failed step. Later steps run even if an earlier one failed.
 */
export async function applyPlan(graph: Graph, organizationId: string, plan: Plan): Promise<string[]> {
  const applying = new Applying(graph, organizationId, plan, false);
  await applying.putThings();
  await applying.putHooks();
  await applying.saveDashboards();
  await applying.putTeams();
  await applying.putDevices();
  await applying.remove();
  return applying.faults;
}

/**
 * Asks the service for the faults of products, applications, teams and devices without changing anything. Hooks,
 * dashboards, members, grants, links and the products of devices are not checked.
 */
export async function checkPlan(graph: Graph, organizationId: string, plan: Plan): Promise<string[]> {
  const applying = new Applying(graph, organizationId, plan, true);
  await applying.putThings();
  await applying.checkDevices();
  return applying.faults;
}

class Applying {
  readonly faults: string[] = [];
  private readonly known: Known;

  constructor(
    private readonly graph: Graph,
    private readonly organizationId: string,
    private readonly plan: Plan,
    private readonly isDry: boolean,
  ) {
    this.known = knownOf(plan.state, plan.wanted);
  }

  /** Puts what refers to nothing else. */
  async putThings(): Promise<void> {
    const { products, applications, teams } = this.known;
    const items = (kind: Kind, key: string) =>
      this.of(kind, 'create', 'change').map((step) => ({ step, item: { [key]: step.key, ...step.values } }));
    const call = (list: string, name: string, type: string) => ({ list, name, type });
    await this.put(call('products', 'putProducts', 'ProductInput'), items('product', 'externalId'), products);
    const put = call('applications', 'putApplications', 'ApplicationInput');
    await this.put(put, items('application', 'externalId'), applications);
    await this.put(call('teams', 'putTeams', 'TeamInput'), items('team', 'name'), teams);
  }

  async putHooks(): Promise<void> {
    const { products, applications } = this.known;
    for (const [key, found] of byParent(this.of('hook', 'create', 'change'))) {
      const more = { name: 'applicationId', type: 'ID!', value: idIn(applications, key) };
      const hooks = found.map((step) => {
        const values = hookValues(step.values, (each) => idIn(products, each));
        return { step, item: { externalId: step.key, ...values } };
      });
      await this.put({ name: 'putHooks', list: 'hooks', type: 'HookInput', more }, hooks);
    }
  }

  async saveDashboards(): Promise<void> {
    const { applications, products } = this.known;
    for (const step of this.of('dashboard', 'create', 'change')) {
      const document = withProducts(step.values, (key) => idIn(products, key));
      await this.saveDashboard(idIn(applications, step.key), document).catch((error: Error) =>
        this.fail(step, error.message),
      );
    }
  }

  async putTeams(): Promise<void> {
    const { teams, applications } = this.known;
    const more = (team: string) => ({ name: 'teamId', type: 'ID!', value: idIn(teams, team) });
    for (const [team, found] of byParent(this.of('member', 'create'))) {
      const call = { name: 'putTeamMembers', list: 'members', type: 'TeamMemberInput', more: more(team) };
      await this.put(
        call,
        found.map((step) => ({ step, item: { username: step.key } })),
      );
    }
    for (const [team, found] of byParent(this.of('grant', 'create', 'change'))) {
      const call = {
        name: 'putTeamApplications',
        list: 'applications',
        type: 'TeamApplicationInput',
        more: more(team),
      };
      await this.put(
        call,
        found.map((step) => ({ step, item: { applicationId: idIn(applications, step.key), ...step.values } })),
      );
    }
  }

  async checkDevices(): Promise<void> {
    const items = this.of('device', 'create', 'change').map((step) => {
      const { product: _, ...values } = step.values;
      return { step, item: { serial: step.key, ...values } };
    });
    await this.put({ name: 'putDevices', list: 'devices', type: 'DeviceInput' }, items);
  }

  /** Puts devices, with one call for all devices that are linked to the same applications. */
  async putDevices(): Promise<void> {
    const links = byParent(this.of('link', 'create'));
    const changed = this.of('device', 'create', 'change');
    const serials = new Set(changed.map(({ key }) => key));
    const linkedOnly = [...links].filter(([serial]) => !serials.has(serial));
    const all = [...changed, ...linkedOnly.map(([serial, [link]]): Step => ({ ...link!, key: serial, values: {} }))];
    const applicationsOf = ({ key }: Step) =>
      (links.get(key) ?? []).map((link) => idIn(this.known.applications, link.key)).sort();
    for (const [linkTo, found] of Map.groupBy(all, (step) => JSON.stringify(applicationsOf(step)))) {
      const more = { name: 'linkTo', type: '[ID!]', value: JSON.parse(linkTo) as string[] };
      const items = found.map((step) => ({ step, item: { serial: step.key, ...this.deviceValues(step.values) } }));
      await this.put({ name: 'putDevices', list: 'devices', type: 'DeviceInput', more }, items);
    }
  }

  /** Removes things. A thing that depends on another is removed before it. */
  async remove(): Promise<void> {
    for (const kind of ['link', 'device', 'grant', 'member', 'hook', 'team', 'application', 'product'] as const) {
      const found = this.of(kind, 'remove');
      const failures = await this.graph.askAll(found.map((step) => removalOf(step, this.known, this.organizationId)));
      failures.forEach((message, index) => {
        if (message !== undefined) this.fail(found[index]!, message);
      });
    }
  }

  private of<K extends Kind>(kind: K, ...actions: Step['action'][]): (Step & { kind: K })[] {
    return this.plan.steps.filter(
      (step): step is Step & { kind: K } => step.kind === kind && actions.includes(step.action),
    );
  }

  private fail(step: Step, message: string): void {
    this.faults.push(`${lineOf(step)}: ${message}`);
  }

  /** Puts items. Adds the identifier of each stored item to `ids`, by the step's key. */
  private async put(call: PutCall, items: readonly Item[], ids?: Map<string, string>): Promise<void> {
    for (const some of callsOf(items)) await this.putOrSplit(call, some, ids);
  }

  /** Puts items in one call. A value of another type refuses the whole call, so the halves are put by themselves. */
  private async putOrSplit(call: PutCall, items: readonly Item[], ids?: Map<string, string>): Promise<void> {
    try {
      await this.putSome(call, items, ids);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code !== 'VALIDATION_FAILED' || items.length === 1) {
        for (const { step } of items) this.fail(step, error.message);
        return;
      }
      const middle = Math.ceil(items.length / 2);
      await this.putOrSplit(call, items.slice(0, middle), ids);
      await this.putOrSplit(call, items.slice(middle), ids);
    }
  }

  private async putSome({ name, list, type, more }: PutCall, items: readonly Item[], ids?: Map<string, string>) {
    const [declared, passed] = more === undefined ? ['', ''] : [`, $more: ${more.type}`, `, ${more.name}: $more`];
    const variables = { o: this.organizationId, dry: this.isDry, items: items.map(({ item }) => item) };
    const { answer } = await this.graph.ask<{ answer: Answer }>(
      `mutation ($o: ID!, $dry: Boolean, $items: [${type}!]!${declared}) {
        answer: ${name}(organizationId: $o, dryRun: $dry, ${list}: $items${passed}) {
        results { index id error { message errors { path message } } } } }`,
      { ...variables, ...(more && { more: more.value }) },
    );
    for (const { index, id, error } of answer.results) {
      const { step } = items[index]!;
      if (error !== null) this.fail(step, [error.message, ...error.errors.map(faultText)].join(' '));
      else if (id !== null) ids?.set(step.key, id);
    }
  }

  private async saveDashboard(applicationId: string, document: Values): Promise<void> {
    const variables = { o: this.organizationId, a: applicationId };
    let version = this.known.dashboards.get(applicationId);
    if (version === undefined) {
      // The plan has no version for an application that got its dashboard in an earlier step.
      const query = `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) { dashboard { version } } }`;
      const found = await this.graph.ask<{ application: { dashboard: { version: number } | null } }>(query, variables);
      version = found.application.dashboard?.version ?? 0;
    }
    const query = `mutation ($o: ID!, $a: ID!, $v: Int!, $d: JSON!) {
      updateDashboard(organizationId: $o, applicationId: $a, version: $v, document: $d) { version } }`;
    await this.graph.ask(query, { ...variables, v: version, d: document });
  }

  private deviceValues({ product, ...values }: Values): Values {
    if (typeof product !== 'string') return product === undefined ? values : { ...values, product };
    return { ...values, product: { id: idIn(this.known.products, product) } };
  }
}

const byParent = (found: readonly Step[]) => Map.groupBy(found, ({ parent }) => parent!);

/** Returns the values of a hook with the identifiers of the products that its filter names. */
const hookValues = (values: Values, idOf: (key: string) => string): Values => {
  const { filter } = values;
  if (typeof filter !== 'object' || filter === null || !('products' in filter)) return values;
  return { ...values, filter: { ...filter, products: (filter.products as string[]).map(idOf) } };
};
