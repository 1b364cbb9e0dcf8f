import DataLoader from 'dataloader';
import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { Organization } from '#entities/account.js';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { RecordActivity } from '#entities/record-activity.js';
import { ActivityArgs } from '#listing/activity.args.js';
import { type Buckets, bucketsOf } from '#listing/activity-buckets.js';
import { loaderOf } from '#listing/loader.js';
import type { Context, FieldPosition } from '#schema/context.js';
import { FieldPlace } from '#schema/selected-fields.js';

/** Timeout of the activity of all parents on a page, in milliseconds. */
const timeout = 5000;

/** Resolves the ingestion of organizations over time. */
@Resolver(() => Organization)
export class OrganizationActivityResolver {
  /** @param clock returns milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @FieldResolver(() => [RecordActivity], {
    nullable: true,
    description:
      'Ingestion over time; only for owners. Buckets have whole minutes, or whole hours if they start more than 48 hours ago. Counts go back 400 days.',
  })
  @GraphOnly()
  @Extensions({ uncounted: true })
  activity(
    @Root() { id }: Organization,
    @Args(() => ActivityArgs) args: ActivityArgs,
    @FieldPlace() place: FieldPosition,
    @Ctx() ctx: Context,
  ): Promise<RecordActivity[]> {
    authorize(ctx, id, policies.record.count);
    const parent = { column: sql`organization_id`, condition: sql`application_id is null` };
    return activityBelow(
      ctx,
      'organization',
      id,
      parent,
      bucketsOf(args, this.clock() / 1000, (objects) => ctx.objects?.count(place, objects), true),
    );
  }
}

/** Resolves the ingestion of applications over time. */
@Resolver(() => Application)
export class ApplicationActivityResolver {
  /** @param clock returns milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @FieldResolver(() => [RecordActivity], {
    description:
      'Ingestion over time for the devices that were linked to the application at that time. Rejected items without a known device count only for the organization.',
  })
  @GraphOnly()
  @Extensions({ uncounted: true })
  activity(
    @Root() { id, organizationId }: Application,
    @Args(() => ActivityArgs) args: ActivityArgs,
    @FieldPlace() place: FieldPosition,
    @Ctx() ctx: Context,
  ): Promise<RecordActivity[]> {
    const parent = { column: sql`application_id`, condition: sql`organization_id = ${organizationId}` };
    return activityBelow(
      ctx,
      'application',
      id,
      parent,
      bucketsOf(args, this.clock() / 1000, (objects) => ctx.objects?.count(place, objects), true),
    );
  }
}

interface Row {
  id: string;
  bucket: number;
  kind: string;
  n: number;
}

/** Returns the activity of a parent. All parents of a call with the same buckets share one statement. */
function activityBelow(
  ctx: Context,
  kind: string,
  id: string,
  { column, condition }: { column: Sql; condition: Sql },
  buckets: Buckets,
): Promise<RecordActivity[]> {
  const { from, interval, count } = buckets;
  const make = () =>
    new DataLoader<string, RecordActivity[]>(async (ids) => {
      const rows = (await ctx.readWithin(
        sql`
        select ${column} as id, floor((extract(epoch from at)::float8 - ${from}::float8) / ${interval}::float8)::int as bucket,
               kind, sum(n)::float8 as n
          from record_activity
         where ${column} = any(${ids}::uuid[]) and ${condition}
           and at >= to_timestamp(${from}::float8) and at < to_timestamp(${from + count * interval}::float8)
         group by 1, 2, 3 order by 3`,
        timeout,
      )) as Row[];
      const byParent = Map.groupBy(rows, (row) => row.id);
      return ids.map((each) => activityOf(buckets, byParent.get(each) ?? []));
    });
  return loaderOf(ctx, JSON.stringify([`${kind}.activity`, buckets]), make).load(id);
}

/** Field of each kind of count. Other kinds are codes of rejected items. */
const fields = new Map<string, 'stored' | 'duplicates' | 'decodePartial' | 'decodeFailed'>([
  ['stored', 'stored'],
  ['duplicate', 'duplicates'],
  ['decode_partial', 'decodePartial'],
  ['decode_failed', 'decodeFailed'],
]);

function activityOf({ from, interval, count }: Buckets, rows: readonly Row[]): RecordActivity[] {
  const activity = Array.from({ length: count }, (_, index): RecordActivity => {
    const ts = from + index * interval;
    return { ts, stored: 0, duplicates: 0, rejected: 0, rejections: [], decodePartial: 0, decodeFailed: 0 };
  });
  for (const { bucket, kind, n } of rows) {
    const one = activity[bucket]!;
    const field = fields.get(kind);
    if (field !== undefined) one[field] = n;
    else {
      one.rejected += n;
      one.rejections.push({ code: kind, count: n });
    }
  }
  return activity;
}
