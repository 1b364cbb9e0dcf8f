import type { PoolClient } from 'pg';
import type { ApiError } from '../errors.js';
import type { PlainJson } from '../json.js';
import type { Item, ItemResult, Rejection } from './item.js';
import type { StoredRecord } from './stored-record.js';

/**
 * Where records are stored. It is always PostgreSQL: a record and the deliveries that follow from it are one transaction,
 * and that transaction is what a 200 of ingestion promises. Questions are a {@link RecordIndex}'s to answer.
 */
export interface RecordLog {
  /** Stores what can be stored of a call. When it answers, every stored record is committed with what goes alongside. */
  append(call: AppendCall): Promise<PlainJson>;
  /**
   * Of records that this transaction has stored, all of one organization, those that a query matches. Each is judged by the
   * types of its own product. Where the query cannot be answered, the records match.
   */
  match(tx: PoolClient, query: PlainJson, records: readonly Matchable[], limits: MatchLimits): Promise<Matches>;
  /**
   * The same of records that are committed, by several queries together; undefined for each query that cannot be answered,
   * and for all of them where they take too long together.
   */
  matchCommitted(
    queries: readonly PlainJson[],
    records: readonly Matchable[],
    timeoutMs: number,
  ): Promise<readonly (ReadonlySet<string> | undefined)[]>;
  /** Reads the stored records of a device, in the order of their time, a page at a time. */
  scan(tx: PoolClient, range: DeviceRange, after: PlainJson): Promise<ScannedPage>;
  /** Counts the stored records of devices in a range of Unix seconds (both included). */
  count(tx: PoolClient, range: DevicesRange): Promise<number>;
  /** Counts the stored records of an organization; those of the last moments may be missing where they are indexed elsewhere. */
  countAll(organizationId: string): Promise<number>;
  /** A step of a job that decodes stored records anew by their product's present variables. */
  redecode(tx: PoolClient, job: LogJob): Promise<LogStep>;
  /** Reads records that were committed after a snapshot, a page at a time. */
  changes(question: ChangesQuestion): Promise<CommittedRecord[]>;
  /** Begins the upkeep: partitions ahead, rollups, retention. */
  maintain(): void;
  /** Resolves when everything under way is settled. */
  close(): Promise<void>;
}

/** One call that posts records: items to store, and what its caller is to be told of them. */
export interface AppendCall {
  organizationId: string;
  /** Items, and what is no item, in the order of the call. */
  items: readonly (Item | Rejection)[];
  /** W3C trace context of the call, for what follows from its records. */
  traceparent?: string | undefined;
  /** Given: the same call is answered with its first answer. */
  once?: IdempotencyKey;
  /** Given: one rejected item refuses the call whole, and nothing of it is stored. */
  refuse?(rejection: Rejection): ApiError;
  /** Given: no hook is called for what it stores. */
  withoutHooks?: boolean;
  /** The answer to results, in the order of the items. What it throws is the call's fate, and nothing is kept to repeat. */
  answer(results: readonly ItemResult[]): PlainJson;
}

/** A call that may be repeated (`Idempotency-Key`): the first answer is given again for 24 hours. */
export interface IdempotencyKey {
  organizationId: string;
  path: string;
  key: string;
  /** Of the body: the same key with another body is a mistake of the caller's. */
  bodyHash: Buffer;
}

/** What of a record a query is asked about; the rest is read where it is stored. */
export type Matchable = Pick<StoredRecord, 'id' | 'ts'> & {
  device: Pick<StoredRecord['device'], 'id' | 'organizationId'> & { product?: { id: string } };
};

/** The instant that `now` means in a query, and how long it may take; both in milliseconds. */
export interface MatchLimits {
  now: number;
  timeoutMs: number;
}

/** What a query lets through. */
export interface Matches {
  ids: ReadonlySet<string>;
  /** Those of which the query could not be answered. */
  open: ReadonlySet<string>;
  /** How many these are. */
  unanswered: number;
  /** Whether it was not answered because it took too long. */
  timedOut: boolean;
}

/** The records of a device in a range of Unix seconds, both included; null is open. */
export interface DeviceRange {
  deviceId: string;
  from: number | null;
  to: number | null;
}

/** The same of several devices. */
export interface DevicesRange extends Omit<DeviceRange, 'deviceId'> {
  deviceIds: readonly string[];
}

/** A page of a scan; `next` is where the page after it begins. */
export interface ScannedPage {
  records: StoredRecord[];
  next?: PlainJson;
}

/** A job over stored records: its input is its kind's, its cursor where its last step ended. */
export interface LogJob {
  organizationId: string;
  input: PlainJson;
  cursor: PlainJson;
}

/** What a step of a job did. */
export interface LogStep {
  cursor: PlainJson;
  done: number;
  changed: number;
  total?: number;
  finished: boolean;
}

/** Which committed records to read: those that one snapshot did not see and, where it is given, another did. */
export interface ChangesQuestion {
  /** Snapshots as PostgreSQL writes them (`pg_snapshot`). */
  unseenBy: string;
  seenBy?: string;
  /** Of these organizations, by devices that are linked to one of these applications now. */
  organizationIds: readonly string[];
  applicationIds: readonly string[];
  /** Ranges of identifiers, both ends included. */
  ranges: readonly { low: string; high: string }[];
  /** The identifier that the page before ended with. */
  after?: string;
  /** How many records. */
  limit: number;
  /**
   * The JSON of a record is left out where it has this many bytes (as stored), and where the JSON of its organization's later
   * records of the page has `maxTotalBytes` together.
   */
  maxBytes: number;
  maxTotalBytes: number;
  /** Whether it may take its time, on connections where nothing quick waits behind it. */
  slow: boolean;
}

/** A record that was committed, by the transaction `xid`. Its JSON is text; null where it was left out, or there is none. */
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
  /** The applications asked about that its device is linked to. */
  applications: string[];
}
