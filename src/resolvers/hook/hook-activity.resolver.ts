import DataLoader from 'dataloader';
import { Args, Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { GraphOnly } from '#entities/columns.js';
import { Hook } from '#entities/hook.js';
import { HookActivity } from '#entities/hook-activity.js';
import { type ActivityRow, activityQuery } from '#hooks/activity.js';
import { ActivityArgs } from '#listing/activity.args.js';
import { type Buckets, boundsOf, bucketsOf } from '#listing/activity-buckets.js';
import { loaderOf } from '#listing/loader.js';
import type { Context, FieldPosition } from '#schema/context.js';
import { FieldPlace, type SelectedFields, SelectedNames } from '#schema/selected-fields.js';

/** Timeout of the activity of all hooks on a page, in milliseconds. */
const timeout = 10_000;

/** Resolves the activity of hooks over time. */
@Resolver(() => Hook)
export class HookActivityResolver {
  /** @param clock returns milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @FieldResolver(() => [HookActivity], {
    description:
      'Deliveries of the hook over time, by the time of storing and the present state; buckets without deliveries are 0.',
  })
  @GraphOnly()
  // The buckets are charged by `bucketsOf` before they are read.
  @Extensions({ uncounted: true })
  activity(
    @Root() { id }: Hook,
    @Args(() => ActivityArgs) args: ActivityArgs,
    @SelectedNames() selected: SelectedFields,
    @FieldPlace() place: FieldPosition,
    @Ctx() ctx: Context,
  ): Promise<HookActivity[]> {
    const buckets = bucketsOf(args, this.clock() / 1000, (objects) => ctx.objects?.count(place, objects));
    const durations = selected.has('p50') || selected.has('p95');
    const make = () =>
      new DataLoader<string, HookActivity[]>(async (ids) => {
        const query = activityQuery(ids, boundsOf(buckets), durations);
        const rows = Map.groupBy((await ctx.readWithin(query, timeout)) as ActivityRow[], ({ hookId }) => hookId);
        return ids.map((each) => activityOf(buckets, rows.get(each) ?? []));
      });
    return loaderOf(ctx, JSON.stringify(['hook.activity', buckets, durations]), make).load(id);
  }
}

function activityOf({ from, interval, count }: Buckets, rows: readonly ActivityRow[]): HookActivity[] {
  const activity = Array.from({ length: count }, (_, index): HookActivity => {
    return { ts: from + index * interval, succeeded: 0, failed: 0, pending: 0 };
  });
  for (const { bucket, succeeded, failed, pending, p50, p95 } of rows) {
    const ended = succeeded + failed;
    const successRate = ended === 0 ? null : succeeded / ended;
    Object.assign(activity[bucket]!, { succeeded, failed, pending, successRate, p50, p95 });
  }
  return activity;
}
