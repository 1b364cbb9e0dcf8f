import type { PoolClient } from 'pg';
import type { PlainJson } from '#json/json.js';
import type { Item, ItemResult, Rejection } from './item.js';
import type { StoredRecord } from './stored-record.js';

/**
 * Stores records. It is always PostgreSQL: a record and its deliveries are committed in one transaction, which is what
 * a 200 of ingestion promises. Queries are the task of a {@link RecordIndex}.
 */
export interface RecordLog {
  /**
   * Stores the valid items of a call. When it resolves, every stored record is committed, together with its deliveries.
   * @throws Rejection of the first rejected item of a call that is refused (`refusedIf`)
   * @throws ApiError 422 for an idempotency key that came with another body
   */
  append(call: AppendCall): Promise<AppendResult>;
  /** Starts the upkeep: partitions ahead, rollups, retention. */
  maintain(): void;
  /** Resolves when everything in progress is settled. */
  close(): Promise<void>;
}

/** Reads records that the {@link RecordLog} has stored, for hooks, alerts, live data, jobs and quotas. */
export interface StoredRecords {
  /**
   * Matches a query against records that this transaction has stored, all of one organization. Each record is read by
   * the types of its own product. If the query cannot be answered, the records match.
   */
  match(tx: PoolClient, query: PlainJson, records: readonly Matchable[], limits: MatchLimits): Promise<Matches>;
  /**
   * Matches several queries together against committed records. Returns undefined for each query that cannot be
   * answered, and for all of them if they take too long together.
   */
  matchCommitted(
    queries: readonly PlainJson[],
    records: readonly Matchable[],
    timeoutMs: number,
  ): Promise<readonly (ReadonlySet<string> | undefined)[]>;
  /**
   * Like {@link match}, but a record that lacks a field which the query needs to be false is `open`, as is one for which
   * the query could not be answered.
   */
  decide(tx: PoolClient, query: PlainJson, records: readonly Matchable[], limits: MatchLimits): Promise<Decided>;
  /** Decides several queries together over committed records. All of them time out together. */
  decideCommitted(
    queries: readonly PlainJson[],
    records: readonly Matchable[],
    timeoutMs: number,
  ): Promise<readonly Decided[]>;
  /**
   * Returns the time of the newest stored record of each device, in Unix seconds. Leaves out these records, and those
   * that lie ahead of `now` (milliseconds). If records are indexed elsewhere, it knows those of the last day.
   */
  newestBefore(
    tx: PoolClient,
    deviceIds: readonly string[],
    without: readonly string[],
    now: number,
  ): Promise<ReadonlyMap<string, number>>;
  /** Reads the stored records of a device, in order of time, page by page. */
  scan(tx: PoolClient, range: DeviceRange, after: PlainJson): Promise<ScannedPage>;
  /** Counts the stored records of devices in a range of Unix seconds (both included). */
  count(tx: PoolClient, range: DevicesRange): Promise<number>;
  /**
   * Counts the stored records of an organization. The most recent ones may be missing if they are indexed elsewhere.
   */
  countAll(organizationId: string): Promise<number>;
  /** Takes a step of a job that decodes stored records again by their product's current variables. */
  redecode(tx: PoolClient, job: LogJob): Promise<LogStep>;
  /** Reads records that were committed after a snapshot, page by page. */
  changes(question: ChangesQuestion): Promise<CommittedRecord[]>;
}

/** One call that posts records. */
export interface AppendCall {
  organizationId: string;
  /** Items and rejections, in the order of the call. */
  items: readonly (Item | Rejection)[];
  /** W3C trace context of the call, for the deliveries of its records. */
  traceparent?: string | undefined;
  /** If given, a repeated call gets the result of the first one. */
  idempotencyKey?: IdempotencyKey;
  /**
   * Refuses the whole call, so that none of its items is stored, if any item is rejected, or only if all are. By default
   * the result says which items were rejected.
   */
  refusedIf?: 'any' | 'all';
  /** If true, no hook is called for its records. */
  withoutHooks?: boolean;
  /** If true, its records are those of an import: alert rules ignore them, and they are no arrival of their device. */
  isImport?: boolean;
  /** If true, the result lists every item, with the identifiers of records. */
  verbose?: boolean;
}

/** Result of a call. */
export interface AppendResult {
  /** Number of stored items. */
  accepted: number;
  duplicates: number;
  rejected: number;
  /** Items that were not stored, without identifiers; of a verbose call all items. */
  results: readonly ListedItem[];
  /** Whether this is the result of an earlier call with the same idempotency key. */
  isRepeated: boolean;
}

/** Result of the item at an index of the call, from 0. */
export type ListedItem = { index: number } & (ItemResult | { status: 'duplicate' });

/** Key of a repeatable call (`Idempotency-Key`): the result of the first call is returned for 24 hours. */
export interface IdempotencyKey {
  organizationId: string;
  path: string;
  key: string;
  /** Hash of the body. The same key with another body is a mistake of the caller. */
  bodyHash: Buffer;
}

/** The fields of a record that identify it for a query; the rest is read from storage. */
export type Matchable = Pick<StoredRecord, 'id' | 'ts'> & {
  device: Pick<StoredRecord['device'], 'id' | 'organizationId'> & { product?: { id: string } };
};

/** The instant of `now` in a query, and its time limit; both in milliseconds. */
export interface MatchLimits {
  now: number;
  timeoutMs: number;
}

/** Records that match a query, and those that it does not decide. */
export interface Decided {
  ids: ReadonlySet<string>;
  open: ReadonlySet<string>;
  timedOut: boolean;
}

/** Result of matching a query. */
export interface Matches {
  ids: ReadonlySet<string>;
  /** Number of records for which the query could not be answered. */
  unanswered: number;
  /** Whether these records are unanswered because of a timeout. */
  timedOut: boolean;
}

/** The records of a device in a range of Unix seconds, both included; null is an open end. */
export interface DeviceRange {
  deviceId: string;
  from: number | null;
  to: number | null;
}

/** The records of several devices in a range of Unix seconds, both included; null is an open end. */
export interface DevicesRange extends Omit<DeviceRange, 'deviceId'> {
  deviceIds: readonly string[];
}

/** A page of a scan. `next` is the position of the next page. */
export interface ScannedPage {
  records: StoredRecord[];
  next?: PlainJson;
}

/** A job over stored records. Its input depends on its kind; its cursor is the end of its last step. */
export interface LogJob {
  organizationId: string;
  input: PlainJson;
  cursor: PlainJson;
}

/** Result of a step of a job. */
export interface LogStep {
  cursor: PlainJson;
  done: number;
  changed: number;
  total?: number;
  finished: boolean;
}

/** Selects committed records: those that one snapshot did not see and, if `seenBy` is given, that it did see. */
export interface ChangesQuestion {
  /** Snapshots in PostgreSQL's notation (`pg_snapshot`). */
  unseenBy: string;
  seenBy?: string;
  /** Restricts the records to these organizations, and to devices that are now linked to one of these applications. */
  organizationIds: readonly string[];
  applicationIds: readonly string[];
  /** Ranges of identifiers, both ends included. */
  ranges: readonly { low: string; high: string }[];
  /** The last identifier of the previous page. */
  after?: string;
  /** Maximum number of records. */
  limit: number;
  /**
   * The JSON of a record is omitted if it has this many stored bytes, or if the JSON of its organization's later
   * records on the page has `maxTotalBytes` together.
   */
  maxBytes: number;
  maxTotalBytes: number;
  /** Whether the read may be slow, on connections where no quick read waits behind it. */
  slow: boolean;
}

/** A committed record, written by the transaction `xid`. Its JSON is text; null if it was omitted or does not exist. */
export interface CommittedRecord {
  id: string;
  xid: string;
  organizationId: string;
  deviceId: string;
  productId: string | null;
  /** Unix seconds. */
  ts: number;
  metadata: string | null;
  data: string | null;
  frame: string | null;
  /** The requested applications that its device is linked to. */
  applications: string[];
}
