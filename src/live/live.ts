import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Sql } from 'sql-template-tag';
import type { Delivery } from '../entities/delivery.js';
import { newId } from '../entities/id.js';
import type { DeviceRecord } from '../entities/record.js';
import type { PlainJson } from '../json.js';
import { createDeliveryFeed, type DeliverySubscriber } from './delivery-feed.js';
import type { Claim, Feed, Recheck, Subscriber } from './feed.js';
import { createPost, type Notice } from './post.js';
import { rangesOf } from './range.js';
import { createRecordFeed, type MatchStored, type RecordSubscriber } from './record-feed.js';
import { type Batch, Stream } from './stream.js';

/** Settings of session of {@link LiveOptions.pool}: its few statements are planned once, and indexes are right for all of them. */
export const liveSession =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

/** Settings of live data. */
export interface LiveOptions {
  /** For the few statements that all subscribers share. */
  pool: Pool;
  /** Where the connection for notices leads. */
  connectionString: string;
  log: Logger;
  recheck: Recheck;
  match: MatchStored;
  /** Deliveries in their published shape, from `delivery d`. */
  deliveryRows: Sql;
}

/** Which records somebody is told of. */
export interface RecordsWanted {
  claim: Claim;
  organizationId: string;
  deviceIds?: readonly string[];
  query?: PlainJson;
  /** Records at once, at most. */
  limit: number;
}

/** Which deliveries somebody is told of: those of the hook that the claim names. */
export interface DeliveriesWanted {
  claim: Claim;
  /** Deliveries at once, at most. */
  limit: number;
}

/** What is committed, in this process or another, told to subscribers as it comes. */
export interface Live {
  /**
   * Batches of records from now on; what is committed after this resolves is in them. Ends with the reason where the
   * claim no longer holds. @throws unavailable where the database cannot be asked.
   */
  records(wanted: RecordsWanted): Promise<AsyncGenerator<Batch<DeviceRecord>, undefined>>;
  /** The same of deliveries: as they are stored, and with every attempt that is settled. */
  deliveries(wanted: DeliveriesWanted): Promise<AsyncGenerator<Batch<Delivery>, undefined>>;
  /** Tells that records, and deliveries for them, were committed. */
  stored(ids: () => readonly string[]): void;
  /** Tells that deliveries changed. */
  changed(deliveries: readonly { hookId: string; id: string }[]): void;
  start(): void;
  /** Ends every subscription. */
  close(): Promise<void>;
}

/** Live data over a database. */
export function createLive({ connectionString, deliveryRows, match, ...shared }: LiveOptions): Live {
  const records = createRecordFeed({ ...shared, match, onDemand: (is) => post.want('records', is) });
  const deliveries = createDeliveryFeed({
    ...shared,
    rows: deliveryRows,
    onDemand: (is) => post.want('deliveries', is),
  });
  const feeds = { records, deliveries };
  const post = createPost({
    connectionString,
    log: shared.log,
    onNotice: (topic, notices) => feeds[topic].hint(notices),
  });
  return {
    async records({ claim, organizationId, deviceIds, query, limit }) {
      const stream = new Stream<DeviceRecord>(limit, () => records.leave(someone));
      const someone: RecordSubscriber = {
        claim,
        organizationId,
        stream,
        ...(deviceIds && { deviceIds: new Set(deviceIds) }),
        ...(query !== undefined && { query }),
      };
      return join(records, someone);
    },
    async deliveries({ claim, limit }) {
      const stream = new Stream<Delivery>(limit, () => deliveries.leave(someone));
      const someone: DeliverySubscriber = { claim, stream };
      return join(deliveries, someone);
    },
    stored(ids) {
      post.tell('records', () => rangesOf(ids()));
      // Their deliveries were made after them and committed with them.
      post.tell('deliveries', () => {
        const [first] = rangesOf(ids());
        return first === undefined ? [] : [{ low: first.low, high: newId() }];
      });
    },
    changed(changes) {
      post.tell('deliveries', () => {
        const byHook = Map.groupBy(changes, ({ hookId }) => hookId);
        return [...byHook].flatMap(([hook, some]) =>
          rangesOf(some.map(({ id }) => id)).map((range): Notice => ({ hook, ...range })),
        );
      });
    },
    start: post.start,
    async close() {
      await Promise.all([records.close(), deliveries.close()]);
      await post.close();
    },
  };
}

async function join<Item, Someone extends Subscriber<Item>>(
  feed: Feed<Item, Someone>,
  someone: Someone,
): Promise<Stream<Item>> {
  await feed.join(someone);
  return someone.stream;
}
