import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { policies } from '#auth/policies.js';
import { notFound } from '#common/errors.js';
import { GraphOnly } from '#entities/columns.js';
import { Hook } from '#entities/hook.js';
import { CircuitState, HookSettings, HookSigningSecret } from '#entities/hook-settings.js';
import { HookStats } from '#entities/hook-stats.js';
import { isBasicReplaced } from '#hooks/authentication.js';
import type { Hooks } from '#hooks/hooks.js';
import { newSigningSecret } from '#hooks/signature.js';
import { statsQuery } from '#hooks/stats.js';
import { secretPlace } from '#hooks/target.js';
import { loadHook, requireOwnerForDevices } from '#listing/hooks.js';
import { HookArgs } from '#listing/identifier.args.js';
import { loadById, loaderOf } from '#listing/loader.js';
import { requireStoredQuery } from '#records/stored-query.js';
import type { Context } from '#schema/context.js';
import { UpdateHookSettingsArgs } from './hook.args.js';

/** Resolves the settings of a hook, its signing secret and the state of its calls. */
@Resolver(() => Hook)
export class HookSettingsResolver {
  constructor(private readonly hooks: Pick<Hooks, 'vault' | 'clock'>) {}

  @Query(() => HookSettings, { description: 'The settings of a hook and the state of its calls.' })
  async applicationHookSettings(@Args(() => HookArgs) args: HookArgs, @Ctx() ctx: Context): Promise<HookSettings> {
    return this.read(ctx, await loadHook(ctx, args, policies.hook.read));
  }

  @Mutation(() => HookSettings, {
    description: 'Changes the settings of a hook: concurrency, rate, order, filter, events.',
  })
  async updateApplicationHookSettings(
    @Args(() => UpdateHookSettingsArgs) args: UpdateHookSettingsArgs,
    @Ctx() ctx: Context,
  ): Promise<HookSettings> {
    if (args.filter?.query) requireStoredQuery('filter.query', args.filter.query);
    const hook = await loadHook(ctx, args, policies.hook.change);
    requireOwnerForDevices(ctx, hook, args.events);
    hook.tune(args);
    await ctx.update(hook);
    ctx.wake();
    return this.read(ctx, hook);
  }

  @Mutation(() => HookSigningSecret, {
    description:
      'Creates or replaces the signing secret of a hook. The previous secret also signs for 24 hours. The new one is shown only in this answer.',
  })
  async rotateApplicationHookSigningSecret(
    @Args(() => HookArgs) args: HookArgs,
    @Ctx() ctx: Context,
  ): Promise<HookSigningSecret> {
    const hook = await loadHook(ctx, args, policies.hook.change);
    const signingSecret = newSigningSecret();
    hook.signWith(this.hooks.vault.seal(signingSecret, secretPlace(hook.id, 'signing_secret')), this.hooks.clock());
    await ctx.update(hook);
    return { signingSecret, previousSecretUntil: hook.previousSigningSecretUntil };
  }

  @Mutation(() => Hook, { description: 'Removes the signing secret of a hook. Calls are no longer signed.' })
  async removeApplicationHookSigningSecret(@Args(() => HookArgs) args: HookArgs, @Ctx() ctx: Context): Promise<Hook> {
    const hook = (await loadHook(ctx, args, policies.hook.change)).signWith(null, this.hooks.clock());
    await ctx.update(hook);
    return hook;
  }

  @FieldResolver(() => HookSettings, { description: 'Settings of the hook and the state of its calls.' })
  @GraphOnly()
  settings(@Ctx() ctx: Context, @Root() hook: Hook): Promise<HookSettings> {
    return this.read(ctx, hook);
  }

  @FieldResolver(() => HookStats, { description: 'Statistics of the hook.' })
  @GraphOnly()
  async stats(@Ctx() ctx: Context, @Root() { id }: Hook): Promise<HookStats> {
    const make = () =>
      new DataLoader<string, HookStats | undefined>(async (ids) => {
        const below = sql`
          select parent.id, below.* from unnest(${ids}::uuid[]) parent(id) cross join lateral (${statsQuery(sql`parent.id`)}) below`;
        const rows = (await ctx.readWithin(below, 5000)) as (HookStats & { id: string })[];
        const found = new Map(rows.map((row) => [row.id, row]));
        return ids.map((each) => found.get(each));
      });
    const stats = await loaderOf(ctx, 'hook.stats', make).load(id);
    if (stats === undefined) throw notFound('hook');
    return stats;
  }

  private async read(ctx: Context, hook: Hook): Promise<HookSettings> {
    const state = await loadById<State>(
      ctx,
      'hook.state',
      hook.id,
      (ids) => sql`
        select hook_id as id, failures_in_row as "failuresInRow", circuit_until as "circuitUntil"
          from hook_state where hook_id = any(${ids}::uuid[])`,
    );
    if (state === null) throw notFound('hook');
    const { concurrency, maxPerSecond, ordered, events, filter, filterDisabledAt, filterDisabledReason } = hook;
    const { disabledAt, disabledReason } = hook;
    const until = state.circuitUntil === null ? 0 : Date.parse(state.circuitUntil);
    const circuit =
      until === 0 ? CircuitState.closed : until > this.hooks.clock() ? CircuitState.open : CircuitState.probing;
    return {
      concurrency,
      maxPerSecond,
      ordered,
      events,
      filter,
      filterDisabledAt,
      filterDisabledReason,
      signed: hook.signingSecret !== null,
      basicReplacedByHeader: isBasicReplaced(hook),
      previousSecretUntil: hook.previousSigningSecretUntil,
      circuit,
      circuitUntil: circuit === CircuitState.open ? state.circuitUntil : null,
      failuresInRow: state.failuresInRow,
      disabledAt,
      disabledReason,
    };
  }
}

interface State {
  id: string;
  failuresInRow: number;
  circuitUntil: string | null;
}
