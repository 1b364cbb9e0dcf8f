import sql, { type Sql } from 'sql-template-tag';
import { clockSkew, currentSnapshot, unseen, wholeXid } from '#database/visibility.js';
import type { Delivery } from '#entities/delivery.js';
import { firstId } from '#entities/id.js';
import { createFeed, type Feed } from './feed.js';
import { type CommittedRow, type FeedQuestion, type FeedShared, pageSize, type Subscriber } from './feed-options.js';

/** A subscriber to the deliveries of the hook that its claim names. */
export type DeliverySubscriber = Subscriber<Delivery>;

export interface DeliveryFeedOptions extends FeedShared {
  /** Columns of deliveries in their published shape, from `delivery d`. */
  rows: Sql;
  onDemand(demanded: boolean): void;
}

/**
 * Milliseconds. A delivery whose last change comes sooner than this after it was stored is found by its identifier.
 * Later ones are found by the partial index `delivery_late`, so most deliveries need no entry in that index.
 */
const soon = 10_000;

/** Creates the feed of deliveries. It publishes a delivery when it is stored and whenever an attempt is settled. */
export const createDeliveryFeed = ({
  rows: published,
  ...options
}: DeliveryFeedOptions): Feed<Delivery, DeliverySubscriber> =>
  createFeed<Delivery, CommittedRow<Delivery>, DeliverySubscriber>({
    ...options,
    // A claim of a delivery writes a new version of its row without a visible change.
    remembered: soon + clockSkew,
    async read(question, pool) {
      const { text, values } = deliveriesQuery(question, published);
      const { rows } = await pool.query<StoredRow>({ text, values });
      return rows.map(rowOf);
    },
    sort(rows, subscribers) {
      const byHook = Map.groupBy(rows, ({ item }) => item.applicationHookId);
      return new Map(
        subscribers.flatMap((someone) => {
          const some = byHook.get(someone.claim.hookId!);
          return some === undefined ? [] : [[someone, some]];
        }),
      );
    },
  });

type StoredRow = Delivery & { liveXid: string; liveSize: number };

/** Query of the versions of deliveries that were not yet published, in their published shape. */
const deliveriesQuery = (question: FeedQuestion<DeliverySubscriber>, published: Sql): Sql => {
  const { subscribers, ranges, since, after } = question;
  const hooks = [...new Set(subscribers.map(({ claim }) => claim.hookId!))];
  const changedSince = new Date(since - clockSkew);
  const changed = (condition: Sql) => sql`
    select d.hook_id, d.id, ${wholeXid(sql`d.xmin`)} as xid,
           octet_length(d.payload::text) + coalesce(octet_length(d.request::text), 0)
             + coalesce(octet_length(d.response::text), 0) + octet_length(d.attempts::text) as size
      from delivery d where ${condition} and d.updated_at >= ${changedSince}`;
  const named = (ranges ?? []).flatMap(({ hook, ...range }) =>
    hook === undefined
      ? hooks.map((each) => ({ hook: each, ...range }))
      : hooks.includes(hook)
        ? [{ hook, ...range }]
        : [],
  );
  const found = ranges
    ? sql`
      select distinct c.* from unnest(${named.map(({ hook }) => hook)}::uuid[], ${named.map(({ low }) => low)}::uuid[],
                                      ${named.map(({ high }) => high)}::uuid[]) g (hook_id, low, high)
       cross join lateral (${changed(sql`d.hook_id = g.hook_id and d.id between g.low and g.high`)}) c`
    : sql`
      ${changed(sql`d.hook_id = any(${hooks}::uuid[]) and d.id >= ${firstId(since - soon - clockSkew)}::uuid`)}
      union
      ${changed(sql`d.hook_id = any(${hooks}::uuid[]) and d.updated_at - d.created_at > interval '10 seconds'`)}`;
  return sql`
    select d.*, f.xid::text as "liveXid", f.size as "liveSize"
      from ${currentSnapshot} cross join lateral (
        select * from (${found}) c
         where c.id > ${after ?? firstId(0)}::uuid
           and ${unseen(sql`c.xid`, question)}
         order by c.id limit ${pageSize}::int) f
     cross join lateral (${published} where d.hook_id = f.hook_id and d.id = f.id) d
     order by f.id`;
};

const rowOf = ({ liveXid, liveSize, ...item }: StoredRow): CommittedRow<Delivery> => ({
  key: `${item.id} ${item.updatedAt}`,
  cursor: item.id,
  xid: liveXid,
  item: item as Delivery,
  size: liveSize + 1000,
});
