import sql, { join, type Sql } from 'sql-template-tag';
import { readableDevice } from '../auth/access.js';
import type { Caller } from '../entities/caller.js';
import type { DeviceRecord } from '../entities/record.js';
import type { Context } from '../schema/context.js';
import type { RecordsBelowArgs } from '../schema/list.args.js';
import type { Page } from '../schema/page.js';
import { afterCursor, type CursorKind, type CursorPage } from './cursor.js';
import { listBelow } from './list.js';
import type { Listing } from './listing.js';

/** Records are counted up to this number. */
const countUpTo = 10_000;
/** How long a page of records may take, in milliseconds. */
const timeout = 10_000;

/** Of records `r`. */
const columns: Sql = sql`r.id, extract(epoch from r.ts)::float8 as ts, r.metadata, r.data, r.frame, r.device_id as "deviceId",
  r.product_id as "productId", array[(extract(epoch from r.ts) * 1000000)::bigint::text, r.seq::text] as "walkKeys"`;

/** Records by their identifiers, of devices that the caller can read. */
export const readableRecords = (caller: Caller, ids: Sql): Sql => sql`
  select ${columns} from record r join device d on d.id = r.device_id
   where r.id = any(${ids}) and d.organization_id = ${caller.organizationId} and ${readableDevice(caller)}`;

/** The order of a list of records: by time, and those of one time in the order of storing. */
interface Direction {
  order: Sql;
  tie: Sql;
  cursor: CursorKind;
}

const cursorOf = (kind: string, after: (place: Sql) => Sql): CursorKind => ({
  kind,
  shape: [/^-?\d{1,16}$/, /^\d{1,18}$/],
  after: ([micros, seq]) =>
    after(sql`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${seq}::bigint)`),
});

// No "nulls last", which no index has.
const newestFirst: Direction = {
  order: sql`r.ts desc`,
  tie: sql`r.seq desc`,
  cursor: cursorOf('records', (place) => sql`(r.ts, r.seq) < ${place}`),
};
const oldestFirst: Direction = {
  order: sql`r.ts`,
  tie: sql`r.seq`,
  cursor: cursorOf('records, oldest first', (place) => sql`(r.ts, r.seq) > ${place}`),
};

const within = ({ from, to }: RecordsBelowArgs): Sql[] => [
  ...(from == null ? [] : [sql`r.ts >= to_timestamp(${from}::float8)`]),
  ...(to == null ? [] : [sql`r.ts <= to_timestamp(${to}::float8)`]),
];

/** What a list below something is made of, in a direction. */
type ListingOf = (direction: Direction, args: RecordsBelowArgs) => Pick<Listing, 'rows' | 'from' | 'where'>;

/** The records of the device `parent`. */
const ofDevice: ListingOf = (_direction, args) => ({
  rows: () => sql`select ${columns} from record r`,
  from: sql`from record r`,
  where: [sql`r.device_id = parent.id`, ...within(args)],
});

/**
 * The records of the devices that are linked to the application `parent`. Each device's newest are at the end of its
 * index; of many devices together no index knows the newest.
 */
const ofApplication: ListingOf = ({ order, tie, cursor }, args) => {
  const { limit, page, after } = args;
  const conditions = [
    sql`r.device_id = l.device_id`,
    ...within(args),
    ...(after == null ? [] : [afterCursor(cursor, after)]),
  ];
  const candidates = sql`select r.* from record r where ${join(conditions, ' and ')}
    order by ${order}, ${tie} limit ${limit * page + 1}`;
  return {
    rows: () => sql`select ${columns} from application_device l cross join lateral (${candidates}) r`,
    from: sql`from application_device l join record r on r.device_id = l.device_id`,
    where: [sql`l.application_id = parent.id`, ...within(args)],
  };
};

const listings = { device: ofDevice, application: ofApplication };

/** A page of the records below devices or applications, with their number where it is asked for. */
export function recordsBelow(
  ctx: Context,
  parent: keyof typeof listings,
  parentId: string,
  args: RecordsBelowArgs,
): Promise<Page<DeviceRecord> & CursorPage> {
  const { sort } = args;
  const direction = sort === 'ts' ? oldestFirst : newestFirst;
  const { order, tie, cursor } = direction;
  const listing = () => ({
    ...listings[parent](direction, args),
    sortable: { ts: sql`r.ts` },
    order,
    tie,
    cursor,
    countUpTo,
    timeout,
  });
  // These two orders are the list's own: they are in its indexes, and cursors follow them.
  const wanted = { ...args, sort: sort === 'ts' || sort === '-ts' ? null : sort };
  return listBelow(ctx, `${parent}.${cursor.kind}`, parentId, listing, wanted);
}
