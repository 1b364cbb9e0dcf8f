import { putValues } from './attributes.js';
import { Calls, type PutCall, type PutItem, type Single } from './calls.js';
import { type Graph, RequestRefusal } from './client.js';
import { renameDashboardProducts, savingIn, savingOf } from './dashboard.js';
import type { Values } from './document.js';
import type { Lease } from './lease.js';
import { isNew, type Token } from './names.js';
import { lineOf, type Plan, type Step } from './plan.js';
import { isStopped, removalOf } from './removal.js';
import { renameInRule, secondOf, type ThingKind, withFilterProducts } from './resolve.js';
import { dryRoundsOf, idOf, roundsOf } from './rounds.js';
import { lowestFirst, putSites } from './sites.js';

/** Outcome of a plan: number of steps that were done, one sentence per failed step, and warnings of the service. */
export interface Outcome {
  done: number;
  faults: string[];
  warnings: string[];
}

/**
 * Carries out the steps of a plan under a lease. A step that fails stops the removals of its kind below the same parent,
 * and all removals of products, applications, teams and devices.
 */
export async function applyPlan(graph: Graph, organizationId: string, plan: Plan, lease: Lease): Promise<Outcome> {
  const applying = new Applying(new Calls(graph, organizationId, lease), plan);
  await applying.putThings();
  await applying.putSites();
  await applying.putHooks();
  await applying.saveDashboards();
  await applying.putTeams();
  await applying.putDevices();
  await applying.putRules();
  await applying.remove();
  const { faults, failed, warnings } = applying.calls;
  return { done: plan.steps.length - failed.size, faults, warnings: [...warnings] };
}

/**
 * Asks the service for the faults of a plan's values without changing anything. References are resolved and need no
 * check.
 */
export async function checkPlan(graph: Graph, organizationId: string, plan: Plan): Promise<Omit<Outcome, 'done'>> {
  const checking = new Applying(new Calls(graph, organizationId, undefined), plan);
  await checking.putThings();
  await checking.putSites();
  await checking.putHooks();
  await checking.checkDashboards();
  await checking.checkDevices();
  await checking.putRules();
  const { faults, warnings } = checking.calls;
  return { faults, warnings: [...warnings] };
}

/** An identifier that no thing has. A dry run sends it in place of the things that it would create. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** Something that a step needs was not made. */
class Missing extends Error {}

class Applying {
  /** Identifiers of the things that were made, by their tokens. */
  private readonly made = new Map<Token, string>();

  constructor(
    readonly calls: Calls,
    private readonly plan: Plan,
  ) {}

  /** Puts what refers to nothing else. */
  async putThings(): Promise<void> {
    const { products, applications } = this.plan.state;
    for (const [kind, list, type, stored] of [
      ['product', 'products', 'ProductInput', products],
      ['application', 'applications', 'ApplicationInput', applications],
    ] as const) {
      const name = kind === 'product' ? 'putProducts' : 'putApplications';
      for (const round of this.rounds(this.of(kind, 'create', 'change'), stored)) {
        const items = round.map(({ step, key }) => ({
          step,
          item: { ...step.values, externalId: key, ...idOf(step) },
        }));
        await this.calls.put({ name, list, type }, items, this.made);
      }
    }
    const teams = this.of('team', 'create', 'change').map((step) => ({
      step,
      item: { ...step.values, name: step.key, ...idOf(step) },
    }));
    await this.calls.put({ name: 'putTeams', list: 'teams', type: 'TeamInput' }, teams, this.made);
  }

  putSites(): Promise<void> {
    const rounds = this.rounds(this.of('site', 'create', 'change'), this.plan.state.sites);
    return putSites(this.calls, rounds, this.made);
  }

  async putHooks(): Promise<void> {
    const stored = this.plan.state.applications.flatMap(({ hooks }) => hooks);
    for (const round of this.rounds(this.of('hook', 'create', 'change'), stored))
      for (const [parent, group] of Map.groupBy(round, ({ step }) => step.parent!.token)) {
        const keys = new Map(group.map(({ step, key }) => [step, key]));
        const steps = group.map(({ step }) => step);
        // A dry run checks hooks of an application that is still to be made without an application.
        const isUnmade = this.calls.isDry && isNew(parent);
        const call = callBelow('putHooks', 'hooks', 'HookInput', { name: 'applicationId', type: 'ID' });
        await this.putBelow(isUnmade ? undefined : parent, steps, call, (step) => ({
          ...withFilterProducts(step.values, (token) => this.idOf(token)),
          externalId: keys.get(step)!,
          ...idOf(step),
        }));
      }
  }

  /** Puts alert rules after the devices, whose products say which types the rules compare. */
  async putRules(): Promise<void> {
    const { isDry } = this.calls;
    const unmade = new Set(this.of('product', 'create', 'change').map(({ token }) => token));
    // A dry run checks the types only if the rest of the plan leaves them as they are.
    const isOpen =
      isDry && unmade.size + this.of('device', 'create', 'change').length + this.of('link', 'create').length > 0;
    for (const [parent, steps] of byParent(this.of('rule', 'create', 'change'))) {
      const stored = this.plan.state.applications.find(({ id }) => id === parent)?.alertRules ?? [];
      const isUnmade = isOpen || (isDry && isNew(parent));
      for (const round of this.rounds(steps, stored)) {
        const keys = new Map(round.map(({ step, key }) => [step, key]));
        const call = callBelow('putAlertRules', 'alertRules', 'AlertRuleInput', { name: 'applicationId', type: 'ID' });
        await this.putBelow(isUnmade ? undefined : parent, [...keys.keys()], call, (step) => {
          const { products, sites, ...values } = step.values;
          const made = (list: unknown) =>
            isDry && Array.isArray(list)
              ? list.filter((each) => !isNew(each as Token) && !unmade.has(each as Token))
              : list;
          return {
            ...renameInRule({ ...values, products: made(products), sites: made(sites) }, (token) => this.idOf(token)),
            externalId: keys.get(step)!,
            ...(isUnmade ? { id: null } : idOf(step)),
          };
        });
      }
    }
  }

  async saveDashboards(): Promise<void> {
    const singles: Single[] = [];
    for (const { step, item } of this.items(this.of('dashboard', 'create', 'change'), (each) => ({
      application: this.idOf(each.parent!.token),
      document: renameDashboardProducts(each.values, (token) => this.idOf(token)),
    })))
      singles.push({ step, operation: await savingIn(this.calls, this.plan.state, item.application, item.document) });
    await this.calls.runAll(singles);
  }

  /** The service checks a document before it looks for the application, and this one does not exist. */
  async checkDashboards(): Promise<void> {
    for (const step of this.of('dashboard', 'create', 'change')) {
      const document = renameDashboardProducts(step.values, (token) => this.idOf(token));
      const { query, variables } = savingOf(this.calls.organizationId, nobody, 0, document);
      await this.calls.graph.ask(query, variables).catch((error: unknown) => {
        if (!(error instanceof RequestRefusal)) throw error;
        if (error.code !== 'NOT_FOUND') this.calls.fail(step, error.message, error.faults);
      });
    }
  }

  async putTeams(): Promise<void> {
    const call = (name: string, list: string, type: string) =>
      callBelow(name, list, type, { name: 'teamId', type: 'ID!' });
    for (const [team, steps] of byParent(this.of('member', 'create')))
      await this.putBelow(team, steps, call('putTeamMembers', 'members', 'TeamMemberInput'), (step) => ({
        memberId: secondOf(step),
      }));
    for (const [team, steps] of byParent(this.of('grant', 'create', 'change')))
      await this.putBelow(team, steps, call('putTeamApplications', 'applications', 'TeamApplicationInput'), (step) => ({
        applicationId: this.idOf(secondOf(step)),
        ...step.values,
      }));
  }

  async checkDevices(): Promise<void> {
    const items = this.of('device', 'create', 'change').map((step) => {
      const made = Object.entries(step.values).filter(([, value]) => typeof value !== 'string' || !isNew(value));
      return { step, item: { serial: step.key, ...this.deviceValues(Object.fromEntries(made)) } };
    });
    await this.calls.put({ name: 'putDevices', list: 'devices', type: 'DeviceInput' }, items);
  }

  /** Puts devices, with one call for all devices that are linked to the same applications. */
  async putDevices(): Promise<void> {
    const reached = this.items(this.of('link', 'create'), (step) => ({ application: this.idOf(secondOf(step)) }));
    const links = Map.groupBy(reached, ({ step }) => step.parent!.token);
    const changed = this.of('device', 'create', 'change');
    const tokens = new Set(changed.map(({ token }) => token));
    const linkedOnly = [...links].flatMap(([token, [link]]) => (tokens.has(token) ? [] : [link!.step]));
    const linksOf = ({ kind, token, parent }: Step) => links.get(kind === 'link' ? parent!.token : token) ?? [];
    const groups = Map.groupBy([...changed, ...linkedOnly], (step) =>
      JSON.stringify(
        linksOf(step)
          .map(({ item }) => item.application)
          .sort(),
      ),
    );
    for (const [linkTo, steps] of groups) {
      const more = { name: 'linkTo', type: '[ID!]', value: JSON.parse(linkTo) as string[] };
      const items = this.items(steps, (step) =>
        step.kind === 'link' ? { serial: step.parent!.key } : { serial: step.key, ...this.deviceValues(step.values) },
      );
      await this.calls.put({ name: 'putDevices', list: 'devices', type: 'DeviceInput', more }, items);
      // The links of a device that failed were not made either.
      for (const step of steps.filter((each) => this.calls.failed.has(each)))
        for (const link of linksOf(step)) this.calls.failed.add(link.step);
    }
  }

  /** Removes things. A thing that depends on another is removed before it. */
  async remove(): Promise<void> {
    const failed = [...this.calls.failed];
    const going = new Set(this.of('device', 'remove').map(({ token }) => token));
    for (const kind of [
      'link',
      'device',
      'grant',
      'member',
      'hook',
      'rule',
      'site',
      'team',
      'application',
      'product',
    ] as const) {
      const singles: Single[] = [];
      const steps = this.of(kind, 'remove');
      for (const step of kind === 'site' ? lowestFirst(steps, this.plan.state.sites) : steps) {
        const reason = failed.find((each) => isStopped(step, each, going));
        if (reason === undefined) singles.push({ step, operation: removalOf(step, this.calls.organizationId) });
        else this.calls.fail(step, `not done, because this failed: ${lineOf(reason)}`);
      }
      await this.calls.runAll(singles);
    }
  }

  private of(kind: ThingKind, ...actions: Step['action'][]): Step[] {
    return this.plan.steps.filter((step) => step.kind === kind && actions.includes(step.action));
  }

  private rounds(...given: Parameters<typeof roundsOf>) {
    return this.calls.isDry ? dryRoundsOf(...given) : roundsOf(...given);
  }

  /** Returns the identifier of a thing. @throws Missing when the thing was to be made and was not */
  private idOf(token: Token): string {
    if (!isNew(token)) return token;
    const id = this.calls.isDry ? nobody : this.made.get(token);
    if (id === undefined) throw new Missing(`not done, because this failed: ${token}`);
    return id;
  }

  /** Makes the item of each step. Fails the steps that need something that was not made. */
  private items<Made extends object>(steps: readonly Step[], make: (step: Step) => Made): (PutItem & { item: Made })[] {
    return steps.flatMap((step) => {
      try {
        return [{ step, item: make(step) }];
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        this.calls.fail(step, error.message);
        return [];
      }
    });
  }

  /** Puts things below a parent. */
  private async putBelow(
    parent: Token | undefined,
    steps: readonly Step[],
    call: (parentId: string | undefined) => PutCall,
    make: (step: Step) => object,
  ): Promise<void> {
    const items = this.items(steps, (step) => {
      if (parent !== undefined) this.idOf(parent);
      return make(step);
    });
    if (items.length > 0) await this.calls.put(call(parent && this.idOf(parent)), items, this.made);
  }

  private deviceValues({ product, site, ...values }: Values): Values {
    return {
      ...putValues(values),
      ...(product !== undefined && { product: typeof product === 'string' ? { id: this.idOf(product) } : product }),
      ...(site !== undefined && { siteId: typeof site === 'string' ? this.idOf(site) : site }),
    };
  }
}

const byParent = (steps: readonly Step[]) => Map.groupBy(steps, ({ parent }) => parent!.token);

/** Returns the function that makes a call which puts items below a parent. */
const callBelow =
  (name: string, list: string, type: string, more: { name: string; type: string }) =>
  (value: string | undefined): PutCall => ({ name, list, type, more: { ...more, value: value ?? null } });
