import type pg from 'pg';
import type { Sql } from 'sql-template-tag';
import type { CommitBus } from '#common/commit-bus.js';
import { invalid } from '#common/errors.js';
import type { Delivery } from '#entities/delivery.js';
import type { Episode } from '#entities/episode.js';
import { newId } from '#entities/id.js';
import type { Job } from '#entities/job.js';
import type { DeviceRecord } from '#entities/record.js';
import type { PlainJson } from '#json/json.js';
import { createCommandFeed } from './command-feed.js';
import { parseCursor } from './cursor.js';
import { createDeliveryFeed } from './delivery-feed.js';
import { createDeviceFeed } from './device-feed.js';
import { createEpisodeFeed } from './episode-feed.js';
import { type Feed } from './feed.js';
import { type FeedShared, type Subscriber, type SubscriberClaim } from './feed-options.js';
import { idRangesOf } from './id-range.js';
import { createJobFeed } from './job-feed.js';
import { type ChangeNotice, createNotifications, type Notifications } from './notifications.js';
import { createRecordFeed, type ReadChanges } from './record-feed.js';
import type { MatchStored } from './record-match.js';
import { type ItemBatch, LiveStream } from './stream.js';

/**
 * Session settings of {@link FeedShared.pool}. Its few statements are planned once, and each has an index that serves
 * it.
 */
export const liveSession =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

/** Maximum duration of a statement on {@link FeedShared.slowPool}, in milliseconds. */
const slowLimit = 5000;
/** Session settings of {@link FeedShared.slowPool}. */
export const liveSlowSession = `${liveSession} -c statement_timeout=${slowLimit}`;

export interface LiveOptions extends FeedShared {
  /** Connection string of the connection for notices. */
  connectionString: string;
  /** Client class for that connection; by default pg's own. */
  Client?: typeof pg.Client;
  /** Publishes what this process commits. */
  bus: CommitBus;
  match: MatchStored;
  changes: ReadChanges;
  /** Columns of deliveries in their published shape, from `delivery d`. */
  deliveryRows: Sql;
  /** Builds the query of episodes in their published shape, from `episode e`. `also` adds columns after a comma. */
  episodeRows: (also: Sql) => Sql;
}

/** A requested subscription. */
export interface SubscriptionRequest {
  claim: SubscriberClaim;
  organizationId: string;
  /** Maximum number of items of a batch. */
  limit: number;
  /** Cursor of an earlier batch: what was committed since comes first. */
  after?: string;
}

/** A requested subscription to records. */
export interface RecordsWanted extends SubscriptionRequest {
  deviceIds?: readonly string[];
  query?: PlainJson;
}

/** A requested subscription to jobs. */
export interface JobsWanted extends SubscriptionRequest {
  jobId?: string;
}

/** A requested subscription to devices. */
export interface DevicesWanted extends SubscriptionRequest {
  /** The subscribed member; null for the organization itself. */
  userId: string | null;
  deviceId?: string;
}

/** A requested subscription to commands. Its claim may name an application whose devices they must go to. */
export interface CommandsWanted extends SubscriptionRequest {
  /** The subscribed member; null for the organization itself. */
  userId: string | null;
  deviceIds?: readonly string[];
}

/** Batches until the subscriber leaves or its claim no longer holds. */
export type Batches<Item> = AsyncGenerator<ItemBatch<Item>, undefined>;

/**
 * Publishes what is committed, in this process or another, to subscribers. Each of the six methods of subscriptions
 * resolves with batches of what is committed after it resolves. A stream ends with the reason when its claim no longer
 * holds.
 * @throws ApiError 503 if the database cannot be reached, 422 for a cursor from which it cannot resume
 */
export interface Live {
  records(wanted: RecordsWanted): Promise<Batches<DeviceRecord>>;
  /** Deliveries of the hook that the claim names: when they are stored, and whenever an attempt is settled. */
  deliveries(wanted: SubscriptionRequest): Promise<Batches<Delivery>>;
  /** Jobs, after every step. */
  jobs(wanted: JobsWanted): Promise<Batches<Job>>;
  /** Identifiers of devices that were registered or changed. */
  devices(wanted: DevicesWanted): Promise<Batches<string>>;
  /** Identifiers of commands that were sent, or whose state changed. */
  commands(wanted: CommandsWanted): Promise<Batches<string>>;
  /** Episodes of the application that the claim names: when they open, are acknowledged and close. */
  episodes(wanted: SubscriptionRequest): Promise<Batches<Episode>>;
  start(): void;
  /** Ends every subscription. */
  close(): Promise<void>;
}

/** Creates live data over a database. */
export function createLive({
  connectionString,
  Client,
  deliveryRows,
  episodeRows,
  bus,
  match,
  changes,
  ...shared
}: LiveOptions): Live {
  const records = createRecordFeed({ ...shared, match, changes, onDemand: (is) => notifications.want('records', is) });
  const deliveries = createDeliveryFeed({
    ...shared,
    rows: deliveryRows,
    onDemand: (is) => notifications.want('deliveries', is),
  });
  const jobs = createJobFeed(shared);
  const devices = createDeviceFeed(shared);
  const commands = createCommandFeed(shared);
  const episodes = createEpisodeFeed({ ...shared, rows: episodeRows });
  const feeds = { records, deliveries };
  const notifications = createNotifications({
    connectionString,
    ...(Client && { Client }),
    log: shared.log,
    onNotice: (topic, notices) => feeds[topic].hint(notices),
  });
  notifyOf(bus, notifications);
  return {
    records: (wanted) => {
      const { deviceIds, query } = wanted;
      return join(records, wanted, {
        ...(deviceIds && { deviceIds: new Set(deviceIds) }),
        ...(query !== undefined && { query }),
      });
    },
    deliveries: (wanted) => join(deliveries, wanted, {}),
    jobs: (wanted) => join(jobs, wanted, { ...(wanted.jobId !== undefined && { jobId: wanted.jobId }) }),
    devices: (wanted) => {
      const { userId, deviceId } = wanted;
      return join(devices, wanted, { userId, ...(deviceId !== undefined && { deviceId }) });
    },
    commands: (wanted) => {
      const { userId, deviceIds } = wanted;
      return join(commands, wanted, { userId, ...(deviceIds && { deviceIds: new Set(deviceIds) }) });
    },
    episodes: (wanted) => join(episodes, wanted, {}),
    start: () => notifications.start(),
    async close() {
      await Promise.all([records, deliveries, jobs, devices, commands, episodes].map((feed) => feed.close()));
      await notifications.close();
    },
  };
}

/** Sends notices of what this process commits. */
function notifyOf(bus: CommitBus, notifications: Notifications): void {
  bus.on('records', (stored) => {
    const ranges = () => idRangesOf(stored.map(({ id }) => id));
    notifications.publish('records', ranges);
    // Deliveries get their identifiers after the records and are committed with them.
    notifications.publish('deliveries', () => {
      const [first] = ranges();
      return first === undefined ? [] : [{ low: first.low, high: newId() }];
    });
  });
  bus.on('deliveries', (changed) =>
    notifications.publish('deliveries', () => {
      const byHook = Map.groupBy(changed, ({ hookId }) => hookId);
      return [...byHook].flatMap(([hook, some]) =>
        idRangesOf(some.map(({ id }) => id)).map((range): ChangeNotice => ({ hook, ...range })),
      );
    }),
  );
}

async function join<Item, Someone extends Subscriber<Item>>(
  feed: Feed<Item, Someone>,
  { claim, organizationId, limit, after }: SubscriptionRequest,
  more: Omit<Someone, keyof Subscriber<Item>>,
): Promise<Batches<Item>> {
  const given = after === undefined ? undefined : parseCursor(after);
  if (after !== undefined && given === undefined)
    throw invalid([{ path: 'after', message: 'is not the cursor of an event' }]);
  const stream = new LiveStream<Item>(limit, () => feed.leave(someone));
  const someone = { claim, organizationId, stream, ...more } as Someone;
  await feed.join(someone, given);
  return stream;
}
