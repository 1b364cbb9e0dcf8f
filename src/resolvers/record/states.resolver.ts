import DataLoader from 'dataloader';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { States } from '#entities/states.js';
import { loaderOf } from '#listing/loader.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Sized } from '#schema/cost.js';
import { StatesArgs } from './series.args.js';

/** Resolves states over time, for timelines. */
@Resolver(() => Device)
export class StatesResolver {
  constructor(private readonly index: Pick<RecordIndex, 'states'>) {}

  @Sized({ variables: 1 })
  @FieldResolver(() => [States], {
    description:
      'States over time, for timelines: one item for each variable, in the order of the argument. All devices on a page are read together, at most 50,000 buckets.',
  })
  @GraphOnly()
  states(
    @Root() { id, organizationId }: Device,
    @Args(() => StatesArgs) args: StatesArgs,
    @Ctx() ctx: Context,
  ): Promise<States[]> {
    const { variables, from = null, to = null, points, interval = null } = args;
    const call = { organizationId, variables: [...new Set(variables)], from, to, points, interval };
    const make = () =>
      new DataLoader<string, States[]>(async (deviceIds) => {
        const { position, signal } = ctx;
        const lines = await this.index.states({ ...call, deviceIds, position, signal });
        const byDevice = Map.groupBy(lines, ({ deviceId }) => deviceId);
        return deviceIds.map((each) => byDevice.get(each) ?? []);
      });
    return loaderOf(ctx, JSON.stringify(['device.states', call]), make).load(id);
  }
}
