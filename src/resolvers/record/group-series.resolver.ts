import DataLoader from 'dataloader';
import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { GroupSeries, type GroupSplit } from '#entities/group-series.js';
import { Site } from '#entities/site.js';
import { deviceConditions } from '#listing/device-filter.js';
import { loaderOf } from '#listing/loader.js';
import { readFilter, type Silence } from '#listing/silent-filter.js';
import type { GroupCall, GroupLine, GroupMembers } from '#records/group-series.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Costs } from '#schema/cost.js';
import { applicationMembers, groupMembers, siteMembers } from './group-members.js';
import { GroupSeriesArgs, GroupSeriesBelowArgs, type GroupSeriesForm } from './group-series.args.js';

/** Cost in objects of lines over any number of devices. */
const groupCost = 250;

/** Reads lines over many devices. */
abstract class GroupReader {
  constructor(protected readonly index: Pick<RecordIndex, 'groupSeries'> & Silence) {}

  /** Reads the lines of the parent with others of a page. */
  protected load(
    ctx: Context,
    of: { name: string; id: string; organizationId: string; args: GroupSeriesBelowArgs },
    membersOf: (groups: readonly string[], conditions: readonly Sql[]) => GroupMembers,
  ): Promise<GroupSeries[]> {
    const { name, id, organizationId, args } = of;
    const make = () =>
      new DataLoader<string, GroupSeries[]>(async (groups) => {
        const { filter, ...form } = args;
        const conditions = deviceConditions(ctx.caller, await readFilter(ctx, this.index, filter));
        const lines = await this.read(ctx, organizationId, { members: membersOf(groups, conditions), groups }, form);
        const byGroup = Map.groupBy(lines, ({ group }) => group);
        return groups.map((each) => byGroup.get(each) ?? []);
      });
    return loaderOf(ctx, JSON.stringify([name, args]), make).load(id);
  }

  protected async read(
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

/** Resolves lines over many devices. */
@Resolver(() => Application)
export class GroupSeriesResolver extends GroupReader {
  @Costs(groupCost)
  @Query(() => [GroupSeries], {
    description:
      'Lines over many devices: reduces the values of each device in a bucket to a number, then combines the numbers of all devices. In the order of the number of records, the others last. Costs 250 objects.',
  })
  async groupSeries(@Args(() => GroupSeriesArgs) args: GroupSeriesArgs, @Ctx() ctx: Context): Promise<GroupSeries[]> {
    const { organizationId, over, ...form } = args;
    return this.read(ctx, organizationId, await groupMembers(ctx, this.index, organizationId, over), form);
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
    const of = { name: 'application.groupSeries', id, organizationId, args };
    return this.load(ctx, of, applicationMembers);
  }
}

/** Resolves lines over the devices of sites. */
@Resolver(() => Site)
export class SiteGroupSeriesResolver extends GroupReader {
  @Costs(groupCost)
  @FieldResolver(() => [GroupSeries], {
    description:
      'Lines over the devices that were at the site or below it, in the order of the number of records, the others last. Each site costs 250 objects.',
  })
  @GraphOnly()
  groupSeries(
    @Root() { id, organizationId }: Site,
    @Args(() => GroupSeriesBelowArgs) args: GroupSeriesBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<GroupSeries[]> {
    const of = { name: 'site.groupSeries', id, organizationId, args };
    return this.load(ctx, of, (sites, conditions) => siteMembers(ctx, sites, conditions));
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
  site: (keys) => sql`select id, name from site where id = any(${keys}::uuid[])`,
  device: (keys) => sql`select id, coalesce(name, serial) as name from device where id = any(${keys}::uuid[])`,
};

const zoneOf = async (ctx: Context, organizationId: string): Promise<string> => {
  const [account] = await ctx.read<{ timeZone: string }>(sql`
    select time_zone as "timeZone" from account where id = ${organizationId}`);
  return account!.timeZone;
};
