import DataLoader from 'dataloader';
import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { GroupSeries, type GroupSplit } from '#entities/group-series.js';
import { deviceConditions } from '#listing/device-filter.js';
import { loaderOf } from '#listing/loader.js';
import { readFilter, type Silence } from '#listing/silent-filter.js';
import type { GroupCall, GroupLine } from '#records/group-series.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Costs } from '#schema/cost.js';
import { applicationMembers, groupMembers } from './group-members.js';
import { GroupSeriesArgs, GroupSeriesBelowArgs, type GroupSeriesForm } from './group-series.args.js';

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
        const { filter, ...form } = args;
        const conditions = deviceConditions(ctx.caller, await readFilter(ctx, this.index, filter));
        const lines = await this.read(
          ctx,
          organizationId,
          { members: applicationMembers(groups, conditions), groups },
          form,
        );
        const byGroup = Map.groupBy(lines, ({ group }) => group);
        return groups.map((each) => byGroup.get(each) ?? []);
      });
    return loaderOf(ctx, JSON.stringify(['application.groupSeries', args]), make).load(id);
  }

  private async read(
    ctx: Context,
    organizationId: string,
    of: Pick<GroupCall, 'members' | 'groups'>,
    { timeZone, state, ...form }: GroupSeriesForm,
  ): Promise<NamedLine[]> {
    const { position, signal } = ctx;
    const zone = form.calendarInterval == null ? 'UTC' : (timeZone ?? (await zoneOf(ctx, organizationId)));
    const lines = await this.index.groupSeries({
      ...form,
      ...of,
      organizationId,
      timeZone: zone,
      state: state ?? 'true',
      position,
      signal,
    });
    return nameLines(ctx, form.split, lines);
  }
}

/** A line with the name of what its devices have in common. */
type NamedLine = GroupLine & { name: string | null };

const nameLines = async (ctx: Context, split: GroupSplit, lines: readonly GroupLine[]): Promise<NamedLine[]> => {
  const keys = lines.flatMap(({ key }) => (key === null ? [] : [key]));
  const find = namesOf[split];
  const found = keys.length === 0 || find === undefined ? [] : await ctx.read<{ id: string; name: string }>(find(keys));
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return lines.map((line) => ({ ...line, name: line.key === null ? null : (names.get(line.key) ?? line.key) }));
};

const namesOf: Partial<Record<GroupSplit, (keys: readonly string[]) => Sql>> = {
  product: (keys) => sql`select id, name from product where id = any(${keys}::uuid[])`,
  device: (keys) => sql`select id, coalesce(name, serial) as name from device where id = any(${keys}::uuid[])`,
};

const zoneOf = async (ctx: Context, organizationId: string): Promise<string> => {
  const [account] = await ctx.read<{ timeZone: string }>(sql`
    select time_zone as "timeZone" from account where id = ${organizationId}`);
  return account!.timeZone;
};
