import sql, { join, type Sql } from 'sql-template-tag';
import type { Times } from '#records/answer/hit.js';
import type { BoundKey } from '#search/hits/bound-sort.js';
import type { Cursor } from '#search/hits/search-after.js';
import type { ShownField } from '#search/hits/shown-field.js';
import type { SourceFilter } from '#search/hits/source-filter.js';
import type { InstantRange } from '#search/instant-range.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';
import { afterCursor, orderBy, orderKey } from '../sql/order-by.js';
import { aloneWithin, narrow, type Scope, scan } from '../sql/record-scan.js';
import { deviceColumns } from './hit-device.js';
import type { Names } from './matched.js';

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
export const atOnce = 500;

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

/** Number of columns before the sort values. */
export const columnCount = 8;

/** Whether some records of a page may be only in blocks. Its statement then has the columns of `Scan.places` at the end. */
export const readsBlocks = (request: Pick<HitsRequest, 'scope' | 'predicates'>): boolean => {
  const { scope, rest } = narrow(request.scope, request.predicates);
  return aloneWithin(scope, rest) !== undefined;
};

/** Builds the SQL of a page. */
export const statement = (request: Omit<HitsRequest, 'span' | 'names'>): Sql => {
  const { after, sort, from, size, products } = request;
  const { scope, rest: predicates } = narrow(request.scope, request.predicates);
  const isInBlocks = readsBlocks(request);
  const fields = [...sort.map(({ field }) => field), ...predicates.flatMap(fieldsOf)];
  const { source, where, places } = scan(scope, predicates, fields, isInBlocks);
  const columns = [...hitColumns(sort), ...(isInBlocks ? places : [])];
  const order = sort.length === 0 ? sql`r.ts desc, r.seq desc` : orderBy(sort.map(orderKey));
  const conditions = after === undefined ? where : sql`${where} and ${afterCursor(sort.map(orderKey), after)}`;
  const end = sql`order by ${order} limit ${size}::int offset ${from}::int`;
  if (isInBlocks || !isByTime({ ...request, scope, predicates }))
    return sql`select ${join(columns)} from ${source} where ${conditions} ${end}`;
  // The newest records of each product or device are at the end of its index. No index has the newest of several
  // together.
  const [ids, column] = products ? [products, sql`r.product_id`] : [scope.deviceIds, sql`r.device_id`];
  const ofOne = sql`select r.* from ${source} where ${column} = one.id and ${conditions} order by ${order} limit ${from + size}::int`;
  return sql`select ${join(columns)} from unnest(${ids}::uuid[]) as one(id) cross join lateral (${ofOne}) r ${end}`;
};

/**
 * Adds the devices of the hits to a page, as JSON after the columns of the first row. Another round trip would take as
 * long as the page.
 */
export const withDevices = (page: Sql): Sql => {
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
export const isOnePlan = (request: Omit<HitsRequest, 'span' | 'names'>): boolean => {
  const { after, sort } = request;
  const { scope, rest: predicates } = narrow(request.scope, request.predicates);
  const [key, second] = sort;
  const [time, another] = predicates;
  if (readsBlocks(request) || after !== undefined || second !== undefined || another !== undefined) return false;
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

/** Returns the memory of a row in bytes, roughly. */
export const lengthOf = (row: readonly unknown[]): number =>
  row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);
