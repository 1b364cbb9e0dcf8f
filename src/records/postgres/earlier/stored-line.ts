import type { PoolClient } from 'pg';
import sql, { empty, type Sql } from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import { nilId } from '#entities/id.js';
import { comparePositions, type Past, type Position } from '#records/derive/past.js';
import { recordsAt } from '../alone-record.js';
import { type StoredRow, storedColumns } from '../log/rewrite.js';
import type { Line } from './newest.js';

/** A stored record of a line. One in blocks alone has neither slots nor the names of its derived variables. */
export interface LineRow extends StoredRow {
  isAlone: boolean;
}

/** The time of all days of a product in blocks alone, in Unix seconds; undefined if there are none. */
export type AloneSpan = { from: number; to: number } | undefined;

/** Returns the time of the days of a product in blocks alone. */
export const findAloneSpan = async (
  tx: PoolClient,
  { organizationId, productId }: { organizationId: string; productId: string },
): Promise<AloneSpan> => {
  const { rows } = await tx.query<{ from: number | null; to: number }>(sql`
    select min(day) - 'epoch'::date as "from", max(day) - 'epoch'::date as "to"
      from record_block_source join record_blocked using (source)
     where organization_id = ${organizationId} and product_id = ${productId} and alone`);
  const { from, to } = rows[0]!;
  return from === null ? undefined : { from: from * daySeconds, to: (to + 1) * daySeconds };
};

/** Part of a line, in its order or backwards. */
export interface LinePart {
  /** Position before the first record; absent: the beginning, or the end if it is read backwards. */
  after?: Position | undefined;
  isBackwards?: boolean;
  limit: number;
  /** Only records that may have a value of one of these variables. */
  names?: readonly string[];
}

/** A page of a line. `end` is the position from which to go on; absent: there are no more records. */
export interface LinePage {
  rows: LineRow[];
  end?: Position | undefined;
}

/** Reads the stored records of a line. */
export interface LineReader {
  read(part: LinePart): Promise<LinePage>;
  /** Returns the values before a position. */
  past(before: Position): Promise<Past>;
}

/** An identifier after all others. */

export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Reads a page of a line: its rows, and its records in blocks alone. */
export const readLine = async (tx: PoolClient, line: Line, span: AloneSpan, part: LinePart): Promise<LinePage> => {
  const stored = await readRows(tx, line, part);
  if (!mayBeAlone(span, part)) return stored;
  const alone = await readAlone(tx, line, part);
  const sign = part.isBackwards ? -1 : 1;
  const order = (one: Position, other: Position) => sign * comparePositions(one, other);
  const [end] = [stored.end, alone.end].flatMap((each) => each ?? []).toSorted(order);
  const rows = [...stored.rows, ...alone.rows].filter((row) => end === undefined || order(positionOf(row), end) <= 0);
  return { rows: rows.toSorted((one, other) => order(positionOf(one), positionOf(other))), end };
};

/** Returns the position of a stored record. */
export const positionOf = ({ seconds, id }: Pick<StoredRow, 'seconds' | 'id'>): Position => ({ ts: seconds, id });

const mayBeAlone = (span: AloneSpan, { after, isBackwards = false }: LinePart): boolean =>
  span !== undefined && (after === undefined || (isBackwards ? after.ts >= span.from : after.ts <= span.to));

const readRows = async (
  tx: PoolClient,
  { deviceId, productId }: Line,
  { after, isBackwards = false, limit, names }: LinePart,
): Promise<LinePage> => {
  const { rows } = await tx.query<LineRow>(sql`
    select ${storedColumns}, false as "isAlone" from record
     where device_id = ${deviceId} and product_id = ${productId} ${afterSql(after, isBackwards)} ${namesSql(names)}
     order by ${isBackwards ? sql`record.ts desc, id desc` : sql`record.ts, id`} limit ${limit}`);
  return { rows, end: rows.length < limit ? undefined : positionOf(rows.at(-1)!) };
};

const afterSql = (after: Position | undefined, isBackwards: boolean): Sql => {
  if (after === undefined) return empty;
  const ts = sql`to_timestamp(${after.ts}::float8)`;
  return isBackwards
    ? sql`and record.ts <= ${ts} and (record.ts, id) < (${ts}, ${after.id}::uuid)`
    : sql`and record.ts >= ${ts} and (record.ts, id) > (${ts}, ${after.id}::uuid)`;
};

const namesSql = (names: readonly string[] | undefined): Sql => {
  if (names === undefined) return empty;
  // The value of `a.b` is that of a key `a.b`, or within an object `a`.
  const keys = names.flatMap((name) => {
    const parts = name.split('.');
    return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
  });
  return sql`and (data ?| ${keys}::text[] or metadata #> '{derived,sent}' ?| ${keys}::text[])`;
};

/** Reads records in blocks alone. Their order is another one at the same time, so a page ends before such a time. */
const readAlone = async (
  tx: PoolClient,
  { deviceId, productId }: Line,
  { after, isBackwards = false, limit }: LinePart,
): Promise<LinePage> => {
  const ts = after === undefined ? undefined : sql`to_timestamp(${after.ts}::float8)`;
  const [low, high] = isBackwards ? [undefined, ts] : [ts, undefined];
  const order = isBackwards ? sql`ts desc, seq desc` : sql`ts, seq`;
  for (let enough = limit; ; enough *= 4) {
    const { rows } = await tx.query<LineRow & { productId: string | null }>(sql`
      with places as materialized (
        select p.* from record_block_places(array[${deviceId}::uuid], ${low ?? sql`'-infinity'`}, ${high ?? sql`'infinity'`},
          null, null, ${isBackwards}, ${enough}::int) p order by ${order} limit ${enough})
      select id, device_id as "deviceId", product_id as "productId", ts::text, extract(epoch from ts)::float8 as seconds, metadata, data,
        frame, null as given, null as numbers, null as texts, null as many, null as ignored, true as "isAlone"
        from ${recordsAt(sql`(select block, place from places)`, ['metadata', 'data', 'frame'])} b order by b.ts ${isBackwards ? sql`desc` : empty}`);
    const page = pageByTime(rows, enough, { after, isBackwards });
    if (page) return { ...page, rows: page.rows.filter((row) => row.productId === productId) };
  }
};

/**
 * Returns a page of records that are in order of time alone, of which `enough` were asked for. It ends before the last
 * time, which may have more. Returns undefined if all are of one time.
 */
export const pageByTime = <Row extends LineRow>(
  rows: readonly Row[],
  enough: number,
  { after, isBackwards = false }: Pick<LinePart, 'after' | 'isBackwards'>,
): { rows: Row[]; end?: Position | undefined } | undefined => {
  const last = rows.at(-1);
  const isWhole = last === undefined || rows.length < enough;
  const end = isWhole ? undefined : { ts: last.seconds, id: isBackwards ? lastId : nilId };
  if (end !== undefined && (after?.ts === end.ts || rows[0]!.seconds === end.ts)) return undefined;
  const isAfter = (row: LineRow) =>
    after === undefined || (isBackwards ? -1 : 1) * comparePositions(positionOf(row), after) > 0;
  return { rows: rows.filter(isAfter), end };
};
