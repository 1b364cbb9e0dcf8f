import sql, { type Sql } from 'sql-template-tag';
import { readableDevice } from '../auth/access.js';
import type { Caller } from '../entities/caller.js';
import type { DeviceRecord } from '../entities/record.js';
import {
  applicationRecords,
  deviceRecords,
  newestFirst,
  oldestFirst,
  type RecordList,
  type RecordOrder,
  recordsById,
  sortableByTime,
} from '../records/postgres/list.js';
import type { Context } from '../schema/context.js';
import type { RecordsBelowArgs } from '../schema/list.args.js';
import type { Page } from '../schema/page.js';
import { afterCursor, type CursorKind, type CursorPage } from './cursor.js';
import { listBelow } from './list.js';

/** Records are counted up to this number. */
const countUpTo = 10_000;
/** How long a page of records may take, in milliseconds. */
const pageTimeout = 10_000;

/** Records by their identifiers, of devices that the caller can read. */
export const readableRecords = (caller: Caller, ids: Sql): Sql =>
  recordsById(ids, sql`d.organization_id = ${caller.organizationId} and ${readableDevice(caller)}`);

/** An order of records with its cursors. */
interface Direction {
  order: RecordOrder;
  cursor: CursorKind;
}

const directionOf = (kind: string, order: RecordOrder): Direction => ({
  order,
  cursor: { kind, shape: [/^-?\d{1,16}$/, /^\d{1,18}$/], after: ([micros, seq]) => order.after(micros!, seq!) },
});

const newest = directionOf('records', newestFirst);
const oldest = directionOf('records, oldest first', oldestFirst);

const lists: Readonly<Record<'device' | 'application', (direction: Direction, args: RecordsBelowArgs) => RecordList>> =
  {
    device: (_direction, args) => deviceRecords(args),
    application: ({ order, cursor }, args) => {
      const { limit, page, after } = args;
      const onwards = after == null ? undefined : afterCursor(cursor, after);
      return applicationRecords(args, { order, rows: limit * page + 1, after: onwards });
    },
  };

/** A page of the records below devices or applications, with their number where it is asked for. */
export function recordsBelow(
  ctx: Context,
  parent: keyof typeof lists,
  parentId: string,
  args: RecordsBelowArgs,
): Promise<Page<DeviceRecord> & CursorPage> {
  const { sort } = args;
  const direction = sort === 'ts' ? oldest : newest;
  const { order, cursor } = direction;
  const listing = () => ({
    ...lists[parent](direction, args),
    sortable: sortableByTime,
    order: order.order,
    tie: order.tie,
    cursor,
    countUpTo,
    timeout: pageTimeout,
  });
  // These two orders are the list's own: they are in its indexes, and cursors follow them.
  const wanted = { ...args, sort: sort === 'ts' || sort === '-ts' ? null : sort };
  return listBelow(ctx, `${parent}.${cursor.kind}`, parentId, listing, wanted);
}
