import type { Sql } from 'sql-template-tag';
import type { ReadingCall } from '#entities/caller.js';
import type { VariableType } from '#entities/enums.js';
import type { DeviceRecord } from '#entities/record.js';
import type { SeriesFunction } from '#entities/series.js';
import type { LocatedJson, PlainJson } from '#json/json.js';
import type { FieldKind } from '#search/field/field.js';
import type { ErrorAnswer } from '#search/search-failure.js';
import type { GroupCall, GroupLine } from './group-series.js';

/**
 * Answers queries about records: searches, fields, series and newest values. PostgreSQL implements it, and so does a
 * search cluster that is fed from the {@link RecordLog}. It never decides whether a record is stored.
 * A search knows its devices (`device.id`, those of the application) before it reads records. Its other conditions on
 * `device.*` (serial, name, tags, location) concern the current device: PostgreSQL joins the device, another index has
 * to resolve the conditions to devices first.
 */
export interface RecordIndex {
  /**
   * Parses a search: its time range and its queries. A wrong query fails alone, in its place.
   * @throws ApiError 422 if the call as a whole is wrong
   */
  prepare(ts: LocatedJson | undefined, queries: LocatedJson | undefined): Ask;
  /** Parses the lines of a multi-search as engines' clients send it. Its times are milliseconds. */
  prepareMulti(lines: LocatedJson): Ask;
  /**
   * Returns the fields that devices of an application's products sent or declare. Their types are those of the
   * organization.
   */
  fields(call: SearchCall): Promise<FieldType[]>;
  /**
   * Checks a query.
   * @throws ApiError 422, with the engines' reason, if a search of the application's records would refuse it, or if it
   *   names attributes of devices for a caller who may not read them
   */
  check(application: Application & Pick<SearchCall, 'withoutAttributes'>, query: PlainJson): Promise<void>;
  /**
   * Reads a line for each device and variable, in order. A line without values is empty.
   * @throws ApiError 422 above the limits
   */
  series(call: SeriesCall): Promise<Line[]>;
  /**
   * Reads lines over many devices, in the order of the groups and, in each, of the number of records.
   * @throws ApiError 422 above the limits
   */
  groupSeries(call: GroupCall): Promise<GroupLine[]>;
  /**
   * Reads the states of each device and variable over time, in order. A line without values is empty.
   * @throws ApiError 422 above the limits
   */
  states(call: StatesCall): Promise<StateLine[]>;
  /**
   * Finds the newest measured values of devices, by device.
   * @param weigh counts the bytes read, and throws above the call's limit
   */
  latest(deviceIds: readonly string[], weigh: (bytes: number) => void): Promise<ReadonlyMap<string, LatestValue[]>>;
  /**
   * Finds records of devices of the caller's organization by identifier, in no order. It does not check whether the
   * caller may read the device.
   */
  find(call: ReadingCall, ids: readonly string[]): Promise<DeviceRecord[]>;
  /**
   * Lists records below devices or applications that the caller may read: one page for each, in order.
   * @throws ApiError 504
   */
  list(call: ReadingCall, request: RecordListRequest): Promise<ListedRecordPage[]>;
  /**
   * Finds the time of the newest record of each device, which the caller may read: ISO 8601, to the millisecond. A
   * record that was ahead counts at its arrival (see `orderTime`), here and in {@link silentDevices}.
   * Devices without records are missing.
   * @throws ApiError 504
   */
  newestTimes(call: ReadingCall, deviceIds: readonly string[], timeoutMs: number): Promise<ReadonlyMap<string, string>>;
  /**
   * Finds the devices of the caller's organization without a record at a time (Unix seconds) or later. It does not check whether the caller may read a device.
   * @param devices identifiers, whose order the answer has, or a statement that selects them as `id`
   * @throws ApiError 504
   */
  silentDevices(
    call: ReadingCall,
    devices: readonly string[] | Sql,
    since: number,
    timeoutMs: number,
  ): Promise<string[]>;
  /**
   * Returns the greatest assigned sequence number (`_doc`), as decimal text. Every record that was acknowledged before
   * has this number or a smaller one, and is found by then.
   * @throws ApiError 503 if the index is too far behind
   */
  horizon(call: ReadingCall): Promise<string>;
  /** Closes its own connections. */
  close(): Promise<void>;
}

/** The part of an index that answers searches. */
export type Search = Pick<RecordIndex, 'prepare' | 'prepareMulti' | 'fields'>;

/** An application that the caller may read. */
export interface Application {
  organizationId: string;
  applicationId: string;
}

/** Scope of a search. */
export interface SearchCall extends Application {
  /** Whether the caller may not read attributes of devices: no query finds anything by them. */
  withoutAttributes?: boolean | undefined;
  /** Position that a standby must have replayed to answer; undefined: the primary answers. */
  position?: string | undefined;
  /** Aborted when the caller is gone, which cancels the search. */
  signal?: AbortSignal;
  /**
   * Resolves once the caller may read the application; undefined: it may. It saves a round trip: the application's
   * devices are looked up meanwhile, but records only after it. If it rejects, so does the search, perhaps with another
   * error.
   */
  permitted?: Promise<unknown>;
}

/** One record of an answer, in the engines' format. */
export interface Hit {
  _index: 'records';
  _id: string;
  _score: null;
  _ignored?: string[];
  _source?: { [key: string]: PlainJson };
  fields?: { [path: string]: unknown[] };
  sort?: unknown[];
  /** Names of the query's clauses that the record matches, in the order of the query. */
  matched_queries?: string[];
}

/** The part of an answer that depends on the query. */
export interface Found {
  hits: { total?: { value: number; relation: 'eq' | 'gte' }; max_score: null; hits: Hit[] };
  aggregations?: Record<string, unknown>;
}

/** Numbers of shards of the index by outcome. */
export interface Shards {
  total: number;
  successful: number;
  skipped: number;
  failed: number;
}

export type QueryAnswer = ({ took: number; timed_out: boolean; status: 200; _shards: Shards } & Found) | ErrorAnswer;

/** The answers to all queries of a call, in order. `took` is in milliseconds. */
export interface SearchAnswer {
  took: number;
  responses: QueryAnswer[];
}

/** A parsed search, which can run for an application. */
export type Ask = (call: SearchCall) => Promise<SearchAnswer>;

/** A field and the engines' name of its type. */
export interface FieldType {
  path: string;
  type: FieldKind;
}

/**
 * Selects the lines of a chart, and how they are computed. The devices belong to one organization, and the caller may
 * read them.
 */
export interface SeriesCall {
  organizationId: string;
  deviceIds: readonly string[];
  variables: readonly string[];
  function: SeriesFunction;
  /** Maximum number of points of a line, 3 or more. */
  points: number;
  /** Length of a bucket in seconds; by default it follows from `points`. */
  interval?: number | null;
  /** Unix seconds, both included; by default the last day. */
  from?: number | null;
  to?: number | null;
  /** As in {@link SearchCall}. */
  position?: string | undefined;
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

/** Selects states of devices over time, like the lines of a chart. */
export type StatesCall = Omit<SeriesCall, 'function'>;

/**
 * States of one variable: from an instant on, the variable had a value for some seconds. Entries with the same instant
 * share a bucket, in which the value changed several times. Times without an entry are unknown.
 */
export interface StateLine {
  deviceId: string;
  name: string;
  type?: VariableType;
  unit?: string | null;
  interval: number;
  ts: number[];
  seconds: number[];
  values: string[];
}

/** The newest measured value of one variable. */
export interface LatestValue {
  name: string;
  /** Time of measurement in Unix seconds. */
  ts: number;
  value: PlainJson;
  /** Time by which the newest value is found, in Unix seconds (see `orderTime`). */
  at: number;
  /** Seconds by which the record was ahead when it arrived; null within the tolerance of clocks. */
  ahead: number | null;
  /** Type and unit as the device's product declares them. */
  type?: VariableType;
  unit?: string | null;
}

/** Selects one page of the records of each parent. */
export interface RecordListRequest {
  /** Parents of the records: devices, or applications with their linked devices. */
  parent: 'device' | 'application';
  parentIds: readonly string[];
  /** Order by time; records of one instant are in the order of storing. */
  order: 'newestFirst' | 'oldestFirst';
  /** Unix seconds, both included; null is an open end. */
  from?: number | null;
  to?: number | null;
  limit: number;
  /** Number of the page, from 1. */
  page: number;
  /** If given, selects the page after the record with these keys. */
  after?: ListedRecord['cursorKeys'];
  /** If given, the records of each parent are counted up to this number. */
  countUpTo?: number;
  timeoutMs: number;
}

/** A record with its position in the list: microseconds since 1970, and its sequence number. */
export interface ListedRecord extends DeviceRecord {
  cursorKeys: readonly [micros: string, seq: string];
}

/** A page of the records of one parent. */
export interface ListedRecordPage {
  records: ListedRecord[];
  hasMore: boolean;
  /** Number of the parent's records; null if it exceeds `countUpTo`, absent if they were not counted. */
  total?: number | null;
}
