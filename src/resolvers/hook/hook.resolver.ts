import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { loadApplication } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { RestShape } from '#entities/columns.js';
import { Delivery, DeliveryListItem } from '#entities/delivery.js';
import { Hook, HookAuthentication, HookHeader } from '#entities/hook.js';
import { newId } from '#entities/id.js';
import { faultsOfAuthentication, openHeaderValue, sealAuthentication } from '#hooks/authentication.js';
import type { Hooks } from '#hooks/hooks.js';
import { loadDelivery } from '#listing/deliveries.js';
import { hookConditions, hookListing, loadHook, roomForHooks, tooManyHooks } from '#listing/hooks.js';
import { HookArgs } from '#listing/identifier.args.js';
import { list } from '#listing/list.js';
import { loaderOf } from '#listing/loader.js';
import type { Context } from '#schema/context.js';
import { HookPage } from '#schema/pages.js';
import { CreateHookArgs, FilteredHooksArgs, UpdateHookArgs } from './hook.args.js';

/** The header of a hook, whose value is still encrypted. */
interface SealedHeader extends HookHeader {
  hook: Hook;
}

/** Resolves the headers of hooks. */
@Resolver(() => HookHeader)
export class HookHeaderResolver {
  constructor(private readonly hooks: Pick<Hooks, 'vault'>) {}

  @FieldResolver(() => String, { description: 'Value of the header.' })
  async value(@Root() { value, hook }: SealedHeader, @Ctx() ctx: Context): Promise<string> {
    await noteShown(ctx, hook);
    return openHeaderValue(this.hooks.vault, value, hook.id);
  }
}

/** Writes the event that a hook's header is shown. All hooks of a call share one statement. */
function noteShown(ctx: Context, hook: Hook): Promise<void> {
  const write = async (hooks: readonly Hook[]) => {
    const targets = hooks.map((each) => targetOf('Hook', each));
    await ctx.audit.shown('showHookHeader', targets);
    return targets.map(() => undefined);
  };
  // The trail decides for each mutation of the call whether a hook has an event already, so nothing is cached.
  const make = () => new DataLoader<Hook, void>(write, { cache: false });
  return loaderOf(ctx, 'hook.shown', make).load(hook);
}

/** Resolves the hooks of applications. */
@Resolver(() => Hook)
export class HookResolver {
  constructor(private readonly hooks: Pick<Hooks, 'vault' | 'ping' | 'requireUrl'>) {}

  @Query(() => HookPage, { description: 'The hooks of an application.' })
  async applicationHooks(
    @Args(() => FilteredHooksArgs) args: FilteredHooksArgs,
    @Ctx() ctx: Context,
  ): Promise<HookPage> {
    const application = await loadApplication(ctx, args, policies.hook.read);
    return list(ctx, hookListing([sql`h.application_id = ${application.id}`, ...hookConditions(args)]), args);
  }

  @Query(() => Hook, { description: 'A hook.' })
  applicationHook(@Args(() => HookArgs) args: HookArgs, @Ctx() ctx: Context): Promise<Hook> {
    return loadHook(ctx, args, policies.hook.read);
  }

  @FieldResolver(() => HookAuthentication, { nullable: true, description: "Authentication of the hook's calls." })
  authentication(@Root() hook: Hook): HookAuthentication | null {
    const { basicUser, headerName, headerValue } = hook;
    if (basicUser === null && headerName === null) return null;
    const header: SealedHeader | null =
      headerName === null || headerValue === null ? null : { name: headerName, value: headerValue, hook };
    return { basic: basicUser === null ? null : { user: basicUser }, header };
  }

  @Mutation(() => Hook, { description: 'Creates a hook.' })
  async createApplicationHook(@Args(() => CreateHookArgs) args: CreateHookArgs, @Ctx() ctx: Context): Promise<Hook> {
    this.requireSound(args);
    const hook = Object.assign(new Hook(), { id: newId() });
    this.change(hook, args);
    const { id, organizationId } = await loadApplication(ctx, args, policies.hook.change);
    Object.assign(hook, { applicationId: id, organizationId });
    return ctx.em.transactional(async (em) => {
      if ((await roomForHooks(em, id)) <= 0) throw tooManyHooks();
      em.persist(hook);
      return hook;
    });
  }

  @Mutation(() => Hook, { description: 'Changes a hook.' })
  async updateApplicationHook(@Args(() => UpdateHookArgs) args: UpdateHookArgs, @Ctx() ctx: Context): Promise<Hook> {
    this.requireSound(args);
    const hook = await loadHook(ctx, args, policies.hook.change);
    this.change(hook, args);
    await ctx.update(hook);
    // After the hook is enabled or its address changed, waiting deliveries may be due.
    ctx.wake();
    return hook;
  }

  @Mutation(() => Hook, { description: 'Deletes a hook and its deliveries.' })
  async deleteApplicationHook(@Args(() => HookArgs) args: HookArgs, @Ctx() ctx: Context): Promise<Hook> {
    const hook = await loadHook(ctx, args, policies.hook.change);
    await ctx.em.remove(hook).flush();
    return hook;
  }

  @Mutation(() => Delivery, { description: 'Calls a hook as a test, and waits at most 20 s for the end of the call.' })
  @RestShape(DeliveryListItem)
  async pingApplicationHook(@Args(() => HookArgs) args: HookArgs, @Ctx() ctx: Context): Promise<Delivery> {
    const hook = await loadHook(ctx, args, policies.hook.change);
    const { id, applicationId, organizationId } = hook;
    const deliveryId = await this.hooks.ping(
      { id, application: { id: applicationId, organizationId } },
      ctx.traceparent,
      ctx.audit.event(targetOf('Hook', hook)),
    );
    const delivery = await loadDelivery(ctx, id, deliveryId);
    if (delivery.error) ctx.addHeader('X-Delivery-Error', `${delivery.error.code}: ${delivery.error.message}`);
    return delivery;
  }

  /** Checks what depends on no stored hook, before the hook is loaded (contract, section 4). */
  private requireSound({ url, authentication }: CreateHookArgs): void {
    this.hooks.requireUrl(url);
    const faults = faultsOfAuthentication(authentication ?? {});
    if (faults.length > 0) throw invalid(faults);
  }

  /** Applies new values. An absent authentication stays unchanged; `null` clears it. */
  private change(hook: Hook, { url, allowUnverifiedSSLCert, disabled, authentication }: CreateHookArgs): void {
    if (authentication !== undefined)
      Object.assign(hook, sealAuthentication(this.hooks.vault, hook, authentication ?? {}));
    hook.change({ url, allowUnverifiedSSLCert, disabled });
  }
}
