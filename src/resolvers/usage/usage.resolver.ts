import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { isId } from '#entities/id.js';
import { Quota, UsageBy, type UsageDay } from '#entities/usage.js';
import { list } from '#listing/list.js';
import type { Listing } from '#listing/list-read.js';
import type { Context } from '#schema/context.js';
import { OrganizationArgs } from '#schema/organization.args.js';
import { UsagePage } from '#schema/pages.js';
import { UsageArgs } from './usage.args.js';

/** Resolves an organization's usage and quotas, which only owners may read. */
@Resolver()
export class UsageResolver {
  /** @param clock returns milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @Query(() => UsagePage, {
    nullable: true,
    description:
      'The usage of the organization by day, the newest first. Records, bytes and deliveries are exact; calls of the last seconds may be missing.',
  })
  usage(@Args(() => UsageArgs) args: UsageArgs, @Ctx() ctx: Context): Promise<UsagePage> {
    authorize(ctx, args.organizationId, policies.usage.read);
    return list<UsageDay>(ctx, usageListing(args), args);
  }

  @Query(() => Quota, { nullable: true, description: 'The quotas of the organization, and how much of each is used.' })
  async quota(@Args(() => OrganizationArgs) { organizationId }: OrganizationArgs, @Ctx() ctx: Context): Promise<Quota> {
    authorize(ctx, organizationId, policies.usage.read);
    const [row] = await ctx.read<QuotaRow>(quotaQuery(organizationId, new Date(this.clock())));
    const { recordsPerDay, records, commandsPerDay, commands, deviceLimit, devices, storedBytes, stored, until } = row!;
    return {
      recordsPerDay: { limit: recordsPerDay, used: records, until },
      devices: { limit: deviceLimit, used: devices },
      storedBytes: { limit: storedBytes, used: storedBytes === null ? null : stored },
      commandsPerDay: { limit: commandsPerDay, used: commands, until },
    };
  }
}

/** Condition for the rows of each grouping. */
const told: Readonly<Record<UsageBy, Sql>> = {
  organization: sql`product_id is null and application_id is null`,
  product: sql`product_id is not null`,
  application: sql`application_id is not null`,
};

/**
 * Defines the list of usage. It adds the deltas that are not summed up yet to the stored sums, which together cover
 * everything committed.
 */
const usageListing = ({ organizationId, by: given, fromDay, toDay, productId, applicationId }: UsageArgs): Listing => {
  const by = given ?? UsageBy.organization;
  const whose = sql`
    organization_id = ${organizationId} and ${told[by]}
    and day between ${fromDay ?? '-infinity'}::date and ${toDay ?? 'infinity'}::date
    ${only(sql`product_id`, productId)} ${only(sql`application_id`, applicationId)}`;
  const columns = sql`day, product_id, application_id, records, bytes, deliveries, calls, commands`;
  const usage = sql`
    from (select day, product_id, application_id, concat(day, ' ', product_id, application_id) as key,
                 sum(records)::float8 as records, sum(bytes)::float8 as bytes, sum(deliveries)::float8 as deliveries,
                 sum(calls)::float8 as calls, sum(commands)::float8 as commands
            from (select ${columns} from usage_day where ${whose} union all select ${columns} from usage_pending where ${whose}) each
           group by day, product_id, application_id) u`;
  const whole = (column: Sql) => (by === UsageBy.organization ? column : sql`null::float8`);
  const [calls, commands] = [whole(sql`u.calls`), whole(sql`u.commands`)];
  return {
    rows: () => sql`
      select u.day::text as day, u.product_id as "productId", u.application_id as "applicationId", u.records, u.bytes,
             u.deliveries, ${calls} as calls, ${commands} as commands ${usage}`,
    from: usage,
    where: [],
    onStandby: true,
    matched: [],
    sortable: {
      day: sql`u.day`,
      productId: sql`u.product_id`,
      applicationId: sql`u.application_id`,
      records: sql`u.records`,
      bytes: sql`u.bytes`,
      deliveries: sql`u.deliveries`,
      calls,
      commands,
    },
    order: sql`u.day`,
    descending: true,
    tie: sql`u.key`,
    timeout: 5000,
  };
};

/** Returns the condition on an identifier. An invalid identifier matches nothing. */
const only = (column: Sql, id: string | null | undefined): Sql => {
  if (id == null) return sql``;
  return isId(id) ? sql`and ${column} = ${id}` : sql`and false`;
};

interface QuotaRow {
  recordsPerDay: number | null;
  deviceLimit: number | null;
  storedBytes: number | null;
  records: number;
  commandsPerDay: number | null;
  commands: number;
  devices: number;
  stored: number;
  until: string;
}

const quotaQuery = (organizationId: string, now: Date): Sql => sql`
  with used as (
    select day, records, bytes, commands from usage_day
     where organization_id = ${organizationId} and product_id is null and application_id is null
    union all
    select (at at time zone 'UTC')::date, records, bytes, commands from usage_delta where organization_id = ${organizationId}
  )
  select q.records_per_day::float8 as "recordsPerDay", q.devices::float8 as "deviceLimit", q.stored_bytes::float8 as "storedBytes",
         q.commands_per_day::float8 as "commandsPerDay",
         (select coalesce(sum(commands), 0) from used where day = today.day)::float8 as commands,
         (select coalesce(sum(records), 0) from used where day = today.day)::float8 as records,
         (select count(*) from device d where d.organization_id = ${organizationId})::float8 as devices,
         (coalesce(s.bytes, 0) - coalesce(s.total_bytes, 0) + (select coalesce(sum(bytes), 0) from used)
          + (select coalesce(sum(f.bytes + f.unpacked), 0) from file_import f
              where f.organization_id = ${organizationId} and f.state <> 'done'))::float8 as stored,
         (today.day + 1)::timestamp at time zone 'UTC' as until
    from (select (${now}::timestamptz at time zone 'UTC')::date as day) today
    left join quota q on q.organization_id = ${organizationId}
    left join storage s on s.organization_id = ${organizationId}`;
