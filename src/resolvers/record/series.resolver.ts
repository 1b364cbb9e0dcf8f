import DataLoader from 'dataloader';
import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { VariableType } from '#entities/enums.js';
import { Series } from '#entities/series.js';
import { loadDeviceById } from '#listing/devices.js';
import { loaderOf } from '#listing/loader.js';
import { variablesOf } from '#listing/products.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Sized } from '#schema/cost.js';
import { chosenDevices } from './chosen-devices.js';
import { DeviceSeriesArgs, defaultVariables, SeriesArgs } from './series.args.js';
import { readLines, roundLines } from './series-lines.js';

/** Resolves measured values over time, for charts. */
@Resolver(() => Device)
export class SeriesResolver {
  constructor(private readonly index: Pick<RecordIndex, 'series'>) {}

  @Sized({ deviceIds: 100, variables: 1 })
  @Query(() => [Series], {
    description:
      'Lines of a chart: one for each device and variable, in the order of the arguments, at most 50,000 points together. A line without values is empty.',
  })
  async series(@Args(() => SeriesArgs) args: SeriesArgs, @Ctx() ctx: Context): Promise<Series[]> {
    const devices = await chosenDevices(ctx, args);
    const deviceIds = devices.map(({ id }) => id);
    return readLines(this.index, ctx, args.organizationId, deviceIds, args);
  }

  @Sized({ variables: defaultVariables })
  @FieldResolver(() => [Series], {
    name: 'series',
    description:
      'Lines of a chart: one for each variable. All devices on a page are read together, at most 50,000 points.',
  })
  @GraphOnly()
  async seriesBelow(
    @Root() device: Device,
    @Args(() => DeviceSeriesArgs) args: DeviceSeriesArgs,
    @Ctx() ctx: Context,
  ): Promise<Series[]> {
    const variables = args.variables ?? (await numericVariables(ctx, device)).slice(0, defaultVariables);
    if (variables.length === 0) return [];
    const call = { ...args, variables };
    const make = () =>
      new DataLoader<string, Series[]>(async (ids) => {
        const exact = await readLines(this.index, ctx, device.organizationId, ids, call);
        const lines = args.digits == null ? exact : roundLines(exact, args.digits);
        const byDevice = Map.groupBy(lines, ({ deviceId }) => deviceId);
        return ids.map((each) => byDevice.get(each) ?? []);
      });
    return loaderOf(ctx, JSON.stringify(['device.series', call]), make).load(device.id);
  }
}

/** Returns the names of the drawable variables of a device's product, as the caller sees it. */
const numericVariables = async (ctx: Context, { productId }: Device): Promise<string[]> =>
  (await variablesOf(ctx, productId)).filter(({ type }) => type !== VariableType.TXT).map(({ name }) => name);

/** Resolves the device of a line. */
@Resolver(() => Series)
export class SeriesEdgesResolver {
  @FieldResolver(() => Device, { nullable: true, description: 'The device.' })
  device(@Root() { deviceId }: Series, @Ctx() ctx: Context): Promise<Device | null> {
    return loadDeviceById(ctx, deviceId);
  }
}
