import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { nilId } from '#entities/id.js';
import type { PlainJson } from '#json/json.js';
import { type EnqueueTerms, enqueueFor, listenerRows } from './enqueue.js';
import type { Listener } from './filter.js';
import type { HookRecord } from './message.js';
import type { HookJob, HookStep } from './redeliver-job.js';

/** Selects the stored records that a replay delivers to a hook: measured in a range of Unix seconds, both included. */
export interface ReplayInput {
  hookId: string;
  from: number | null;
  to: number | null;
}

/** A page of the records of one device, in order of time. */
export interface ReplayPage {
  records: readonly HookRecord[];
  /** Cursor of the next page; absent after the last. */
  next?: PlainJson;
}

/** Reads the stored records of a device in a range, page by page. `records` implements it. */
export type ScanRecords = (
  tx: pg.PoolClient,
  range: { deviceId: string; from: number | null; to: number | null },
  after: PlainJson,
) => Promise<ReplayPage>;

/** Counts the stored records of devices in a range. `records` implements it. */
export type CountRecords = (
  tx: pg.PoolClient,
  range: { deviceIds: readonly string[]; from: number | null; to: number | null },
) => Promise<number>;

/** Access to the stored records. */
export interface ReplaySource {
  scan: ScanRecords;
  count: CountRecords;
}

/** Progress of a replay: the device, and the position in it. */
interface Cursor {
  deviceId: string;
  after: PlainJson;
}

/**
 * Takes a step of a replay: stores the deliveries of one page of records, device by device, with the hook's filter
 * applied as usual. The first step only counts the records.
 */
export async function replayStep(
  tx: pg.PoolClient,
  job: HookJob,
  { scan, count }: ReplaySource,
  terms: EnqueueTerms,
): Promise<HookStep> {
  const { hookId, from, to } = job.input as unknown as ReplayInput;
  if (job.cursor === null) {
    const { rows: heard } = await tx.query<Listener>(sql`${listenerRows} where ${replayed(hookId)}`);
    const total = await count(tx, { deviceIds: heard.map(({ deviceId }) => deviceId), from, to });
    return { cursor: asJson({ deviceId: nilId, after: null }), done: 0, changed: 0, total, finished: false };
  }
  const cursor = job.cursor as unknown as Cursor;
  const { rows } = await tx.query<Listener>(sql`
    ${listenerRows} where ${replayed(hookId)} and ad.device_id >= ${cursor.deviceId} order by ad.device_id limit 1`);
  const [listener] = rows;
  if (!listener) return { cursor: asJson(cursor), done: 0, changed: 0, finished: true };
  const { deviceId } = listener;
  const page = await scan(tx, { deviceId, from, to }, deviceId === cursor.deviceId ? cursor.after : null);
  const { deliveries: changed } = await enqueueFor(tx, [listener], page.records, terms);
  return {
    cursor: asJson(
      page.next === undefined ? { deviceId: nextId(deviceId), after: null } : { deviceId, after: page.next },
    ),
    done: page.records.length,
    changed,
    finished: false,
  };
}

/** Condition: `hook h` is this one, and chose to be called for records. It may have other events since the call. */
const replayed = (hookId: string): Sql => sql`h.id = ${hookId} and 'record' = any(h.events)`;

const asJson = ({ deviceId, after }: Cursor): PlainJson => ({ deviceId, after });

/** Returns the identifier that follows another. */
function nextId(id: string): string {
  const digits = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
