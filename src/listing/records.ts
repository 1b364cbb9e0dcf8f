import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { isOwner } from '#auth/audiences.js';
import { can, policies } from '#auth/policies.js';
import type { DeviceRecord } from '#entities/record.js';
import type { ListedRecord, RecordIndex, RecordListRequest } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { RecordsBelowArgs } from '#schema/list.args.js';
import type { Page } from '#schema/page.js';
import {
  type CursorKind,
  type CursorPage,
  keysOfCursor,
  requireCursorOf,
  requireCursorOrPage,
  rowCursor,
} from './cursor.js';
import { notSortable } from './list.js';
import { timeoutRefusal } from './list-read.js';
import { loaderOf } from './loader.js';

/** Number up to which records are counted. */
const countUpTo = 10_000;
/** Timeout of a page of records, in milliseconds. */
const timeoutMs = 10_000;

/**
 * Returns a record by its identifier, of a device that the caller can read. All records requested in the same tick
 * share one read.
 */
export function recordById(ctx: Context, index: Pick<RecordIndex, 'find'>, id: string): Promise<DeviceRecord | null> {
  const make = () =>
    new DataLoader<string, DeviceRecord | null>(async (ids) => {
      const found = new Map((await findReadable(ctx, index, ids)).map((record) => [record.id, record]));
      return ids.map((each) => found.get(each) ?? null);
    });
  return loaderOf(ctx, 'record', make).load(id);
}

async function findReadable(
  ctx: Context,
  index: Pick<RecordIndex, 'find'>,
  ids: readonly string[],
): Promise<DeviceRecord[]> {
  const records = await index.find(ctx, ids);
  if (records.length === 0 || isOwner(ctx.caller)) return records;
  const deviceIds = [...new Set(records.map(({ deviceId }) => deviceId))];
  const devices = await ctx.read<{ id: string }>(
    sql`select d.id from device d where d.id = any(${deviceIds}::uuid[]) and ${can(ctx.caller, policies.record.read)}`,
  );
  const readable = new Set(devices.map(({ id }) => id));
  return records.filter(({ deviceId }) => readable.has(deviceId));
}

const shape = [/^-?\d{1,16}$/, /^\d{1,18}$/];
const cursors: Readonly<Record<RecordListRequest['order'], CursorKind>> = {
  newestFirst: { kind: 'records', shape },
  oldestFirst: { kind: 'records, oldest first', shape },
};

/**
 * Returns a page of the records below a device or an application, with the total if selected. All parents of a call
 * with the same arguments share one read.
 */
export async function recordsBelow(
  ctx: Context,
  index: Pick<RecordIndex, 'list'>,
  parent: RecordListRequest['parent'],
  parentId: string,
  { selected, ...args }: RecordsBelowArgs,
): Promise<Page<DeviceRecord> & CursorPage> {
  // Checked for each parent separately: among several, the parent that the cursor belongs to still gets its page.
  if (args.after != null) requireCursorOf(parentId, args.after);
  const counted = selected.has('totalCount');
  const make = () =>
    new DataLoader<string, Page<DeviceRecord> & CursorPage>((parentIds) =>
      readPages(ctx, index, { parent, parentIds, args, counted }),
    );
  return loaderOf(ctx, JSON.stringify([`${parent}.records`, args, counted]), make).load(parentId);
}

interface Pages {
  parent: RecordListRequest['parent'];
  parentIds: readonly string[];
  args: Omit<RecordsBelowArgs, 'selected'>;
  counted: boolean;
}

async function readPages(
  ctx: Context,
  index: Pick<RecordIndex, 'list'>,
  { parent, parentIds, args, counted }: Pages,
): Promise<(Page<DeviceRecord> & CursorPage)[]> {
  const { from, to, limit, page, after, connection } = args;
  // Cursors work in both orders by time, so `ts` and `-ts` do not count as a custom order.
  const sort = args.sort === 'ts' || args.sort === '-ts' ? null : args.sort;
  requireCursorOrPage({ page, sort, after });
  const order = orderOf(args.sort);
  const cursor = cursors[order];
  const pages = await index
    .list(ctx, {
      parent,
      parentIds,
      order,
      from,
      to,
      limit,
      page,
      timeoutMs,
      ...(after != null && { after: keysOfCursor(cursor, after) as unknown as ListedRecord['cursorKeys'] }),
      ...(counted && { countUpTo }),
    })
    .catch((error: unknown) => {
      throw timeoutRefusal(error, timeoutMs);
    });
  return pages.map(({ records, hasMore, total }, position) => ({
    items: records,
    hasMore,
    endCursor: sort ? null : rowCursor(cursor, parentIds[position]!, records.at(-1)),
    ...(connection && { cursors: records.map((record) => rowCursor(cursor, parentIds[position]!, record)) }),
    totalCount: total ?? null,
  }));
}

/** Returns the order. The time is the only key, so the first key decides. */
function orderOf(sort: string | null | undefined): RecordListRequest['order'] {
  const keys = sort ? sort.split(',') : ['-ts'];
  for (const key of keys) {
    const name = key.startsWith('-') ? key.slice(1) : key;
    if (name !== 'ts') throw notSortable(name, ['ts']);
  }
  return keys[0] === 'ts' ? 'oldestFirst' : 'newestFirst';
}
