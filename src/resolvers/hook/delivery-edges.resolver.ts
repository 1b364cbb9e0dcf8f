import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { can, policies } from '#auth/policies.js';
import { applicationRows, teamRows } from '#auth/rows.js';
import { notFound } from '#common/errors.js';
import { Application, ApplicationReference } from '#entities/application.js';
import { GraphOnly, RestShape } from '#entities/columns.js';
import { Delivery } from '#entities/delivery.js';
import { Device } from '#entities/device.js';
import { Hook } from '#entities/hook.js';
import { DeviceRecord } from '#entities/record.js';
import { Team } from '#entities/team.js';
import { TeamGrant } from '#entities/team-grant.js';
import { deliveriesBelow } from '#listing/deliveries.js';
import { loadDeviceById } from '#listing/devices.js';
import { hookRows } from '#listing/hooks.js';
import { listBelow } from '#listing/list.js';
import { loadById } from '#listing/loader.js';
import { recordById } from '#listing/records.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { DeliveriesBelowArgs } from '#schema/list.args.js';
import { DeliveryPage } from '#schema/pages.js';

/** Loads the application of a hook, a delivery or a grant. A caller who sees one of these can read its application. */
async function applicationOf(ctx: Context, applicationId: string): Promise<Application> {
  const rowsOf = (ids: readonly string[]) =>
    sql`${applicationRows(ctx.caller)} where a.id = any(${ids}::uuid[]) and ${can(ctx.caller, policies.application.read)}`;
  const application = await loadById<Application>(ctx, 'application', applicationId, rowsOf);
  if (application === null) throw notFound('application');
  return application;
}

/** Resolves the origin of deliveries. */
@Resolver(() => Delivery)
export class DeliveryEdgesResolver {
  constructor(private readonly index: Pick<RecordIndex, 'find'>) {}

  @FieldResolver(() => Application, { description: 'Application of the hook.' })
  @RestShape(ApplicationReference)
  application(@Root() { application }: Delivery, @Ctx() ctx: Context): Promise<Application> {
    return applicationOf(ctx, application.id);
  }

  @FieldResolver(() => Hook, { nullable: true, description: 'Hook that was called.' })
  @GraphOnly()
  hook(@Root() { applicationHookId }: Delivery, @Ctx() ctx: Context): Promise<Hook | null> {
    const rowsOf = (ids: readonly string[]) => sql`${hookRows()} where h.id = any(${ids}::uuid[])`;
    return loadById(ctx, 'hook', applicationHookId, rowsOf);
  }

  @FieldResolver(() => Device, {
    nullable: true,
    description: 'Device whose record was sent, if the caller can read it.',
  })
  @GraphOnly()
  device(@Root() { deviceId }: Delivery, @Ctx() ctx: Context): Promise<Device | null> | null {
    return deviceId == null ? null : loadDeviceById(ctx, deviceId);
  }

  @FieldResolver(() => DeviceRecord, {
    nullable: true,
    description:
      'Record that was sent, as it is stored now; null for a ping, and for a record that was deleted or that the caller cannot read.',
  })
  @GraphOnly()
  record(@Root() { recordId }: Delivery, @Ctx() ctx: Context): Promise<DeviceRecord | null> | null {
    return recordId == null ? null : recordById(ctx, this.index, recordId);
  }
}

/** Resolves both ends of the grants of teams. */
@Resolver(() => TeamGrant)
export class TeamGrantResolver {
  @FieldResolver(() => Application, { description: 'The application.' })
  application(@Root() { id }: TeamGrant, @Ctx() ctx: Context): Promise<Application> {
    return applicationOf(ctx, id);
  }

  @FieldResolver(() => Team, { description: 'The team.' })
  async team(@Root() { teamId }: TeamGrant, @Ctx() ctx: Context): Promise<Team> {
    const team = await loadById<Team>(
      ctx,
      'team',
      teamId,
      (ids) => sql`${teamRows()} where t.id = any(${ids}::uuid[])`,
    );
    if (team === null) throw notFound('team');
    return team;
  }
}

/** Resolves the application and the deliveries of hooks. */
@Resolver(() => Hook)
export class HookEdgesResolver {
  @FieldResolver(() => Application, { description: 'Application whose records the hook is called with.' })
  @RestShape(ApplicationReference)
  application(@Root() { applicationId }: Hook, @Ctx() ctx: Context): Promise<Application> {
    return applicationOf(ctx, applicationId);
  }

  @FieldResolver(() => DeliveryPage, { description: 'Deliveries of the hook, the newest first.' })
  @GraphOnly()
  deliveries(
    @Root() { id }: Hook,
    @Args(() => DeliveriesBelowArgs) args: DeliveriesBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<DeliveryPage> {
    return listBelow(ctx, 'hook.deliveries', id, () => deliveriesBelow([sql`d.hook_id = parent.id`], args), args);
  }
}
