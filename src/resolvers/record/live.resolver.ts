import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { authorize, loadApplication, loadDevice } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { notFound } from '#common/errors.js';
import { Command } from '#entities/command.js';
import { Device } from '#entities/device.js';
import {
  CommandsUpdated,
  DeliveriesUpdated,
  DevicesChanged,
  EpisodesChanged,
  JobsUpdated,
  RecordsReceived,
} from '#entities/live.js';
import type { Jobs } from '#jobs/jobs.js';
import { loadCommandById } from '#listing/commands.js';
import { loadDeviceById } from '#listing/devices.js';
import { loadHook } from '#listing/hooks.js';
import type { Batches, Live, SubscriptionRequest } from '#live/live.js';
import type { RecordIndex } from '#records/record-index.js';
import { requireDigits } from '#records/stored-query.js';
import type { Context } from '#schema/context.js';
import { isLink } from '#schema/dashboard-link.js';
import { type Stream, Streams } from '#schema/stream.js';
import { chosenDevices, requireLinked } from './chosen-devices.js';
import {
  CommandUpdatedArgs,
  DeliveryUpdatedArgs,
  DeviceChangedArgs,
  EpisodeChangedArgs,
  JobUpdatedArgs,
  RecordReceivedArgs,
  usualLimit,
} from './live.args.js';

/** Resolves subscriptions. */
@Resolver()
export class LiveResolver {
  constructor(
    private readonly live: Pick<Live, 'records' | 'deliveries' | 'jobs' | 'devices' | 'commands' | 'episodes'>,
    private readonly jobs: Pick<Jobs, 'find'>,
    /** Checks a query. It throws 422 for one that a search of the application's records would refuse. */
    private readonly index: Pick<RecordIndex, 'check'>,
  ) {}

  @Streams(() => RecordsReceived, {
    description: "The records of an application's devices as they are stored. A device must be linked at that time.",
  })
  async recordReceived(
    @Args(() => RecordReceivedArgs) args: RecordReceivedArgs,
    @Ctx() ctx: Context,
  ): Promise<Stream<RecordsReceived>> {
    const { organizationId, deviceIds, query } = args;
    const { id } = await loadApplication(
      ctx,
      { organizationId, applicationId: args.applicationId },
      policies.record.search,
    );
    if (deviceIds != null) await requireLinked(ctx, id, deviceIds);
    if (query != null) {
      await this.index.check({ organizationId, applicationId: id, withoutAttributes: isLink(ctx.caller) }, query);
      requireDigits('query', query);
    }
    const batches = await this.live.records({
      ...wanted(ctx, args, { applicationId: id }),
      ...(deviceIds != null && { deviceIds }),
      ...(query != null && { query }),
    });
    return events(batches, (items) => ({ records: items }));
  }

  @Streams(() => DeliveriesUpdated, {
    description: 'The deliveries of a hook, when they are stored and after each attempt.',
  })
  async deliveryUpdated(
    @Args(() => DeliveryUpdatedArgs) args: DeliveryUpdatedArgs,
    @Ctx() ctx: Context,
  ): Promise<Stream<DeliveriesUpdated>> {
    const hook = await loadHook(ctx, args, policies.delivery.read);
    const batches = await this.live.deliveries(
      wanted(ctx, args, { applicationId: hook.applicationId, hookId: hook.id }),
    );
    return events(batches, (items) => ({ deliveries: items }));
  }

  @Streams(() => JobsUpdated, {
    description: 'The jobs of the organization, when they are requested and after each step, within about a second.',
  })
  async jobUpdated(
    @Args(() => JobUpdatedArgs) args: JobUpdatedArgs,
    @Ctx() ctx: Context,
  ): Promise<Stream<JobsUpdated>> {
    const { organizationId, jobId } = args;
    authorize(ctx, organizationId, policies.job.read);
    if (jobId != null && !(await this.jobs.find(organizationId, jobId))) throw notFound('job');
    const batches = await this.live.jobs({ ...wanted(ctx, args), ...(jobId != null && { jobId }) });
    return events(batches, (items) => ({ jobs: items }));
  }

  @Streams(() => EpisodesChanged, {
    description: 'The episodes of an application, when they open, are acknowledged or close, within about a second.',
  })
  async episodeChanged(
    @Args(() => EpisodeChangedArgs) args: EpisodeChangedArgs,
    @Ctx() ctx: Context,
  ): Promise<Stream<EpisodesChanged>> {
    const { id } = await loadApplication(ctx, args, policies.episode.read);
    const batches = await this.live.episodes(wanted(ctx, args, { applicationId: id }));
    return events(batches, (items) => ({ episodes: items }));
  }

  @Streams(() => DevicesChanged, {
    description:
      'The devices of the organization that the caller can read, when they are registered or changed, within about a second. Deleted devices are not reported.',
  })
  async deviceChanged(
    @Args(() => DeviceChangedArgs) args: DeviceChangedArgs,
    @Ctx() ctx: Context,
  ): Promise<Stream<DevicesChanged>> {
    const { organizationId, deviceId } = args;
    authorize(ctx, organizationId, policies.organization.read);
    if (deviceId != null) await loadDevice(ctx, { organizationId, deviceId }, policies.device.read);
    const { userId } = ctx.caller;
    const batches = await this.live.devices({ ...wanted(ctx, args), userId, ...(deviceId != null && { deviceId }) });
    // The devices are loaded for each event, as the subscriber may see them at that time.
    return events(batches, (ids) => ({ ids, devices: [] }));
  }

  @Streams(() => CommandsUpdated, {
    description:
      'The commands that the caller can read, when they are sent or their state changes, within about a second. Secret ones come without parameters and payload to those who may not send them.',
  })
  async commandUpdated(
    @Args(() => CommandUpdatedArgs) args: CommandUpdatedArgs,
    @Ctx() ctx: Context,
  ): Promise<Stream<CommandsUpdated>> {
    const { organizationId, applicationId, deviceIds } = args;
    authorize(ctx, organizationId, policies.organization.read);
    const application =
      applicationId == null
        ? null
        : await loadApplication(ctx, { organizationId, applicationId }, policies.application.read);
    if (deviceIds != null) {
      if (application === null) await chosenDevices(ctx, { organizationId, deviceIds });
      else await requireLinked(ctx, application.id, deviceIds);
    }
    const batches = await this.live.commands({
      ...wanted(ctx, args, { applicationId: application?.id ?? null }),
      userId: ctx.caller.userId,
      ...(deviceIds != null && { deviceIds }),
    });
    // The commands are loaded for each event, as the subscriber may see them at that time.
    return events(batches, (ids) => ({ ids, commands: [] }));
  }
}

/** Resolves the commands of an event. */
@Resolver(() => CommandsUpdated)
export class CommandsUpdatedResolver {
  @FieldResolver(() => [Command], { description: 'The commands as they are now, without those deleted since.' })
  async commands(@Root() { ids }: CommandsUpdated, @Ctx() ctx: Context): Promise<Command[]> {
    const commands = await Promise.all(ids.map((id) => loadCommandById(ctx, id)));
    return commands.filter((command) => command !== null);
  }
}

/** Resolves the devices of an event. */
@Resolver(() => DevicesChanged)
export class DevicesChangedResolver {
  @FieldResolver(() => [Device], { description: 'The devices as they are now, without those deleted since.' })
  async devices(@Root() { ids }: DevicesChanged, @Ctx() ctx: Context): Promise<Device[]> {
    const devices = await Promise.all(ids.map((id) => loadDeviceById(ctx, id)));
    return devices.filter((device) => device !== null);
  }
}

interface LiveArgs {
  organizationId: string;
  limit?: number | null;
  after?: string | null;
}

/** Returns the options that all subscriptions share, with the caller's claim. */
const wanted = (
  { caller: { tokenId, role } }: Context,
  { organizationId, limit, after }: LiveArgs,
  { applicationId = null, hookId = null }: Partial<SubscriptionRequest['claim']> = {},
): SubscriptionRequest => ({
  claim: { tokenId, role, applicationId, hookId },
  organizationId,
  limit: limit ?? usualLimit,
  ...(after != null && { after }),
});

interface Event {
  missed: number;
  cursor: string;
}

/**
 * Turns batches into events. An async generator does not serve here, as it could not be left while it waits for the
 * next batch.
 */
function events<Item, More extends object>(
  batches: Batches<Item>,
  show: (items: readonly Item[]) => More,
): Stream<More & Event> {
  type Result = IteratorResult<More & Event, undefined>;
  const shape = (result: Awaited<ReturnType<typeof batches.next>>): Result => {
    if (result.done === true) return result;
    const { items, missed, cursor } = result.value;
    return {
      done: false,
      value: {
        ...show(items),
        missed,
        get cursor() {
          return cursor();
        },
      },
    };
  };
  return {
    next: async () => shape(await batches.next()),
    return: async () => shape(await batches.return(undefined)),
    throw: async (error: unknown) => shape(await batches.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await batches.return(undefined);
    },
  };
}
