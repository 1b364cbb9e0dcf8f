import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { loadDevice } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import type { CommitBus } from '#common/commit-bus.js';
import { invalid } from '#common/errors.js';
import { countNames, desire, lockDevice, stateRows } from '#downlink/device-state.js';
import { tooManyNames, valueFaults } from '#downlink/state-values.js';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { DeviceState, DeviceStates, maxStateNames } from '#entities/device-state.js';
import { DeviceArgs } from '#listing/identifier.args.js';
import { loaderOf } from '#listing/loader.js';
import type { Context } from '#schema/context.js';
import { SetDesiredStateArgs } from './command.args.js';
import { loadState } from './load-state.js';
import { settingsOf } from './new-command.js';

/** Resolves the states of devices: what they should have, and what they report. */
@Resolver(() => Device)
export class DeviceStateResolver {
  constructor(private readonly bus: Pick<CommitBus, 'emit'>) {}

  @FieldResolver(() => [DeviceState], {
    description: 'State of the device, in the order of names: what it should have, and what it reports.',
  })
  @GraphOnly()
  state(@Root() { id }: Device, @Ctx() ctx: Context): Promise<DeviceState[]> {
    const make = () =>
      new DataLoader<string, DeviceState[]>(async (ids) => {
        const rows = await ctx.read<DeviceState & { deviceId: string }>(stateRows(sql`${ids}`));
        const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId);
        return ids.map((each) => byDevice.get(each) ?? []);
      });
    return loaderOf(ctx, 'device.state', make).load(id);
  }

  @Query(() => DeviceStates, { description: 'State of a device: what it should have, and what it reports.' })
  async deviceState(@Args(() => DeviceArgs) args: DeviceArgs, @Ctx() ctx: Context): Promise<DeviceStates> {
    const { id } = await loadDevice(ctx, args, policies.deviceState.read);
    return { state: await loadState(ctx, id) };
  }

  @Mutation(() => DeviceStates, {
    description:
      'Sets the state that a device should have. Owners may do this, and members with the permission `write` on an application of the device.',
  })
  async setDesiredState(
    @Args(() => SetDesiredStateArgs) { desired, ...args }: SetDesiredStateArgs,
    @Ctx() ctx: Context,
  ): Promise<DeviceStates> {
    const device = await loadDevice(ctx, args, policies.deviceState.desire);
    const faults = valueFaults('desired', desired, (await settingsOf(ctx, device)).state);
    if (faults.length > 0) throw invalid(faults);
    const values = Object.entries(desired).map(([name, value]) => ({ name, value }));
    const state = await ctx.em.transactional(async (em) => {
      await execute(em, lockDevice(device.id));
      const before = await execute<DeviceState>(em, stateRows(sql`${`{${device.id}}`}`));
      await execute(em, desire(device, values));
      const [counted] = await execute<{ count: number }>(em, countNames(device.id));
      if (counted!.count > maxStateNames) throw tooManyNames('desired', counted!.count);
      const former = new Map(before.map((part) => [part.name, part.desired]));
      const changes = values.map(({ name, value }) => [`desired.${name}`, [former.get(name) ?? null, value]]);
      ctx.audit.about(targetOf('Device', device), Object.fromEntries(changes) as never);
      return execute<DeviceState>(em, stateRows(sql`${`{${device.id}}`}`));
    });
    this.bus.emit('downlink', [device.id]);
    return { state };
  }
}
