import { Args, Ctx, Resolver } from 'type-graphql';
import { loadApplication } from '../auth/access.js';
import { DeliveriesUpdated, RecordsReceived } from '../entities/live.js';
import type { PlainJson } from '../json.js';
import type { Live } from '../live/live.js';
import type { Context } from '../schema/context.js';
import { DeliveryUpdatedArgs, RecordReceivedArgs } from '../schema/live.args.js';
import { type Stream, Streams } from '../schema/stream.js';
import { requireLinked } from './chosen-devices.js';
import { loadHook } from './hooks.js';

/** Objects in one event, unless a subscriber says otherwise. */
const usual = 100;

/** What happens, as it happens. */
@Resolver()
export class LiveResolver {
  constructor(
    private readonly live: Pick<Live, 'records' | 'deliveries'>,
    /** Throws 422 for a query that a search of the organization's records would refuse. */
    private readonly requireQuery: (organizationId: string, query: PlainJson) => Promise<void>,
  ) {}

  @Streams(() => RecordsReceived, {
    description:
      'The records of an application as they are stored, of the devices that are linked to it at that moment.',
  })
  async recordReceived(
    @Args(() => RecordReceivedArgs) args: RecordReceivedArgs,
    @Ctx() ctx: Context,
  ): Promise<Stream<RecordsReceived>> {
    const { organizationId, deviceIds, query, limit } = args;
    const { id } = await loadApplication(ctx, organizationId, args.applicationId, 'read');
    if (deviceIds != null) await requireLinked(ctx, id, deviceIds);
    if (query != null) await this.requireQuery(organizationId, query);
    const batches = await this.live.records({
      claim: { ...bearer(ctx), applicationId: id, hookId: null },
      organizationId,
      limit: limit ?? usual,
      ...(deviceIds != null && { deviceIds }),
      ...(query != null && { query }),
    });
    return mapped(batches, ({ items, missed }) => ({ records: items, missed }));
  }

  @Streams(() => DeliveriesUpdated, {
    description: 'The deliveries of a hook, as they are stored and with every attempt that is settled.',
  })
  async deliveryUpdated(
    @Args(() => DeliveryUpdatedArgs) args: DeliveryUpdatedArgs,
    @Ctx() ctx: Context,
  ): Promise<Stream<DeliveriesUpdated>> {
    const hook = await loadHook(ctx, args);
    const batches = await this.live.deliveries({
      claim: { ...bearer(ctx), applicationId: hook.applicationId, hookId: hook.id },
      limit: args.limit ?? usual,
    });
    return mapped(batches, ({ items, missed }) => ({ deliveries: items, missed }));
  }
}

const bearer = ({ caller: { tokenId, role } }: Context) => ({ tokenId, role });

/** The same stream in another shape. Not an async generator: that could not be left while it waits for the next event. */
function mapped<From, To>(stream: Stream<From>, map: (from: From) => To): Stream<To> {
  const shape = (result: IteratorResult<From, undefined>): IteratorResult<To, undefined> =>
    result.done === true ? result : { done: false, value: map(result.value) };
  return {
    next: async () => shape(await stream.next()),
    return: async () => shape(await stream.return(undefined)),
    throw: async (error: unknown) => shape(await stream.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await stream.return(undefined);
    },
  };
}
