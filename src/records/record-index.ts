import type { ReadingCall } from '../entities/caller.js';
import type { VariableType } from '../entities/enums.js';
import type { DeviceRecord } from '../entities/record.js';
import type { SeriesFunction } from '../entities/series.js';
import type { LocatedJson, PlainJson } from '../json.js';
import type { ErrorAnswer } from '../search/failure.js';
import type { FieldKind } from '../search/field/field.js';

/**
 * Answers questions about records: searches, fields, series and newest values. It is PostgreSQL today; a search cluster that
 * is fed from the {@link RecordLog} can be another. It never decides whether a record is stored.
 *
 * A search knows the devices that it is about (`device.id`, those of the application) before it reads records. What else a query
 * asks of `device.*` (serial, name, tags, location) is what the device is now: PostgreSQL joins the device, another index has to
 * resolve it to devices first.
 */
export interface RecordIndex {
  /**
   * Reads the input of a search: the time that it looks at, and its queries.
   * @throws ApiError VALIDATION_FAILED where the call as a whole is wrong; a query that is wrong fails alone, in its place.
   */
  prepare(ts: LocatedJson | undefined, queries: LocatedJson | undefined): Ask;
  /** Reads the lines of a multi-search as engines' clients send it. Its times are milliseconds. */
  prepareMulti(lines: LocatedJson): Ask;
  /** Every field that an application's records can be asked for. */
  fields(call: SearchCall): Promise<FieldType[]>;
  /** Throws 422, with the engines' reason, for a query that a search of the organization's records would refuse. */
  check(organizationId: string, query: PlainJson): Promise<void>;
  /** Reads a line for each device and variable, in their order; one without values is empty. Throws 422 past the limits. */
  series(call: SeriesCall): Promise<Line[]>;
  /** Finds the newest measured values of devices, by device. @param weigh counts what is read, in bytes, and throws past what the call may read */
  latest(deviceIds: readonly string[], weigh: (bytes: number) => void): Promise<ReadonlyMap<string, LatestValue[]>>;
  /** Finds records of devices of the caller's organization by their identifiers, in no order. Whether the caller can read the device is not asked. */
  find(call: ReadingCall, ids: readonly string[]): Promise<DeviceRecord[]>;
  /** Lists records below devices or applications that the caller can read: a page for each, in their order. @throws TIMEOUT */
  list(call: ReadingCall, request: RecordListRequest): Promise<RecordPage[]>;
  /** Finds of devices that the caller can read when their newest record was measured: ISO 8601, to the millisecond, none where there is no record. @throws TIMEOUT */
  newestTimes(call: ReadingCall, deviceIds: readonly string[], timeoutMs: number): Promise<ReadonlyMap<string, string>>;
  /**
   * Finds which of these devices of the caller's organization have no record that was measured at a time (Unix seconds) or
   * later, in the order in which they are given. Whether the caller can read a device is not asked. @throws TIMEOUT
   */
  silentDevices(call: ReadingCall, deviceIds: readonly string[], since: number, timeoutMs: number): Promise<string[]>;
  /**
   * The greatest number in the order of storing (`_doc`) that was given out, decimal: every record that was acknowledged before
   * has it or a smaller one, and is found by then. @throws UNAVAILABLE where the index is too far behind
   */
  horizon(call: ReadingCall): Promise<string>;
  /** Lets go of the connections that are its own. */
  close(): Promise<void>;
}

/** The part of an index that answers searches. */
export type Search = Pick<RecordIndex, 'prepare' | 'prepareMulti' | 'fields'>;

/** Whose records to search: an application that the caller may read. */
export interface SearchCall {
  organizationId: string;
  applicationId: string;
  /** Aborted when the caller is gone: what runs is cancelled. */
  signal?: AbortSignal;
}

/** One record of an answer, in the engines' form. */
export interface Hit {
  _index: 'records';
  _id: string;
  _score: null;
  _ignored?: string[];
  _source?: { [key: string]: PlainJson };
  fields?: { [path: string]: unknown[] };
  sort?: unknown[];
  /** The names of the query's clauses that the record matches, in the order in which the query has them. */
  matched_queries?: string[];
}

/** The part of an answer that a query makes. */
export interface Found {
  hits: { total?: { value: number; relation: 'eq' | 'gte' }; max_score: null; hits: Hit[] };
  aggregations?: Record<string, unknown>;
}

/** How many parts of the index answered. */
export interface Shards {
  total: number;
  successful: number;
  skipped: number;
  failed: number;
}

/** The answer to one query. */
export type QueryAnswer = ({ took: number; timed_out: boolean; status: 200; _shards: Shards } & Found) | ErrorAnswer;

/** The answers to all queries of a call, in their order. `took` in milliseconds. */
export interface SearchAnswer {
  took: number;
  responses: QueryAnswer[];
}

/** A search that was read, to be answered for an application. */
export type Ask = (call: SearchCall) => Promise<SearchAnswer>;

/** A field and the engines' name of its type. */
export interface FieldType {
  path: string;
  type: FieldKind;
}

/** Which lines of a chart, drawn how. Devices are those of one organization, which the caller may read. */
export interface SeriesCall {
  organizationId: string;
  deviceIds: readonly string[];
  variables: readonly string[];
  function: SeriesFunction;
  /** Points of a line at most, 3 or more. */
  points: number;
  /** Length of a bucket in seconds; without one it follows from `points`. */
  interval?: number | null;
  /** Unix seconds, both included; the day up to now unless given. */
  from?: number | null;
  to?: number | null;
  signal?: AbortSignal;
}

/** One line: two columns of the same length. */
export interface Line {
  deviceId: string;
  name: string;
  type?: VariableType;
  unit?: string | null;
  interval: number | null;
  ts: number[];
  values: number[];
}

/** The newest measured value of one variable. */
export interface LatestValue {
  name: string;
  /** When it was measured, Unix seconds. */
  ts: number;
  value: PlainJson;
  /** What the device's product says of it, where it declares it. */
  type?: VariableType;
  unit?: string | null;
}

/** Which page of the records of each parent. */
export interface RecordListRequest {
  /** What the records are below: devices, or applications with the devices that are linked to them. */
  parent: 'device' | 'application';
  parentIds: readonly string[];
  /** By time; records of one instant in the order of storing. */
  order: 'newestFirst' | 'oldestFirst';
  /** Unix seconds, both included; null is open. */
  from?: number | null;
  to?: number | null;
  limit: number;
  /** From 1. */
  page: number;
  /** Given: the page after the record with these keys. */
  after?: ListedRecord['cursorKeys'];
  /** Given: the records of each parent are counted, up to this number. */
  countUpTo?: number;
  timeoutMs: number;
}

/** A record, and where it stands in the order of its list: microseconds since 1970, and its number in the order of storing. */
export interface ListedRecord extends DeviceRecord {
  cursorKeys: readonly [micros: string, seq: string];
}

/** A page of the records of one parent. */
export interface RecordPage {
  records: ListedRecord[];
  hasMore: boolean;
  /** How many the parent has; null where they are more than was to be counted, absent where they were not to be. */
  total?: number | null;
}
