import sql, { join, type Sql } from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import type { CallReads } from '#database/call-read.js';
import type { ReadingCall } from '#entities/caller.js';
import type { ListedRecord, ListedRecordPage, RecordIndex, RecordListRequest } from '#records/record-index.js';
import { hasAlone, pageWithAlone } from '../alone-record.js';

/** Columns of listed records `r`. `cursorKeys` are the keys of a cursor. */
export const listedColumns: Sql = sql`r.id, extract(epoch from r.ts)::float8 as ts, r.metadata, r.data, r.frame, r.device_id as "deviceId",
  r.product_id as "productId", array[(extract(epoch from r.ts) * 1000000)::bigint::text, r.seq::text] as "cursorKeys"`;

/**
 * Creates the list of records below devices or applications. It runs one pair of statements for all parents. Days that
 * are in blocks alone are read by a further statement, for the parents whose page they may reach.
 */
export const createList =
  ({ readWithin }: CallReads): RecordIndex['list'] =>
  async (call, request) => {
    const { parentIds, limit, countUpTo, timeoutMs } = request;
    const { page, pageOfAll, count, reach } = statements(call, request);
    const read = async <Row>(
      ids: readonly string[],
      columns: Sql,
      from: Sql,
    ): Promise<(Row & { parentId: string })[]> => {
      if (ids.length === 0) return [];
      const below = sql`select parent.id as "parentId", ${columns} from unnest(${ids}::uuid[]) parent(id) ${from}`;
      return (await readWithin(call, below, timeoutMs)) as (Row & { parentId: string })[];
    };
    const readPages = async () => {
      const rows = await read<ReachedRecord>(
        parentIds,
        sql`reach.*, below.*`,
        sql`cross join (${reach}) reach left join lateral (${page}) below on true`,
      );
      const found = Map.groupBy(rows, ({ parentId }) => parentId);
      const behind = parentIds.filter((id) => mayLack(found.get(id) ?? [], request));
      for (const id of behind) found.set(id, []);
      for (const record of await read<ReachedRecord>(
        behind,
        sql`below.*`,
        sql`cross join lateral (${pageOfAll}) below`,
      ))
        found.get(record.parentId)!.push(record);
      return found;
    };
    const [recordsOf, counts] = await Promise.all([
      readPages(),
      countUpTo === undefined
        ? []
        : read<{ total: number }>(parentIds, sql`below.total`, sql`cross join lateral (${count(countUpTo + 1)}) below`),
    ]);
    const totalOf = new Map(counts.map(({ parentId, total }) => [parentId, total]));
    return parentIds.map((id): ListedRecordPage => {
      // One more record was read, which shows whether there are more.
      const found = (recordsOf.get(id) ?? []).filter(({ seq }) => seq !== null);
      const total = totalOf.get(id);
      return {
        records: found.slice(0, limit).map(({ aloneFrom: _from, aloneTo: _to, seq: _seq, ...record }) => record),
        hasMore: found.length > limit,
        ...(total !== undefined && { total: total > countUpTo! ? null : total }),
      };
    });
  };

/**
 * A listed record, with the first and the last day that is in blocks alone, in Unix seconds; both are null without such
 * days. A parent without rows has one whose other columns are null.
 */
interface ReachedRecord extends ListedRecord {
  aloneFrom: number | null;
  aloneTo: number | null;
  seq: string | null;
}

/** Whether records that are in blocks alone may belong to a page of rows. */
const mayLack = (rows: readonly ReachedRecord[], { order, limit }: RecordListRequest): boolean => {
  const last = rows.at(-1);
  if (last === undefined || last.aloneFrom === null || last.aloneTo === null) return false;
  if (rows.length <= limit || last.seq === null) return true;
  return order === 'newestFirst' ? last.ts < last.aloneTo + daySeconds : last.ts >= last.aloneFrom;
};

/** An order of records by time. Records of one instant are in the order of storing. */
interface TimeOrder {
  readonly order: Sql;
  readonly after: (key: Sql) => Sql;
}

/** There is no "nulls last", because no index has it. */
const orders: Readonly<Record<RecordListRequest['order'], TimeOrder>> = {
  newestFirst: { order: sql`r.ts desc, r.seq desc`, after: (key) => sql`(r.ts, r.seq) < ${key}` },
  oldestFirst: { order: sql`r.ts, r.seq`, after: (key) => sql`(r.ts, r.seq) > ${key}` },
};

interface Statements {
  /** A page of rows, and one of all records. */
  readonly page: Sql;
  readonly pageOfAll: Sql;
  /** Builds the count of up to `upTo` records. */
  readonly count: (upTo: number) => Sql;
  /** Selects the first and the last day that is in blocks alone and may reach the page. */
  readonly reach: Sql;
}

/** Builds the statements for one `parent`. */
function statements({ caller: { organizationId } }: ReadingCall, request: RecordListRequest): Statements {
  const { parent, after, limit, page } = request;
  const { order, after: comesAfter } = orders[request.order];
  const within = withinRange(request);
  const key = after && keyOf(after);
  const onwards = key === undefined ? within : [...within, comesAfter(sql`(${key.ts}, ${key.seq})`)];
  const skipped = (page - 1) * limit;
  const { rows, from, condition, devices } = parents[parent]({ conditions: onwards, order, rows: skipped + limit + 1 });
  const where = (conditions: readonly Sql[]) => join([condition, ...conditions], ' and ');
  const pageOf = (columns: Sql, most: number, offset: number) =>
    sql`select ${columns} ${rows} where ${where(onwards)} order by ${order} limit ${most} offset ${offset}`;
  const isNewestFirst = request.order === 'newestFirst';
  const [low, high] = [limitOf(request.from, '-infinity'), limitOf(request.to, 'infinity')];
  const all = pageWithAlone(pageOf(sql`r.*`, skipped + limit + 1, 0), devices, {
    from: low,
    to: high,
    isNewestFirst,
    skipped,
    limit: limit + 1,
    ...(key && { after: key }),
  });
  return {
    page: pageOf(sql`${listedColumns}, r.seq`, limit + 1, skipped),
    pageOfAll: sql`select ${listedColumns}, r.seq, null as "aloneFrom", null as "aloneTo" from (${all}) r order by ${order}`,
    count: (upTo) => sql`
      select ((select count(*) from (select ${from} where ${where(within)} limit ${upTo}) capped)
        + case when ${hasAlone(organizationId)} then record_block_count(${devices}, ${low}, ${high}, ${upTo}) else 0 end)::int as total`,
    reach: reachOf(
      organizationId,
      key && !isNewestFirst ? sql`greatest(${low}, ${key.ts})` : low,
      key && isNewestFirst ? sql`least(${high}, ${key.ts})` : high,
    ),
  };
}

const reachOf = (organizationId: string, low: Sql, high: Sql): Sql => sql`
  select extract(epoch from min(a.first))::float8 as "aloneFrom", extract(epoch from max(a.last))::float8 as "aloneTo"
    from record_block_source s cross join lateral (
      select min(day) as first, max(day) as last from record_blocked
       where source = s.source and alone and day between (${low} at time zone 'UTC')::date and (${high} at time zone 'UTC')::date) a
   where s.organization_id = ${organizationId}::uuid`;

const limitOf = (seconds: number | null | undefined, none: '-infinity' | 'infinity'): Sql =>
  seconds == null ? sql`${none}::timestamptz` : sql`to_timestamp(${seconds}::float8)`;

const withinRange = ({ from, to }: RecordListRequest): Sql[] => [
  ...(from == null ? [] : [sql`r.ts >= to_timestamp(${from}::float8)`]),
  ...(to == null ? [] : [sql`r.ts <= to_timestamp(${to}::float8)`]),
];

/** Builds the key of a cursor from microseconds since 1970, and the sequence number. */
const keyOf = ([micros, seq]: readonly [string, string]) => ({
  ts: sql`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond')`,
  seq: sql`${seq}::bigint`,
});

/** Part of a parent's list up to the end of the page. */
interface Reach {
  readonly conditions: readonly Sql[];
  readonly order: Sql;
  readonly rows: number;
}

/** SQL of the records of a `parent`, for a page and for counting, and of its devices. */
interface Source {
  readonly rows: Sql;
  readonly from: Sql;
  readonly condition: Sql;
  readonly devices: Sql;
}

const parents: Readonly<Record<RecordListRequest['parent'], (reach: Reach) => Source>> = {
  device: () => ({
    rows: sql`from record r`,
    from: sql`from record r`,
    condition: sql`r.device_id = parent.id`,
    devices: sql`array[parent.id]`,
  }),
  // The newest records of each device are at the end of its index. No index has the newest of many devices together.
  application: ({ conditions, order, rows }) => {
    const candidates = sql`select r.* from record r where ${join([sql`r.device_id = l.device_id`, ...conditions], ' and ')}
      order by ${order} limit ${rows}`;
    return {
      rows: sql`from application_device l cross join lateral (${candidates}) r`,
      from: sql`from application_device l join record r on r.device_id = l.device_id`,
      condition: sql`l.application_id = parent.id`,
      devices: sql`array(select device_id from application_device where application_id = parent.id)`,
    };
  },
};
