import sql, { join, type Sql } from 'sql-template-tag';
import type { PlainJson } from '../../../json.js';
import { SearchFailure } from '../failure.js';
import type { Reader } from '../lane.js';
import { fieldsOf, type Predicate } from '../query/predicate.js';
import { type Scope, scan } from '../sql/scan.js';
import { deviceOf, loadDevices } from './device.js';
import { type BoundKey, orderBy } from './order.js';
import { type SourceFilter, sourceFilter } from './source-filter.js';

/** One record of an answer. */
export interface Hit {
  _index: 'records';
  _id: string;
  _score: null;
  _ignored?: string[];
  _source?: { [key: string]: PlainJson };
  sort?: unknown[];
}

/** Which records to show, in which order. */
export interface HitsRequest {
  readonly scope: Scope;
  readonly predicates: readonly Predicate[];
  /** Over alias `r`: what comes after a cursor. */
  readonly after?: Sql;
  /** Empty: the newest first, and hits carry no sort values. */
  readonly sort: readonly BoundKey[];
  readonly from: number;
  readonly size: number;
  readonly source: SourceFilter;
  /** Takes the size of each record read, in characters, and says whether the answer may still grow. */
  readonly weigh: (length: number) => boolean;
}

/** More wide rows than this are read through a cursor. */
const atOnce = 500;
/** How wide the answers of one call may be together. */
export const maxAnswer = 64 * 1024 * 1024;

/** Reads a page of records. */
export const readHits = async (reader: Reader, request: HitsRequest): Promise<Hit[]> => {
  if (request.size === 0 || request.scope.deviceIds.length === 0) return [];
  const query = statement(request);
  const rows: unknown[][] = [];
  let fits = true;
  const take = (batch: unknown[][]) => {
    for (const row of batch) fits &&= request.weigh(lengthOf(row));
    rows.push(...batch);
    return fits;
  };
  if (request.size <= atOnce) take(await reader.tuples(query));
  else await reader.batches(query, take);
  if (!fits) throw tooLarge();
  return shape(reader, request, rows);
};

const columns = sql`r.id, extract(epoch from r.ts), r.device_id, r.product_id, r.metadata, r.data, r.frame, r.ignored`;
const columnCount = 8;

/** The page as SQL. */
export const statement = ({ scope, predicates, after, sort, from, size }: HitsRequest): Sql => {
  const fields = [...sort.map(({ field }) => field), ...predicates.flatMap(fieldsOf)];
  const { source, where } = scan(scope, predicates, fields);
  const values = sort.map(({ value, type }) => (type === 'timestamptz' ? sql`extract(epoch from ${value})` : value));
  const order = sort.length === 0 ? sql`r.ts desc, r.seq desc` : orderBy(sort);
  const conditions = after === undefined ? where : sql`${where} and ${after}`;
  return sql`select ${join([columns, ...values])} from ${source} where ${conditions} order by ${order} limit ${size}::int offset ${from}::int`;
};

const shape = async (
  reader: Reader,
  { sort, source, scope }: HitsRequest,
  rows: readonly unknown[][],
): Promise<Hit[]> => {
  const filter = sourceFilter(source);
  const shownRows = source === false ? [] : rows;
  const devices = await loadDevices(
    reader.rows,
    shownRows.map((row) => row[2] as string),
    shownRows.flatMap((row) => (row[3] as string | null) ?? []),
  );
  return rows.map((row) => {
    const [id, ts, deviceId, productId, metadata, data, frame, ignored] = row as [
      string,
      string,
      string,
      string | null,
      string,
      string,
      string | null,
      string[] | null,
    ];
    const hit: Hit = { _index: 'records', _id: id, _score: null };
    if (ignored !== null && ignored.length > 0) hit._ignored = ignored;
    if (source !== false) {
      const shown = filter({
        ts: Number(ts),
        metadata: JSON.parse(metadata) as PlainJson,
        data: JSON.parse(data) as PlainJson,
        ...(frame !== null && { frame: JSON.parse(frame) as PlainJson }),
        device: deviceOf(devices, deviceId, productId, scope.organizationId),
      });
      if (shown !== undefined) hit._source = shown;
    }
    if (sort.length > 0) hit.sort = sort.map((key, index) => sortValue(key, row[columnCount + index]));
    return hit;
  });
};

/** A sort value as it is shown: `ts` in seconds, doubles without a value as infinities in words, whole numbers exact. */
const sortValue = ({ field, type }: BoundKey, raw: unknown): unknown => {
  if (raw === null || type === 'text') return raw;
  const number = Number(raw);
  if (field.kind === 'double') return Number.isFinite(number) ? number : `${number}`;
  if (Math.abs(number) === Infinity) return number > 0 ? '9223372036854775807' : '-9223372036854775808';
  return type === 'int8' && !Number.isSafeInteger(number) ? raw : number;
};

const lengthOf = (row: readonly unknown[]): number =>
  row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);

const tooLarge = () =>
  new SearchFailure(
    400,
    'illegal_argument_exception',
    `The answers of one call may hold at most [${maxAnswer}] bytes. Ask for fewer hits at once, or for less of each (includes).`,
  );
