import sql, { empty, join, Sql } from 'sql-template-tag';
import type { CallReads } from '#database/call-read.js';
import type { DeviceRecord } from '#entities/record.js';
import type { ListedRecord, ListedRecordPage, RecordIndex, RecordListRequest } from '#records/record-index.js';
import { newestAt, orderTimeSql } from '../newest-field.js';

/** Columns of records `r`. `cursorKeys` are the keys of a cursor. */
const columns: Sql = sql`r.id, extract(epoch from r.ts)::float8 as ts, r.metadata, r.data, r.frame, r.device_id as "deviceId",
  r.product_id as "productId", array[(extract(epoch from r.ts) * 1000000)::bigint::text, r.seq::text] as "cursorKeys"`;

/** Creates the read of records by identifier. */
export const createFind =
  ({ read }: CallReads): RecordIndex['find'] =>
  (call, ids) =>
    read<DeviceRecord>(
      call,
      sql`
      select ${columns} from record r join device d on d.id = r.device_id
       where r.id = any(${ids}::uuid[]) and d.organization_id = ${call.caller.organizationId}`,
    );

/** Creates the list of records below devices or applications. It runs one pair of statements for all parents. */
export const createList =
  ({ readWithin }: CallReads): RecordIndex['list'] =>
  async (call, request) => {
    const { parentIds, limit, countUpTo, timeoutMs } = request;
    const { page, count } = statements(request);
    const read = async <Row>(statement: Sql) => {
      const below = sql`
        select parent.id as "parentId", below.* from unnest(${parentIds}::uuid[]) parent(id) cross join lateral (${statement}) below`;
      return (await readWithin(call, below, timeoutMs)) as (Row & { parentId: string })[];
    };
    const [records, counts] = await Promise.all([
      read<ListedRecord>(page),
      countUpTo === undefined ? [] : read<{ total: number }>(count(countUpTo + 1)),
    ]);
    const recordsOf = Map.groupBy(records, ({ parentId }) => parentId);
    const totalOf = new Map(counts.map(({ parentId, total }) => [parentId, total]));
    return parentIds.map((id): ListedRecordPage => {
      // One more record was read, which shows whether there are more.
      const found = recordsOf.get(id) ?? [];
      const total = totalOf.get(id);
      return {
        records: found.slice(0, limit),
        hasMore: found.length > limit,
        ...(total !== undefined && { total: total > countUpTo! ? null : total }),
      };
    });
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
  readonly page: Sql;
  /** Builds the count of up to `upTo` records. */
  readonly count: (upTo: number) => Sql;
}

/** Builds the statements for one `parent`. */
function statements(request: RecordListRequest): Statements {
  const { parent, after, limit, page } = request;
  const { order, after: comesAfter } = orders[request.order];
  const within = withinRange(request);
  const onwards = after === undefined ? within : [...within, comesAfter(keyOf(after))];
  const skipped = (page - 1) * limit;
  const { rows, from, condition } = parents[parent]({ conditions: onwards, order, rows: skipped + limit + 1 });
  const where = (conditions: readonly Sql[]) => join([condition, ...conditions], ' and ');
  return {
    page: sql`select ${columns} ${rows} where ${where(onwards)} order by ${order} limit ${limit + 1} offset ${skipped}`,
    count: (upTo) =>
      sql`select count(*)::int as total from (select ${from} where ${where(within)} limit ${upTo}) capped`,
  };
}

const withinRange = ({ from, to }: RecordListRequest): Sql[] => [
  ...(from == null ? [] : [sql`r.ts >= to_timestamp(${from}::float8)`]),
  ...(to == null ? [] : [sql`r.ts <= to_timestamp(${to}::float8)`]),
];

/** Builds the key of a cursor: microseconds since 1970, and the sequence number. */
const keyOf = ([micros, seq]: readonly [string, string]): Sql =>
  sql`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${seq}::bigint)`;

/** Part of a parent's list up to the end of the page. */
interface Reach {
  readonly conditions: readonly Sql[];
  readonly order: Sql;
  readonly rows: number;
}

/** SQL of the records of a `parent`, for a page and for counting. */
interface Source {
  readonly rows: Sql;
  readonly from: Sql;
  readonly condition: Sql;
}

const parents: Readonly<Record<RecordListRequest['parent'], (reach: Reach) => Source>> = {
  device: () => ({ rows: sql`from record r`, from: sql`from record r`, condition: sql`r.device_id = parent.id` }),
  // The newest records of each device are at the end of its index. No index has the newest of many devices together.
  application: ({ conditions, order, rows }) => {
    const candidates = sql`select r.* from record r where ${join([sql`r.device_id = l.device_id`, ...conditions], ' and ')}
      order by ${order} limit ${rows}`;
    return {
      rows: sql`from application_device l cross join lateral (${candidates}) r`,
      from: sql`from application_device l join record r on r.device_id = l.device_id`,
      condition: sql`l.application_id = parent.id`,
    };
  },
};

/**
 * Creates the read of the horizon. The sequence may be ahead of committed records, so records stored at this moment may
 * be included or not.
 */
export const createHorizon =
  ({ read }: CallReads): RecordIndex['horizon'] =>
  async (call) => {
    const [row] = await read<{ last: string }>(call, sql`select last_value::text as last from record_seq`);
    return row!.last;
  };

/** Creates the read of each device's newest record time, from the end of the device's index. */
export const createNewestTimes =
  ({ readWithin }: CallReads): RecordIndex['newestTimes'] =>
  async (call, deviceIds, timeoutMs) => {
    const times = sql`
      select w.id, (${newestAt(sql`w.id`)})::timestamptz(3) as ts
        from unnest(${deviceIds}::uuid[]) w (id)`;
    const rows = (await readWithin(call, times, timeoutMs)) as { id: string; ts: string | null }[];
    return new Map(rows.flatMap(({ id, ts }) => (ts === null ? [] : [[id, ts]])));
  };

/**
 * Creates the search for devices without a record since a time. It uses a subquery, so that each device costs one
 * lookup in the index of its newest records. For an anti-join, PostgreSQL may read all records since that time. Records
 * lie at most a day ahead, partitions further.
 */
export const createSilentDevices =
  ({ readWithin }: CallReads): RecordIndex['silentDevices'] =>
  async (call, devices, since, timeoutMs) => {
    const isStatement = devices instanceof Sql;
    const silent = sql`
      select w.id from ${isStatement ? sql`(${devices}) w` : sql`unnest(${devices}::uuid[]) with ordinality w (id, position)`}
       where (select r.ts from record r where r.device_id = w.id and r.ts >= to_timestamp(${since}::float8)
                 and r.ts <= now() + interval '25 hours'
                 and ${orderTimeSql(sql`r.id`, sql`r.ts`)} >= to_timestamp(${since}::float8) order by r.ts desc limit 1) is null
       ${isStatement ? empty : sql`order by w.position`}`;
    return ((await readWithin(call, silent, timeoutMs)) as { id: string }[]).map(({ id }) => id);
  };
