import sql, { join, type Sql } from 'sql-template-tag';
import type { PlainJson } from '#json/json.js';
import type { AnswerDevices } from '#records/answer/device-answer.js';
import { type FoundRecord, type HitShape, hitOf, type Times } from '#records/answer/hit.js';
import type { Hit } from '#records/record-index.js';
import type { QueryReader, Rows } from '#records/scope/snapshot-reader.js';
import type { BoundKey } from '#search/hits/bound-sort.js';
import type { Cursor } from '#search/hits/search-after.js';
import type { ShownField } from '#search/hits/shown-field.js';
import type { SourceFilter } from '#search/hits/source-filter.js';
import type { InstantRange } from '#search/instant-range.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';
import { afterCursor, orderBy, orderKey } from '../sql/order-by.js';
import { narrow, type Scope, scan } from '../sql/record-scan.js';
import { nameOfText } from '../statement-names.js';
import { type DevicesFound, deviceColumns, devicesIn, loadDevices } from './hit-device.js';
import { loadMatched, type Names } from './matched.js';
import { newestFirst } from './newest.js';
import { loadStaleTypes } from './stale-type.js';

/** Selects the records of a page, and their order. */
export interface HitsRequest {
  readonly scope: Scope;
  readonly predicates: readonly Predicate[];
  /** Time span of the records. */
  readonly span: InstantRange;
  /** Beginning of the page: after the last hit of the previous one. */
  readonly after?: Cursor;
  /**
   * Products whose records together make up the whole scope. Reading by time goes through them instead of the devices.
   */
  readonly products?: readonly string[];
  /** If empty, the newest records come first and hits have no sort values. */
  readonly sort: readonly BoundKey[];
  readonly from: number;
  readonly size: number;
  readonly source: SourceFilter;
  readonly fields: readonly ShownField[];
  readonly names: Names;
  /** Unit of `ts`, in the source and in sort values. */
  readonly times: Times;
  /** Called with the size of each record read, in bytes. Throws if the answer may not grow any more. */
  readonly weigh: (bytes: number) => void;
}

/** Number of wide rows above which a cursor reads them. */
const atOnce = 500;
/**
 * Number of rows that are read at once in the order of an index. A cursor's statement cannot be kept prepared; further
 * rows take another statement.
 */
const atOncePrepared = 1000;

/** Reads a page of records. */
export const readHits = async (reader: QueryReader, request: HitsRequest): Promise<Hit[]> => {
  if (request.size === 0 || request.scope.deviceIds.length === 0) return [];
  const rows: unknown[][] = [];
  const take = (batch: unknown[][]) => {
    for (const row of batch) request.weigh(lengthOf(row));
    rows.push(...batch);
  };
  const isBare = request.source === false && request.fields.length === 0;
  const beside: DevicesFound[] = [];
  const read = async (part: HitsRequest) => {
    const page = statement(part);
    if (!isOnePlan(part)) return reader.tuples(page);
    if (isBare) return reader.tuples(page, nameOfText(page.text));
    const both = withDevices(page);
    const records = await reader.tuples(both, nameOfText(both.text));
    const [found] = records.map((record) => record.pop() as string);
    beside.push(found === undefined ? { devices: [], products: [] } : (JSON.parse(found) as DevicesFound));
    return records;
  };
  const onePlan = isOnePlan(request);
  if (request.size > (onePlan ? atOncePrepared : atOnce)) {
    // A page in the order of an index is usually not full.
    const begun = onePlan ? atOncePrepared : 0;
    if (begun > 0) take(await read({ ...request, size: begun }));
    if (rows.length === begun) {
      const rest = { ...request, from: request.from + begun, size: request.size - begun };
      beside.length = 0;
      await reader.batches(statement(rest), take);
    }
  } else {
    for (const scope of newestFirst(request)) {
      const size = request.size - rows.length;
      if (size > 0) take(await read({ ...request, scope, size }));
    }
  }
  const devices =
    beside.length > 0
      ? await withStaleTypes(reader.rows, rows, devicesIn(beside))
      : await devicesOf(reader.rows, isBare ? [] : rows);
  const matched = await loadMatched(reader, rows, request.names);
  const shape = shapeHits({ ...request, organizationId: request.scope.organizationId });
  return reader.pace.map(rows, (row) => shape(row, { ...devices, matched }));
};

/** Columns of a record that is shown, over the aliases `r` and `d`, with its sort values. */
export const hitColumns = (sort: readonly BoundKey[]): Sql[] => [
  sql`r.id`,
  sql`extract(epoch from r.ts)`,
  sql`r.device_id`,
  sql`r.product_id`,
  sql`r.metadata`,
  sql`r.data`,
  sql`r.frame`,
  sql`r.ignored`,
  ...sort.map(orderKey).map(({ value, type }) => (type === 'timestamp' ? sql`extract(epoch from ${value})` : value)),
];
const columnCount = 8;

/** Builds the SQL of a page. */
export const statement = (request: Omit<HitsRequest, 'span' | 'names'>): Sql => {
  const { after, sort, from, size, products } = request;
  const { scope, rest: predicates } = narrow(request.scope, request.predicates);
  const fields = [...sort.map(({ field }) => field), ...predicates.flatMap(fieldsOf)];
  const { source, where } = scan(scope, predicates, fields);
  const order = sort.length === 0 ? sql`r.ts desc, r.seq desc` : orderBy(sort.map(orderKey));
  const conditions = after === undefined ? where : sql`${where} and ${afterCursor(sort.map(orderKey), after)}`;
  const end = sql`order by ${order} limit ${size}::int offset ${from}::int`;
  if (!isByTime({ ...request, scope, predicates }))
    return sql`select ${join(hitColumns(sort))} from ${source} where ${conditions} ${end}`;
  // The newest records of each product or device are at the end of its index. No index has the newest of several
  // together.
  const [ids, column] = products ? [products, sql`r.product_id`] : [scope.deviceIds, sql`r.device_id`];
  const ofOne = sql`select r.* from record r where ${column} = one.id and ${conditions} order by ${order} limit ${from + size}::int`;
  return sql`select ${join(hitColumns(sort))} from unnest(${ids}::uuid[]) as one(id) cross join lateral (${ofOne}) r ${end}`;
};

/**
 * Adds the devices of the hits to a page, as JSON after the columns of the first row. Another round trip would take as
 * long as the page.
 */
const withDevices = (page: Sql): Sql => {
  const [deviceIds, productIds] = [sql`array(select device_id from page)`, sql`array(select product_id from page)`];
  return sql`
    with page as materialized (${page})
    select page.*, case when row_number() over () = 1 then (
      select row_to_json(x) from (select ${deviceColumns(deviceIds, productIds)}) x) end
    from page`;
};

/**
 * Whether the plan of a page is good for all values, so that its statement is kept prepared. Planning one over some
 * partitions takes longer than reading a page in the order of an index. There are only few such texts.
 */
const isOnePlan = (request: Omit<HitsRequest, 'span' | 'names'>): boolean => {
  const { after, sort } = request;
  const { scope, rest: predicates } = narrow(request.scope, request.predicates);
  const [key, second] = sort;
  const [time, another] = predicates;
  if (after !== undefined || second !== undefined || another !== undefined) return false;
  if ((key !== undefined && key.field.path !== 'ts') || (time !== undefined && !isTime(time))) return false;
  return scope.deviceIds.length === 1 || isByTime({ ...request, scope, predicates });
};

const isTime = (one: Predicate): one is Extract<Predicate, { kind: 'range' }> =>
  one.kind === 'range' && one.field.path === 'ts';

const maxByDevice = 100_000;

/** Whether records are requested in order of time, and most of the records that an index yields in that order match. */
export const isByTime = ({
  scope,
  predicates,
  sort,
  from,
  size,
}: Pick<HitsRequest, 'scope' | 'predicates' | 'sort' | 'from' | 'size'>): boolean =>
  size > 0 &&
  scope.deviceIds.length > 1 &&
  (sort.length === 0 || sort[0]!.field.path === 'ts') &&
  sort.every(({ field }) => !field.ofDevice) &&
  scope.deviceIds.length * (from + size) <= maxByDevice &&
  predicates.every((one) => one.kind === 'all' || isTime(one));

/** Data that hits need besides their records. */
export interface Surroundings extends AnswerDevices {
  /** Paths with stale types by record, see {@link loadStaleTypes}. */
  readonly staleTypes: ReadonlyMap<string, string[]>;
  /** Names of matching clauses by record, see {@link loadMatched}. */
  readonly matched?: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the devices, the owners of the products and the values of stale types for records that were read with {@link
 * hitColumns}.
 */
export const devicesOf = async (rows: Rows, records: readonly (readonly unknown[])[]): Promise<Surroundings> => {
  const devices = await loadDevices(
    rows,
    records.map((record) => record[2] as string),
    records.flatMap((record) => (record[3] as string | null) ?? []),
  );
  return withStaleTypes(rows, records, devices);
};

const withStaleTypes = async (
  rows: Rows,
  records: readonly (readonly unknown[])[],
  devices: AnswerDevices,
): Promise<Surroundings> => {
  const older = records.flatMap((record) => (devices.retyped.has(record[3] as string) ? (record[0] as string) : []));
  return { ...devices, staleTypes: older.length === 0 ? new Map() : await loadStaleTypes(rows, older) };
};

/** Creates the function that turns a record that was read with {@link hitColumns} into a hit. */
export const shapeHits = (shape: HitShape) => {
  const make = hitOf(shape);
  return (record: readonly unknown[], devices: Surroundings): Hit => {
    const [id, ts, deviceId, productId, metadata, data, frame, unfit] = record as HitRow;
    const found: FoundRecord = {
      id,
      ts: Number(ts),
      deviceId,
      productId,
      metadata: () => JSON.parse(metadata) as PlainJson,
      data: () => JSON.parse(data) as PlainJson,
      frame: frame === null ? undefined : () => JSON.parse(frame) as PlainJson,
      ignored: [...(unfit ?? []), ...(devices.staleTypes.get(id) ?? [])],
      sort: record.slice(columnCount),
      matched: devices.matched?.get(id),
    };
    return make(found, devices);
  };
};

type HitRow = readonly [string, string, string, string | null, string, string, string | null, string[] | null];

const lengthOf = (row: readonly unknown[]): number =>
  row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);
