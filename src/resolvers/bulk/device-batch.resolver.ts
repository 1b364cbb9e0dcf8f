import sql, { join, type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { authorize, loadApplication, loadSite } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import type { CommitBus } from '#common/commit-bus.js';
import { invalid, notFound } from '#common/errors.js';
import { textArray } from '#database/text-array.js';
import { type AuditChanges, type AuditTarget, newValues } from '#entities/audit-event.js';
import { DeviceBatch } from '#entities/device-batch.js';
import { isId } from '#entities/id.js';
import { serialKey } from '#entities/serial.js';
import type { Jobs } from '#jobs/jobs.js';
import type { PlainJson } from '#json/json.js';
import { conditionsOf } from '#listing/list.js';
import { readSlowly } from '#listing/list-read.js';
import { readFilter, type Silence } from '#listing/silent-filter.js';
import type { Context } from '#schema/context.js';
import { everything } from '#schema/selected-fields.js';
import {
  batchSize,
  DeviceBatchArgs,
  LinkDevicesArgs,
  MoveDevicesArgs,
  SendCommandsArgs,
  TagDevicesArgs,
} from './device-batch.args.js';
import {
  applyTo,
  blockedError,
  type CommandAction,
  chosenListing,
  type DeviceAction,
  type DeviceChoice,
  isAllowed,
  isBlocked,
  isChanged,
  lockDevices,
} from './device-batch.js';
import type { DeviceBatchInput } from './device-batch-job.js';
import { mayNotSend, readCommandAction } from './fleet-command.js';

/**
 * Resolves changes of many devices at once. Up to 1,000 are changed completely or not at all; more are changed by a
 * job.
 */
@Resolver()
export class DeviceBatchResolver {
  constructor(
    private readonly jobs: Pick<Jobs, 'ask'>,
    private readonly index: Silence,
    private readonly clock: () => number,
    private readonly bus: Pick<CommitBus, 'emit'>,
  ) {}

  @Mutation(() => DeviceBatch, { description: 'Adds tags to many devices.' })
  tagDevices(@Args(() => TagDevicesArgs) args: TagDevicesArgs, @Ctx() ctx: Context): Promise<DeviceBatch> {
    authorize(ctx, args.organizationId, policies.device.change);
    return this.change(ctx, args, { kind: 'tagDevices', tags: [...new Set(args.tags)] });
  }

  @Mutation(() => DeviceBatch, { description: 'Removes tags from many devices.' })
  untagDevices(@Args(() => TagDevicesArgs) args: TagDevicesArgs, @Ctx() ctx: Context): Promise<DeviceBatch> {
    authorize(ctx, args.organizationId, policies.device.change);
    return this.change(ctx, args, { kind: 'untagDevices', tags: [...new Set(args.tags)] });
  }

  @Mutation(() => DeviceBatch, { description: 'Links many devices to an application.' })
  async linkDevices(@Args(() => LinkDevicesArgs) args: LinkDevicesArgs, @Ctx() ctx: Context): Promise<DeviceBatch> {
    const application = await loadApplication(ctx, args, policies.application.change);
    const action = { kind: 'linkDevices', applicationId: application.id } as const;
    return this.change(ctx, args, action, targetOf('Application', application));
  }

  @Mutation(() => DeviceBatch, { description: 'Unlinks many devices from an application.' })
  async unlinkDevices(@Args(() => LinkDevicesArgs) args: LinkDevicesArgs, @Ctx() ctx: Context): Promise<DeviceBatch> {
    const application = await loadApplication(ctx, args, policies.application.change);
    const action = { kind: 'unlinkDevices', applicationId: application.id } as const;
    return this.change(ctx, args, action, targetOf('Application', application));
  }

  @Mutation(() => DeviceBatch, {
    description:
      'Moves many devices to a site, or away from all. A device that is there already stays as it is. The sites at which a device was before are kept.',
  })
  async moveDevices(@Args(() => MoveDevicesArgs) args: MoveDevicesArgs, @Ctx() ctx: Context): Promise<DeviceBatch> {
    const { organizationId, siteId, at } = args;
    authorize(ctx, organizationId, policies.site.change);
    if (siteId === undefined) throw invalid([{ path: 'siteId', message: 'must be given; null is for no site' }]);
    const now = this.clock();
    if (at != null && at * 1000 > now) throw invalid([{ path: 'at', message: 'must not be in the future' }]);
    const site = siteId === null ? null : await loadSite(ctx, { organizationId, siteId }, policies.site.read);
    const move = { siteId: site?.id ?? null, at: new Date(at == null ? now : at * 1000).toISOString() };
    return this.change(ctx, args, { kind: 'moveDevices', ...move, isNow: at == null });
  }

  @Mutation(() => DeviceBatch, {
    description: 'Deletes many devices and their records. The devices must not be linked to an application.',
  })
  deleteDevices(@Args(() => DeviceBatchArgs) args: DeviceBatchArgs, @Ctx() ctx: Context): Promise<DeviceBatch> {
    authorize(ctx, args.organizationId, policies.device.change);
    return this.change(ctx, args, { kind: 'deleteDevices' });
  }

  @Mutation(() => DeviceBatch, {
    description:
      'Sends a command to many devices. `commands` finds them by their `key`, and counts them by state. Owners may do this, and members with the permission `write` on an application of each device.',
  })
  async sendCommands(@Args(() => SendCommandsArgs) args: SendCommandsArgs, @Ctx() ctx: Context): Promise<DeviceBatch> {
    authorize(ctx, args.organizationId, policies.organization.read);
    return this.change(ctx, args, await readCommandAction(ctx, args, this.clock()));
  }

  /** @param target target of the audit event; by default the devices */
  private async change(
    ctx: Context,
    args: DeviceBatchArgs,
    action: DeviceAction,
    target?: AuditTarget,
  ): Promise<DeviceBatch> {
    const before = new Date(this.clock()).toISOString();
    const { ids, refused, ...counted } = await find(
      ctx,
      { ...args, filter: await readFilter(ctx, this.index, args.filter) },
      action,
    );
    if (refused > 0) throw mayNotSend(refused);
    if (args.dryRun === true) return counted;
    if (counted.blocked > 0) throw blockedError(action, counted.blocked);
    if (counted.matched > batchSize) {
      const { q = null, filter = null } = args;
      const input: DeviceBatchInput = { action, userId: ctx.caller.userId, q, filter, before, total: counted.matched };
      const event = ctx.audit.event(target ?? devicesOf(ids), changesBy(action, { devices: counted.matched }));
      const job = await this.jobs.ask(args.organizationId, action.kind, input as unknown as PlainJson, event);
      return { ...counted, job };
    }
    const changed = await ctx.em.transactional(async (em) => {
      const run = <Row extends object>(query: Sql) => execute<Row>(em, query);
      const there = await lockDevices(run, sql`where d.id = any(${textArray(ids)}::uuid[]) order by d.id`);
      const done = await applyTo(run, action, there, { all: true });
      if (done.blocked > 0) throw blockedError(action, done.blocked);
      ctx.audit.about(target ?? devicesOf(ids), changesBy(action, { changed: done.changed }));
      return done.changed;
    });
    if (action.kind === 'sendCommands') this.bus.emit('downlink', ids);
    return { ...counted, changed };
  }
}

/** Returns devices as the target of an event. Only a single device is named by its identifier. */
const devicesOf = (ids: readonly string[]): AuditTarget => ({
  kind: 'device',
  id: ids.length === 1 ? ids[0]! : null,
  name: null,
});

/** Returns the changes that the event of an action on many devices lists: tags, and counts. */
const changesBy = (action: DeviceAction, counts: Readonly<Record<string, number>>): AuditChanges => ({
  ...('tags' in action && { tags: action.kind === 'tagDevices' ? [null, [...action.tags]] : [[...action.tags], null] }),
  ...('siteId' in action && newValues({ siteId: action.siteId, at: action.at })),
  ...(action.kind === 'sendCommands' && newValues({ command: nameOf(action), key: action.key })),
  ...newValues(counts),
});

const nameOf = ({ byProduct, raw }: CommandAction): string => (raw ?? Object.values(byProduct)[0]!).name;

interface ChosenCount {
  matched: number;
  changed: number;
  blocked: number;
  /** Number of those to which the caller may not do it. */
  refused: number;
  /** Identifiers, of up to 1,000 devices. */
  ids: string[];
}

/**
 * Finds the selected devices and counts what an action would do.
 * @throws notFound (404) when a named device cannot be read.
 */
async function find(ctx: Context, choice: DeviceChoice, action: DeviceAction): Promise<ChosenCount> {
  const { organizationId, deviceIds, serials, q, filter } = choice;
  const ways = [deviceIds != null, serials != null, q != null || filter != null];
  if (ways.filter(Boolean).length !== 1) {
    const message = 'or `serials`, `filter` or `q` must be given; an empty filter matches all devices';
    throw invalid([{ path: 'deviceIds', message }]);
  }
  const named = deviceIds == null ? undefined : [...new Set(deviceIds)];
  if (named?.some((each) => !isId(each))) throw notFound('device');
  const keys = serials == null ? undefined : [...new Set(serials.map(serialKey))];
  const listing = {
    timeout: 5000,
    ...chosenListing(ctx.caller, { organizationId, deviceIds: named, serials: keys, filter }),
  };
  const where = sql`where ${join(conditionsOf(listing, q), ' and ')}`;
  const read = readSlowly(ctx, listing, { limit: 1, page: 1, q, selected: everything });
  const [counted] = await read<Omit<ChosenCount, 'ids'>>(sql`
    select count(*)::int as matched, count(*) filter (where changes)::int as changed,
           count(*) filter (where changes and blocked)::int as blocked, count(*) filter (where not allowed)::int as refused
      from (select ${isAllowed(ctx.caller, action)} as allowed, ${isChanged(action)} as changes, ${isBlocked(action)} as blocked from device d ${where}) d`);
  const found = counted!;
  const count = (named ?? keys)?.length;
  if (count !== undefined && found.matched < count) throw notFound('device');
  if (named !== undefined || found.matched > batchSize) return { ...found, ids: named ?? [] };
  const rows = await read<{ id: string }>(sql`select d.id from device d ${where} order by d.id limit ${batchSize}`);
  return { ...found, ids: rows.map(({ id }) => id) };
}
