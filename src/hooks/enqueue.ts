import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { jsons, texts, times, uuids } from '#database/binary.js';
import { namedStatement } from '#database/named-statement.js';
import type { Queryable } from '#database/queryable.js';
import { newId, timeOf } from '#entities/id.js';
import { timeSlices } from '#scheduling/time-slice.js';
import { type Listener, type MatchRecords, matchesOf, passes, withQuery } from './filter.js';
import type { FilterHealth } from './filter-health.js';
import { type ApplicationKey, type EventName, type HookRecord, pingPayload, recordPayload } from './message.js';
import { UsageOfHooks } from './usage.js';

/** Approximate number of rows that one statement inserts. */
const rowsAtOnce = 500;

/** Number of deliveries above which an organization's records are committed in an isolated transaction. */
const manyDeliveries = 2000;
/**
 * Number of deliveries above which an organization's transactions count as slow before the first of them was measured.
 */
const veryManyDeliveries = 20_000;

/** A delivery to store. */
export interface NewDelivery {
  hookId: string;
  application: ApplicationKey;
  deviceId: string | null;
  recordId: string | null;
  event: EventName;
  /** Unix time in seconds. */
  ts: number | null;
  orderingKey: string | null;
  payload: string;
  traceparent: string | null;
}

/**
 * Terms of new deliveries: time in milliseconds since 1970, maximum number of attempts, the matcher of filter queries,
 * and the account of their timeouts.
 */
export interface EnqueueTerms {
  now: number;
  maxAttempts: number;
  match: MatchRecords;
  health: FilterHealth;
}

/** Hooks joined with the devices that they receive records of: `h` and `d`. Omits queries that were switched off. */
export const listenerRows: Sql = sql`
  select h.id "hookId", h.application_id "applicationId", h.organization_id "organizationId", h.ordered,
         case when h.filter_disabled_at is null then h.filter else h.filter - 'query' end "filter",
         s.filter_timeouts "filterTimeouts", d.id "deviceId", d.tags
    from application_device ad
    join hook h on h.application_id = ad.application_id
    join hook_state s on s.hook_id = h.id
    join device d on d.id = ad.device_id`;

/** Deliveries of stored records that are to be written in their transaction. */
export interface PlannedDeliveries<Result> {
  /**
   * Organizations whose hooks have filter queries or make very many deliveries, and those of them that are certain to
   * be slow.
   */
  costly: ReadonlySet<string>;
  slow: ReadonlySet<string>;
  /** Stores the deliveries. */
  write(): Promise<Result>;
}

/**
 * Plans the deliveries of records that the same transaction has just stored: one for every enabled hook of every
 * application that the record's device is linked to, if the hook's filter passes the record. `write` returns the hooks
 * that got some. Returns undefined if no hook listens.
 */
export async function planDeliveries(
  tx: pg.PoolClient,
  records: readonly HookRecord[],
  terms: EnqueueTerms,
): Promise<PlannedDeliveries<ReadonlySet<string>> | undefined> {
  const devices = [...new Set(records.map(({ device }) => device.id))];
  const query = sql`${listenerRows} where ad.device_id = any(${devices}::uuid[]) and not h.disabled and 'record' = any(h.events)`;
  const { rows } = await tx.query<Listener>(namedStatement('listeners', query));
  if (rows.length === 0) return undefined;
  return {
    ...costlyOf(rows, records),
    write: async () => (await enqueueFor(tx, rows, records, terms)).hookIds,
  };
}

/**
 * Returns the organizations whose hooks make the transaction long, by filter queries or by the number of deliveries.
 * `slow` holds those whose transactions are slow for certain.
 */
const costlyOf = (listeners: readonly Listener[], records: readonly HookRecord[]) => {
  const costly = new Set(withQuery(listeners).map(({ organizationId }) => organizationId));
  const slow = new Set<string>();
  const hooks = new Map([...Map.groupBy(listeners, ({ deviceId }) => deviceId)].map(([id, of]) => [id, of.length]));
  const deliveries = new Map<string, number>();
  for (const { device } of records) {
    const count = (deliveries.get(device.organizationId) ?? 0) + (hooks.get(device.id) ?? 0);
    deliveries.set(device.organizationId, count);
    if (count > manyDeliveries) costly.add(device.organizationId);
    if (count > veryManyDeliveries) slow.add(device.organizationId);
  }
  return { costly, slow };
};

/** Stores the deliveries of records for the given listeners. Returns their number and their hooks. */
export async function enqueueFor(
  tx: pg.PoolClient,
  listeners: readonly Listener[],
  records: readonly HookRecord[],
  terms: EnqueueTerms,
): Promise<{ deliveries: number; hookIds: ReadonlySet<string> }> {
  await lockOrderingKeys(tx, listeners);
  const matches = await matchesOf(tx, listeners, records, terms);
  const byDevice = Map.groupBy(listeners, ({ deviceId }) => deviceId);
  const usage = new UsageOfHooks();
  const hookIds = new Set<string>();
  let rows: NewDelivery[] = [];
  const flush = async () => {
    await insert(tx, rows, terms.now, terms.maxAttempts);
    rows = [];
  };
  for (const record of records) {
    const write = recordPayload(record);
    const deliveries = (byDevice.get(record.device.id) ?? [])
      .filter((listener) => passes(listener, record) && matches.get(listener.hookId)?.has(record.id) !== false)
      .map(
        ({ hookId, applicationId: id, organizationId, ordered }): NewDelivery => ({
          hookId,
          application: { id, organizationId },
          deviceId: record.device.id,
          recordId: record.id,
          event: 'record',
          ts: record.ts,
          orderingKey: ordered ? record.device.id : null,
          payload: write({ id, organizationId }),
          traceparent: record.traceparent ?? null,
        }),
      );
    for (const delivery of deliveries) {
      rows.push(delivery);
      hookIds.add(delivery.hookId);
      usage.count(delivery.application, record.device.product?.id);
    }
    if (rows.length < rowsAtOnce) continue;
    await timeSlices.ifOver(record.device.organizationId);
    await flush();
  }
  await Promise.all([rows.length > 0 && flush(), usage.note(tx, terms.now)]);
  return { deliveries: usage.deliveries, hookIds };
}

/** Stores a ping of a hook and returns the identifier of its delivery. */
export async function enqueuePing(
  tx: Queryable,
  hook: { id: string; application: ApplicationKey },
  now: number,
  traceparent?: string,
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
        orderingKey: null,
        payload: pingPayload(hook.application, hook.id),
        traceparent: traceparent ?? null,
      },
    ],
    now,
    1,
  );
  return id!;
}

export interface PingState {
  done: boolean;
}

/** Query of a ping's state. It returns no row if the hook is deleted. */
export const pingState = (hookId: string, id: string): Sql => sql`
  select coalesce((select d.done from delivery d where d.hook_id = h.id and d.id = ${id}), true) done
    from hook h where h.id = ${hookId}`;

/**
 * Keeps the deliveries of one ordering key in the order of storing. When two transactions store for the same device of
 * an ordered hook at once, the second waits here until the first is over, so its deliveries come later.
 */
async function lockOrderingKeys(tx: Queryable, listeners: readonly Listener[]): Promise<void> {
  const keys = listeners.filter(({ ordered }) => ordered).map(({ hookId, deviceId }) => `${hookId}/${deviceId}`);
  if (keys.length === 0) return;
  await tx.query(
    sql`select pg_advisory_xact_lock(key)
          from (select distinct hashtextextended(lane, 0) key from unnest(${keys}::text[]) lane order by key) k`,
  );
}

/**
 * Inserts deliveries and returns their identifiers. An identifier holds the time at which the delivery was made, so
 * that a time range of the ledger is found by identifiers alone. Everything except pings is stored with the event
 * `record` and claimed like records; `kind` keeps the actual event.
 */
export async function insert(
  tx: Queryable,
  rows: readonly NewDelivery[],
  now: number,
  maxAttempts: number,
): Promise<string[]> {
  const ids = rows.map(() => newId());
  const column = <T>(of: (row: NewDelivery) => T) => rows.map(of);
  const at = new Date(now);
  await tx.query(
    namedStatement(
      'enqueue',
      sql`
      insert into delivery (id, hook_id, organization_id, application_id, device_id, record_id, event, kind, ts, lane, payload,
                            traceparent, state, queued_at, next_attempt_at, max_attempts, created_at, updated_at)
      select id, hook_id, organization_id, application_id, device_id, record_id, case when event = 'ping' then event else 'record' end,
             case when event not in ('ping', 'record') then event end, ts, lane,
             payload, traceparent, 'pending', ${at}, ${at}, ${maxAttempts}, made_at, made_at
        from unnest(
          ${uuids(ids)}::uuid[],
          ${uuids(column(({ hookId }) => hookId))}::uuid[],
          ${uuids(column(({ application }) => application.organizationId))}::uuid[],
          ${uuids(column(({ application }) => application.id))}::uuid[],
          ${uuids(column(({ deviceId }) => deviceId))}::uuid[],
          ${uuids(column(({ recordId }) => recordId))}::uuid[],
          ${texts(column(({ event }) => event))}::text[],
          ${times(column(({ ts }) => (ts === null ? null : ts * 1000)))}::timestamptz[],
          ${uuids(column(({ orderingKey }) => orderingKey))}::uuid[],
          ${jsons(column(({ payload }) => payload))}::json[],
          ${texts(column(({ traceparent }) => traceparent))}::text[],
          ${times(ids.map(timeOf))}::timestamptz[]
        ) r (id, hook_id, organization_id, application_id, device_id, record_id, event, ts, lane, payload, traceparent, made_at)`,
    ),
  );
  return ids;
}
