import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { isOwner, requireOrganization } from '#auth/access.js';
import { invalid } from '#common/errors.js';
import { Application } from '#entities/application.js';
import { Permission } from '#entities/enums.js';
import { Hook } from '#entities/hook.js';
import { newId } from '#entities/id.js';
import { Product } from '#entities/product.js';
import { PutAnswer } from '#entities/put-answer.js';
import { Team } from '#entities/team.js';
import { variableFaults } from '#entities/variables.js';
import { sealAuthentication } from '#hooks/authentication.js';
import type { Hooks } from '#hooks/hooks.js';
import type { Context } from '#schema/context.js';
import { type HookInput, PutApplicationsArgs, PutHooksArgs, PutProductsArgs, PutTeamsArgs } from '#schema/put.args.js';
import { requireOwnerForDevices, roomForHooks, tooManyHooks } from './hooks.js';
import { put, requireApplicationToPut } from './put-many.js';
import { requireStoredQuery } from './stored-query.js';

/** Resolves the mutations that put many products, applications, hooks or teams by their keys. */
@Resolver()
export class PutResolver {
  constructor(private readonly hooks: Pick<Hooks, 'vault' | 'requireUrl'>) {}

  @Mutation(() => PutAnswer, {
    description:
      'Creates and changes products by the keys of a tool. One outcome per product, in order; the fault of one does not fail the others.',
  })
  putProducts(
    @Args(() => PutProductsArgs) { organizationId, products, dryRun }: PutProductsArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    requireOrganization(ctx, organizationId, 'write');
    return put(ctx, products, {
      organizationId,
      key: 'externalId',
      isDry: dryRun === true,
      type: Product,
      make: () => Object.assign(new Product(), { id: newId(), organizationId }),
      change(product, item) {
        const faults = variableFaults(item.variables);
        if (faults.length > 0) throw invalid(faults);
        product.change(item);
      },
    });
  }

  @Mutation(() => PutAnswer, {
    description:
      'Creates and changes applications by the keys of a tool. One outcome per application, in order; the fault of one does not fail the others.',
  })
  putApplications(
    @Args(() => PutApplicationsArgs) { organizationId, applications, dryRun }: PutApplicationsArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    requireOrganization(ctx, organizationId, 'own');
    return put(ctx, applications, {
      organizationId,
      key: 'externalId',
      isDry: dryRun === true,
      type: Application,
      make: () => Object.assign(new Application(), { id: newId(), organizationId, permission: Permission.write }),
      change: (application, item) => void application.change(item),
    });
  }

  @Mutation(() => PutAnswer, {
    description:
      'Creates and changes teams by their names. One outcome per team, in order; the fault of one does not fail the others.',
  })
  putTeams(
    @Args(() => PutTeamsArgs) { organizationId, teams, dryRun }: PutTeamsArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    requireOrganization(ctx, organizationId, 'write');
    return put(ctx, teams, {
      organizationId,
      key: 'name',
      isDry: dryRun === true,
      type: Team,
      make: () => Object.assign(new Team(), { id: newId(), organizationId }),
      change: (team, item) => void team.change(item),
    });
  }

  @Mutation(() => PutAnswer, {
    description:
      'Creates and changes hooks of an application by the keys of a tool, with their settings. One outcome per hook, in order; the fault of one does not fail the others. Owners move a hook of another application here by its `id`: it keeps its secrets and deliveries.',
  })
  async putHooks(
    @Args(() => PutHooksArgs) { organizationId, applicationId, hooks, dryRun }: PutHooksArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    const id = await requireApplicationToPut(ctx, { organizationId, applicationId, dryRun });
    const answer = await put(ctx, hooks, {
      organizationId,
      key: 'externalId',
      isDry: dryRun === true,
      type: Hook,
      isOurs: (hook) => hook.applicationId === id,
      mayTake: isOwner(ctx.caller),
      roomOf: (em) => roomForHooks(em, id),
      full: tooManyHooks,
      make: () => Object.assign(new Hook(), { id: newId(), organizationId, applicationId: id }),
      change: (hook, item) => {
        this.change(ctx, hook, item);
        hook.applicationId = id;
      },
    });
    // After a hook is enabled or its address changed, waiting deliveries may be due.
    ctx.wake();
    return answer;
  }

  private change(ctx: Context, hook: Hook, item: HookInput): void {
    this.hooks.requireUrl(item.url);
    if (item.filter?.query) requireStoredQuery('filter.query', item.filter.query);
    requireOwnerForDevices(ctx, hook, item.events);
    if (item.authentication !== undefined)
      Object.assign(hook, sealAuthentication(this.hooks.vault, hook, item.authentication ?? {}));
    hook.change(item).tune(item);
  }
}
