import type pg from 'pg';
import type { Logger } from 'pino';
import sql, { type Sql } from 'sql-template-tag';
import { jsons, texts, times, uuids } from '../binary.js';
import { newId, timeOf } from '../entities/id.js';
import type { PlainJson } from '../json.js';
import { type ApplicationKey, type EventName, pingPayload, recordPayload, type StoredRecord } from './message.js';

/** Rows that one statement inserts, at most. */
const mostRows = 2000;

/** A delivery about to be stored. */
interface NewDelivery {
  hookId: string;
  application: ApplicationKey;
  deviceId: string | null;
  recordId: string | null;
  event: EventName;
  /** Unix time in seconds. */
  ts: number | null;
  lane: string | null;
  payload: string;
}

/** Which records a hook is called with; all, where nothing is said. */
export interface Filter {
  products?: readonly string[] | null;
  tags?: readonly string[] | null;
  /** What a search takes as a query. */
  query?: PlainJson;
}

/** A hook that hears of a device. */
export interface Listener {
  hookId: string;
  applicationId: string;
  organizationId: string;
  ordered: boolean;
  filter: Filter | null;
  deviceId: string;
  /** Tags of the device, as they stand. */
  tags: readonly string[];
}

/**
 * Of records that a transaction has stored, the identifiers of those that a query matches, and how many of these only match
 * because the query could not be answered of them. The records room does it.
 */
export type MatchRecords = (
  tx: pg.PoolClient,
  query: PlainJson,
  records: readonly StoredRecord[],
  now: number,
) => Promise<{ ids: ReadonlySet<string>; unanswered: number }>;

/** When, with how many attempts, who decides on queries, and where it is told that this failed. */
export interface Terms {
  now: number;
  maxAttempts: number;
  match: MatchRecords;
  log: Pick<Logger, 'warn'>;
}

type Client = Pick<pg.ClientBase, 'query'>;

/** Hooks by the devices that they hear of: `h` and `d`. */
export const listenerRows: Sql = sql`
  select h.id "hookId", h.application_id "applicationId", h.organization_id "organizationId", h.ordered, h.filter,
         d.id "deviceId", d.tags
    from application_device ad join hook h on h.application_id = ad.application_id join device d on d.id = ad.device_id`;

/**
 * Stores the deliveries of records that were just stored, in the same transaction: for every enabled hook of every
 * application that the record's device is linked to, where the hook's filter lets it pass. Answers how many.
 */
export async function enqueueRecords(
  tx: pg.PoolClient,
  records: readonly StoredRecord[],
  terms: Terms,
): Promise<number> {
  const devices = [...new Set(records.map(({ device }) => device.id))];
  const { text, values } = sql`${listenerRows} where ad.device_id = any(${devices}::uuid[]) and not h.disabled`;
  const { rows } = await tx.query<Listener>({ name: 'listeners', text, values });
  return rows.length === 0 ? 0 : enqueueFor(tx, rows, records, terms);
}

/** Stores the deliveries of records for these listeners. Answers how many. */
export async function enqueueFor(
  tx: pg.PoolClient,
  listeners: readonly Listener[],
  records: readonly StoredRecord[],
  { now, maxAttempts, match, log }: Terms,
): Promise<number> {
  await holdLanes(tx, listeners);
  const matches = await matchesOf(listeners, records, async (hookId, query, some) => {
    const { ids, unanswered } = await match(tx, query, some, now);
    if (unanswered > 0)
      log.warn(
        { hookId, records: unanswered },
        'the query of a filter could not be answered; its hook gets the records',
      );
    return ids;
  });
  const byDevice = Map.groupBy(listeners, ({ deviceId }) => deviceId);
  const deliveries = records.flatMap((record) => {
    const write = recordPayload(record);
    return (byDevice.get(record.device.id) ?? [])
      .filter((listener) => passes(listener, record) && matches.get(listener.hookId)?.has(record.id) !== false)
      .map(
        ({ hookId, applicationId: id, organizationId, ordered }): NewDelivery => ({
          hookId,
          application: { id, organizationId },
          deviceId: record.device.id,
          recordId: record.id,
          event: 'record',
          ts: record.ts,
          lane: ordered ? record.device.id : null,
          payload: write({ id, organizationId }),
        }),
      );
  });
  for (let start = 0; start < deliveries.length; start += mostRows) {
    await insert(tx, deliveries.slice(start, start + mostRows), now, maxAttempts);
  }
  return deliveries.length;
}

/** Whether a hook wants a record: each part of its filter that is given must hold; an empty list is as good as none. */
function passes({ filter, tags }: Listener, { device }: StoredRecord): boolean {
  if (!filter) return true;
  const { products, tags: wanted } = filter;
  if (products?.length && !(device.product && products.includes(device.product.id))) return false;
  return !wanted?.length || wanted.some((tag) => tags.includes(tag));
}

/** For each hook whose filter has a query, the records that it matches, of those that pass the rest of the filter. */
async function matchesOf(
  listeners: readonly Listener[],
  records: readonly StoredRecord[],
  match: (hookId: string, query: PlainJson, records: readonly StoredRecord[]) => Promise<ReadonlySet<string>>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const matches = new Map<string, ReadonlySet<string>>();
  const asking = Map.groupBy(
    listeners.filter(({ filter }) => filter?.query != null),
    ({ hookId }) => hookId,
  );
  for (const [hookId, ofHook] of asking) {
    const byDevice = new Map(ofHook.map((listener) => [listener.deviceId, listener]));
    const passing = records.filter((record) => {
      const listener = byDevice.get(record.device.id);
      return listener !== undefined && passes(listener, record);
    });
    matches.set(hookId, await match(hookId, ofHook[0]!.filter!.query!, passing));
  }
  return matches;
}

/** Stores a ping of a hook, and answers the identifier of its delivery. */
export async function enqueuePing(
  tx: Client,
  hook: { id: string; application: ApplicationKey },
  now: number,
): Promise<string> {
  const [id] = await insert(
    tx,
    [
      {
        hookId: hook.id,
        application: hook.application,
        deviceId: null,
        recordId: null,
        event: 'ping',
        ts: null,
        lane: null,
        payload: pingPayload(hook.application, hook.id),
      },
    ],
    now,
    1,
  );
  return id!;
}

/** Where a ping stands. */
export interface PingState {
  done: boolean;
}

/** Where a ping of a hook stands; nothing where the hook is deleted. */
export const pingState = (hookId: string, id: string): Sql => sql`
  select coalesce((select d.done from delivery d where d.hook_id = h.id and d.id = ${id}), true) done
    from hook h where h.id = ${hookId}`;

/**
 * The order of a lane is the order of storing. Of two transactions that store for one device of an ordered hook at
 * once, the second waits here until the first is over, so that what it stores comes later.
 */
async function holdLanes(tx: Client, listeners: readonly Listener[]): Promise<void> {
  const lanes = listeners.filter(({ ordered }) => ordered).map(({ hookId, deviceId }) => `${hookId}/${deviceId}`);
  if (lanes.length === 0) return;
  await tx.query(
    sql`select pg_advisory_xact_lock(key)
          from (select distinct hashtextextended(lane, 0) key from unnest(${lanes}::text[]) lane order by key) k`,
  );
}

/** The time in its identifier is when a delivery was made: a ledger of a range is found by identifiers alone. */
async function insert(tx: Client, rows: readonly NewDelivery[], now: number, maxAttempts: number): Promise<string[]> {
  const ids = rows.map(() => newId());
  const column = <T>(of: (row: NewDelivery) => T) => rows.map(of);
  const at = new Date(now);
  await tx.query({
    name: 'enqueue',
    ...plain(sql`
      insert into delivery (id, hook_id, organization_id, application_id, device_id, record_id, event, ts, lane, payload,
                            state, queued_at, next_attempt_at, max_attempts, created_at, updated_at)
      select id, hook_id, organization_id, application_id, device_id, record_id, event, ts, lane,
             payload, 'pending', ${at}, ${at}, ${maxAttempts}, made_at, made_at
        from unnest(
          ${uuids(ids)}::uuid[],
          ${uuids(column(({ hookId }) => hookId))}::uuid[],
          ${uuids(column(({ application }) => application.organizationId))}::uuid[],
          ${uuids(column(({ application }) => application.id))}::uuid[],
          ${uuids(column(({ deviceId }) => deviceId))}::uuid[],
          ${uuids(column(({ recordId }) => recordId))}::uuid[],
          ${texts(column(({ event }) => event))}::text[],
          ${times(column(({ ts }) => (ts === null ? null : ts * 1000)))}::timestamptz[],
          ${uuids(column(({ lane }) => lane))}::uuid[],
          ${jsons(column(({ payload }) => payload))}::json[],
          ${times(ids.map(timeOf))}::timestamptz[]
        ) r (id, hook_id, organization_id, application_id, device_id, record_id, event, ts, lane, payload, made_at)`),
  });
  return ids;
}

const plain = ({ text, values }: { text: string; values: unknown[] }) => ({ text, values });
