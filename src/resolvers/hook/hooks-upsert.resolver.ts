import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { isAllowed, policies } from '#auth/policies.js';
import { Hook } from '#entities/hook.js';
import { newId } from '#entities/id.js';
import { PutAnswer } from '#entities/put-answer.js';
import { sealAuthentication } from '#hooks/authentication.js';
import type { Hooks } from '#hooks/hooks.js';
import { requireOwnerForDevices, roomForHooks, tooManyHooks } from '#listing/hooks.js';
import { requireStoredQuery } from '#records/stored-query.js';
import type { Context } from '#schema/context.js';
import { requireApplicationToPut, upsertMany } from '#upsert/upsert-many.js';
import { type HookInput, PutHooksArgs } from './hook.args.js';

/** Resolves the mutation that puts many hooks of an application by their keys. */
@Resolver()
export class HooksUpsertResolver {
  constructor(private readonly hooks: Pick<Hooks, 'vault' | 'requireUrl'>) {}

  @Mutation(() => PutAnswer, {
    description:
      'Creates and changes hooks of an application by the keys of a tool, with their settings. One outcome per hook, in order; the fault of one does not fail the others. Owners move a hook of another application here by its `id`: it keeps its secrets and deliveries.',
  })
  async putHooks(
    @Args(() => PutHooksArgs) { organizationId, applicationId, hooks, dryRun }: PutHooksArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    const id = await requireApplicationToPut(ctx, { organizationId, applicationId, dryRun }, policies.hook.change);
    const answer = await upsertMany(ctx, hooks, {
      organizationId,
      key: 'externalId',
      isDry: dryRun === true,
      type: Hook,
      isOurs: (hook) => hook.applicationId === id,
      mayTake: isAllowed(ctx.caller, policies.hook.take),
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
