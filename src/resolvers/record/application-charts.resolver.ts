import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { invalid } from '#common/errors.js';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { Series } from '#entities/series.js';
import { loaderOf } from '#listing/loader.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Sized } from '#schema/cost.js';
import { SeriesBelowArgs } from './series.args.js';
import { readLines } from './series-lines.js';

/** Maximum number of devices in one chart. */
const maximum = 100;

/** Resolves the charts of applications. */
@Resolver(() => Application)
export class ApplicationChartsResolver {
  constructor(private readonly index: Pick<RecordIndex, 'series'>) {}

  @Sized({ devices: maximum, variables: 1 })
  @FieldResolver(() => [Series], {
    description:
      "Lines of a chart: one for each of the application's devices, at most 100, and each variable. All applications on a page are read together, at most 50,000 points.",
  })
  @GraphOnly()
  async series(
    @Root() { id, organizationId }: Application,
    @Args(() => SeriesBelowArgs) args: SeriesBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<Series[]> {
    const make = () =>
      new DataLoader<string, Series[]>(async (ids) => {
        const devicesOf = await this.devicesOf(ctx, ids);
        const fitting = [...devicesOf.values()].filter((devices) => devices.length <= maximum);
        const lines = await readLines(this.index, ctx, organizationId, [...new Set(fitting.flat())], args);
        const byDevice = Map.groupBy(lines, ({ deviceId }) => deviceId);
        return ids.map((each) => {
          const devices = devicesOf.get(each) ?? [];
          return devices.length > maximum ? tooMany() : devices.flatMap((device) => byDevice.get(device) ?? []);
        });
      });
    return loaderOf(ctx, JSON.stringify(['application.series', args]), make).load(id);
  }

  /** Returns the devices of each application in the order of linking, up to one more than a chart may have. */
  private async devicesOf(ctx: Context, applicationIds: readonly string[]): Promise<Map<string, string[]>> {
    const links = await ctx.read<{ applicationId: string; deviceId: string }>(sql`
      select parent.id as "applicationId", l.device_id as "deviceId"
        from unnest(${applicationIds}::uuid[]) parent(id) cross join lateral (
          select device_id, created_at from application_device where application_id = parent.id
           order by created_at, device_id limit ${maximum + 1}) l
       order by l.created_at, l.device_id`);
    const grouped = Map.groupBy(links, ({ applicationId }) => applicationId);
    return new Map([...grouped].map(([id, each]) => [id, each.map(({ deviceId }) => deviceId)]));
  }
}

const tooMany = () =>
  invalid([
    {
      path: 'applicationId',
      message: `has more than ${maximum} devices: name the ones to chart in \`deviceIds\` of \`series\``,
    },
  ]);
