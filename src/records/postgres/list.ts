import sql, { join, type Sql } from 'sql-template-tag';

/*
 * What lists and nodes of the graph read of the table `record`. They run on the caller's connections, in statements that
 * also check access, so these are parts of statements and no part of the index.
 */

/** Of records `r`; `cursorKeys` are the keys of a cursor. */
const columns: Sql = sql`r.id, extract(epoch from r.ts)::float8 as ts, r.metadata, r.data, r.frame, r.device_id as "deviceId",
  r.product_id as "productId", array[(extract(epoch from r.ts) * 1000000)::bigint::text, r.seq::text] as "cursorKeys"`;

/** Records by their identifiers, where a condition over `d`, the device of each, holds. */
export const recordsById = (ids: Sql, condition: Sql): Sql => sql`
  select ${columns} from record r join device d on d.id = r.device_id
   where r.id = any(${ids}) and ${condition}`;

/** An order of records by time; those of one instant are in the order of storing. */
export interface RecordOrder {
  readonly order: Sql;
  readonly tie: Sql;
  /** Whether a record comes after the one with these keys: microseconds since 1970, and its number in the order of storing. */
  after(micros: string, seq: string): Sql;
}

const keyOf = (micros: string, seq: string): Sql =>
  sql`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${seq}::bigint)`;

/** Without "nulls last", which no index has. */
export const newestFirst: RecordOrder = {
  order: sql`r.ts desc`,
  tie: sql`r.seq desc`,
  after: (micros, seq) => sql`(r.ts, r.seq) < ${keyOf(micros, seq)}`,
};

export const oldestFirst: RecordOrder = {
  order: sql`r.ts`,
  tie: sql`r.seq`,
  after: (micros, seq) => sql`(r.ts, r.seq) > ${keyOf(micros, seq)}`,
};

/** The field that lists of records can be sorted by. */
export const sortableByTime: Readonly<Record<string, Sql>> = { ts: sql`r.ts` };

/** A range of Unix seconds, both included; null is open. */
export interface RecordRange {
  from?: number | null;
  to?: number | null;
}

const within = ({ from, to }: RecordRange): Sql[] => [
  ...(from == null ? [] : [sql`r.ts >= to_timestamp(${from}::float8)`]),
  ...(to == null ? [] : [sql`r.ts <= to_timestamp(${to}::float8)`]),
];

/** A list of records below `parent`, in parts. */
export interface RecordList {
  rows: () => Sql;
  from: Sql;
  where: readonly Sql[];
}

/** The records of the device `parent`. */
export const deviceRecords = (range: RecordRange): RecordList => ({
  rows: () => sql`select ${columns} from record r`,
  from: sql`from record r`,
  where: [sql`r.device_id = parent.id`, ...within(range)],
});

/** How far into a list its page reaches, and what follows a cursor. */
interface Reach {
  readonly order: RecordOrder;
  readonly rows: number;
  readonly after?: Sql | undefined;
}

/**
 * The records of the devices that are linked to the application `parent`. Each device's newest are at the end of its
 * index; of many devices together no index knows the newest.
 */
export const applicationRecords = (range: RecordRange, { order: { order, tie }, rows, after }: Reach): RecordList => {
  const conditions = [sql`r.device_id = l.device_id`, ...within(range), ...(after === undefined ? [] : [after])];
  const candidates = sql`select r.* from record r where ${join(conditions, ' and ')}
    order by ${order}, ${tie} limit ${rows}`;
  return {
    rows: () => sql`select ${columns} from application_device l cross join lateral (${candidates}) r`,
    from: sql`from application_device l join record r on r.device_id = l.device_id`,
    where: [sql`l.application_id = parent.id`, ...within(range)],
  };
};

/** Of each device the time of its newest record: looks at the end of its index. */
export const newestTimes = (deviceIds: readonly string[]): Sql => sql`
  select w.id, (select r.ts::timestamptz(3) from record r where r.device_id = w.id order by r.ts desc limit 1) as ts
    from unnest(${deviceIds}::uuid[]) w (id)`;

/**
 * Whether the device `d` has no record that was measured at a time (Unix seconds) or later. A subquery, so that each device
 * costs a look into the index of its newest records: as an anti-join, PostgreSQL may read all records since then. Records lie
 * at most a day ahead, partitions further.
 */
export const silentSince = (since: number): Sql => sql`
  (select r.ts from record r where r.device_id = d.id and r.ts >= to_timestamp(${since}::float8)
      and r.ts <= now() + interval '25 hours' order by r.ts desc limit 1) is null`;
