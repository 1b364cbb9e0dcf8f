import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { GroupSeries } from '#entities/group-series.js';
import { loaderOf } from '#listing/loader.js';
import type { Silence } from '#listing/silent-filter.js';
import type { GroupCall, GroupLine } from '#records/group-series.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Costs } from '#schema/cost.js';
import { applicationMembers, groupMembers } from './group-members.js';
import { GroupSeriesArgs, GroupSeriesBelowArgs } from './group-series.args.js';

/** Cost in objects of lines over any number of devices. */
const groupCost = 250;

/** Resolves lines over many devices. */
@Resolver(() => Application)
export class GroupSeriesResolver {
  constructor(private readonly index: Pick<RecordIndex, 'groupSeries'> & Silence) {}

  @Costs(groupCost)
  @Query(() => [GroupSeries], {
    description:
      'Lines over many devices: reduces the values of each device in a bucket to a number, then combines the numbers of all devices. In the order of the number of records, the others last. Costs 250 objects.',
  })
  async groupSeries(@Args(() => GroupSeriesArgs) args: GroupSeriesArgs, @Ctx() ctx: Context): Promise<GroupSeries[]> {
    const { organizationId, over, ...form } = args;
    const members = await groupMembers(ctx, this.index, organizationId, over);
    return this.read(ctx, organizationId, { members, groups: [''] }, form);
  }

  @Costs(groupCost)
  @FieldResolver(() => [GroupSeries], {
    name: 'groupSeries',
    description:
      "Lines over the application's devices, in the order of the number of records, the others last. Each application costs 250 objects.",
  })
  @GraphOnly()
  groupSeriesBelow(
    @Root() { id, organizationId }: Application,
    @Args(() => GroupSeriesBelowArgs) args: GroupSeriesBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<GroupSeries[]> {
    const make = () =>
      new DataLoader<string, GroupSeries[]>(async (groups) => {
        const lines = await this.read(ctx, organizationId, { members: applicationMembers(groups), groups }, args);
        const byGroup = Map.groupBy(lines, ({ group }) => group);
        return groups.map((each) => byGroup.get(each) ?? []);
      });
    return loaderOf(ctx, JSON.stringify(['application.groupSeries', args]), make).load(id);
  }

  private async read(
    ctx: Context,
    organizationId: string,
    of: Pick<GroupCall, 'members' | 'groups'>,
    { timeZone, state, ...form }: GroupSeriesBelowArgs,
  ): Promise<GroupLine[]> {
    const { position, signal } = ctx;
    const zone = form.calendarInterval == null ? 'UTC' : (timeZone ?? (await zoneOf(ctx, organizationId)));
    return this.index.groupSeries({
      ...form,
      ...of,
      organizationId,
      timeZone: zone,
      state: state ?? 'true',
      position,
      signal,
    });
  }
}

const zoneOf = async (ctx: Context, organizationId: string): Promise<string> => {
  const [account] = await ctx.read<{ timeZone: string }>(sql`
    select time_zone as "timeZone" from account where id = ${organizationId}`);
  return account!.timeZone;
};
