import DataLoader from 'dataloader';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { type ApiError, invalid } from '#common/errors.js';
import type { Context } from '#schema/context.js';
import type { Page } from '#schema/page.js';
import { type CursorPage, keysOfCursor, requireCursorOf, requireCursorOrPage, rowCursor } from './cursor.js';
import { keysetOf, type ListOrderKey } from './keyset.js';
import {
  type CountedText,
  countedQuickly,
  countsOf,
  countUnlessKnown,
  type Listing,
  type ListRequest,
  readerOf,
  readSlowly,
} from './list-read.js';
import { loaderOf } from './loader.js';
import { requireCheapPattern, toPostgresPattern } from './pattern.js';

/** Returns a text to sort by that ignores case, as `q` does. */
export const ignoringCase = (text: Sql): Sql => sql`lower(${text})`;

/**
 * Reads one page of a list, and counts the whole list if selected.
 *
 * `list(ctx, teams, { limit: 10, page: 1, sort: '-name', selected })` runs, if `totalCount` is selected:
 *
 * ```sql
 * select page.*, (...) as counted from (
 *   select ... from team t where t.organization_id = $1 order by lower(t.name) desc nulls last, t.id limit 10 offset 0
 * ) page
 * ```
 * @throws invalid (422) for a field that cannot be sorted by, or an invalid `q`.
 */
export async function list<Row extends object>(
  ctx: Context,
  asked: Listing,
  wanted: ListRequest,
): Promise<Page<Row> & CursorPage> {
  const listing = shownAs(asked, wanted);
  if (wanted.after != null && listing.parentId !== undefined) requireCursorOf(listing.parentId, wanted.after);
  const counting = countedQuickly(listing, wanted);
  const { page, count } = statements(counting, wanted);
  const read = readerOf(ctx, listing, wanted);
  if (!wanted.selected.has('totalCount')) return pageFromRows(listing, listing.parentId, wanted, await read<Row>(page));
  // Page and count take one round trip: the count is computed once and repeated in each row. A page after the last one
  // has no row for it. Totals under conditions that a caller chooses freely are not remembered, as their number is
  // unlimited.
  const { column, totalOf } = countUnlessKnown(counting === listing ? undefined : countsOf(ctx, listing), count);
  const items = await read<Row & { counted: CountedText }>(
    sql`select page.*, ${column} as counted from (${page}) page`,
  );
  const [first] = items;
  const [counted] =
    first !== undefined || (wanted.page === 1 && wanted.after == null)
      ? [{ total: first === undefined ? 0 : totalOf(first.counted) }]
      : await read<Counted>(count);
  const more = total(counting, counted) === null && countsFurther(listing, counting);
  const totalCount = more ? await countAll(ctx, listing, wanted) : total(listing, counted);
  return { ...pageFromRows(listing, listing.parentId, wanted, items), totalCount };
}

/** Counts a list with too many items for a quick count; null when the count exceeds its limit. */
async function countAll(ctx: Context, listing: Listing, wanted: ListRequest): Promise<number | null> {
  const [counted] = await readSlowly(ctx, listing, wanted)<Counted>(statements(listing, wanted).count);
  return total(listing, counted);
}

/** Whether a list is to be counted further than it was. */
const countsFurther = ({ countUpTo = Number.POSITIVE_INFINITY }: Listing, counted: Listing): boolean =>
  countUpTo > (counted.countUpTo ?? Number.POSITIVE_INFINITY);

/**
 * Reads a list below each of many parents of one kind, with one pair of statements for all parents requested in the
 * same tick. The listing refers to the parent as its `parent`, or in its conditions as `parent.id`. It is created once
 * for all parents.
 */
export function listBelow<Row extends object>(
  ctx: Context,
  edge: string,
  parentId: string,
  listing: () => Listing,
  wanted: ListRequest,
): Promise<Page<Row> & CursorPage> {
  // Checked for each parent separately: among several, the parent that the cursor belongs to still gets its page.
  if (wanted.after != null) requireCursorOf(parentId, wanted.after);
  const key = keyOf(edge, wanted);
  // DataLoader expects its batch function to reject, not to throw. Creating the listing may throw for an invalid
  // cursor, so it happens inside the async function.
  const read = async (ids: readonly string[]) => readBelow<Row>(ctx, ids, shownAs(listing(), wanted), wanted);
  const make = () => new DataLoader<string, Page<Row> & CursorPage>(read);
  return loaderOf(ctx, key, make).load(parentId);
}

/** The last key of each request. The rows of a list share the request of an edge below them. */
const keys = new WeakMap<ListRequest, { edge: string; key: string }>();

/** Returns a text that is the same for requests that ask an edge for the same. */
function keyOf(edge: string, wanted: ListRequest): string {
  const known = keys.get(wanted);
  if (known?.edge === edge) return known.key;
  const { selected, ...place } = wanted;
  const key = JSON.stringify([edge, place, selected.key]);
  keys.set(wanted, { edge, key });
  return key;
}

interface Counted {
  total: number;
}

interface Below {
  parentId: string;
}

async function readBelow<Row extends object>(
  ctx: Context,
  ids: readonly string[],
  listing: Listing,
  wanted: ListRequest,
): Promise<(Page<Row> & CursorPage)[]> {
  const { parent } = listing;
  const one = parent === undefined ? listing : under(listing, sql`${parent} = parent.id`);
  const capped = countedQuickly(one, wanted, ids.length);
  const { page, count } = statements(capped, wanted);
  const below = (statement: Sql) => sql`
    select parent.id as "parentId", below.* from unnest(${ids}::uuid[]) parent(id) cross join lateral (${statement}) below`;
  const read = readerOf(ctx, listing, wanted);
  const counting = wanted.selected.has('totalCount') ? read<Counted & Below>(below(count)) : [];
  const paging =
    parent === undefined || wanted.after != null
      ? below(page)
      : numbered(under(listing, sql`${parent} = any(${ids}::uuid[])`), parent, wanted);
  const [items, counts] = await Promise.all([read<Row & Below>(paging), counting]);
  const itemsOf = Map.groupBy(items, ({ parentId }) => parentId);
  const countOf = new Map(counts.map((counted) => [counted.parentId, counted]));
  if (countsFurther(listing, capped) && counts.some((counted) => total(capped, counted) === null)) {
    const all = await readSlowly(ctx, one, wanted)<Counted & Below>(below(statements(one, wanted).count));
    for (const counted of all) countOf.set(counted.parentId, counted);
  }
  return ids.map((id) => ({
    ...pageFromRows(listing, id, wanted, itemsOf.get(id) ?? []),
    totalCount: total(listing, countOf.get(id)),
  }));
}

const under = (listing: Listing, condition: Sql): Listing => ({ ...listing, where: [condition, ...listing.where] });

/** Returns the statement that reads the page of each parent, by the row number below the parent. */
function numbered(listing: Listing, parent: Sql, wanted: ListRequest): Sql {
  const { limit, page, selected } = wanted;
  const { where, order } = partsOf(listing, wanted);
  const last = page * limit + (listing.cursor ? 1 : 0);
  const position = sql`row_number() over (partition by ${parent} order by ${order}) as position`;
  return sql`
    select * from (${listing.rows(selected, sql`, ${parent} as "parentId", ${position}`)} ${where}) below
     where position > ${(page - 1) * limit} and position <= ${last} order by position`;
}

/**
 * Creates the page from the rows read. For a list with a cursor one extra row was read, which shows whether there are
 * more.
 */
function pageFromRows<Row extends object>(
  { cursor }: Listing,
  parentId: string | undefined,
  { limit, sort, connection }: ListRequest,
  rows: Row[],
): Page<Row> & CursorPage {
  if (cursor === undefined || parentId === undefined) return { items: rows.slice(0, limit) };
  const items = rows.slice(0, limit);
  if (connection !== undefined) {
    return { items, hasMore: rows.length > limit, cursors: items.map((row) => rowCursor(cursor, parentId, row)) };
  }
  return { items, hasMore: rows.length > limit, endCursor: sort ? null : rowCursor(cursor, parentId, items.at(-1)) };
}

function statements(listing: Listing, wanted: ListRequest): { page: Sql; count: Sql } {
  const { rows, from, countUpTo, cursor, key } = listing;
  const { limit, page, after, selected, q } = wanted;
  const counted = q ? from : (listing.countedFrom ?? from);
  if (wanted.connection === undefined) requireCursorOrPage(wanted);
  const { conditions, where, order } = partsOf(listing, wanted);
  const onwards =
    cursor && after != null ? whereAll([...conditions, cursor.after(keysOfCursor(cursor, after))]) : where;
  // Counting in the order of the list makes PostgreSQL use its index. Without the values, the planner might scan tables
  // instead.
  const inOrder = key === undefined ? empty : sql`order by ${inTurn(keysOf(listing, null)[0]!)}`;
  const place = sql`limit ${limit + (cursor ? 1 : 0)} offset ${(page - 1) * limit}`;
  return {
    page:
      key === undefined || page === 1
        ? sql`${rows(selected)} ${onwards} order by ${order} ${place}`
        : sql`
          select page.* from (
            select ${key.columns}, row_number() over (order by ${order}) as position ${from} ${where}
             order by ${order} ${place}) k
           -- Row by row: a planner that does not know how long the page is would read all of the table to join it.
           cross join lateral (${rows(selected)} where ${key.matches} limit 1) page
           order by k.position`,
    count:
      countUpTo === undefined
        ? sql`select count(*)::int as total ${counted} ${where}`
        : sql`select count(*)::int as total from (select ${counted} ${where} ${inOrder} limit ${countUpTo + 1}) capped`,
  };
}

/**
 * Returns all conditions of a list, including `q`.
 * @throws invalid (422) for an invalid `q`.
 */
export const conditionsOf = (listing: Listing, q: string | null | undefined): Sql[] => [
  ...listing.where,
  ...pattern(listing, q),
];

function partsOf(listing: Listing, { sort, q }: ListRequest): { conditions: Sql[]; where: Sql; order: Sql } {
  const conditions = conditionsOf(listing, q);
  return { conditions, where: whereAll(conditions), order: join(keysOf(listing, sort).map(inTurn), ', ') };
}

const whereAll = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? empty : sql`where ${join(conditions, ' and ')}`;

const total = ({ countUpTo = Number.POSITIVE_INFINITY }: Listing, counted: Counted | undefined): number | null =>
  counted === undefined || counted.total > countUpTo ? null : counted.total;

/** Returns the condition that `q` matches a field of the listing; none without `q`. */
const pattern = ({ matched = [], matchedSerial }: Listing, q: string | null | undefined): Sql[] => {
  if (!q) return [];
  const expression = toPostgresPattern(q);
  requireCheapPattern(expression);
  const matches = matched.map((field) => sql`${field} ~* ${expression}`);
  // A part of a serial number matches regardless of dashes. In other patterns, a dash may denote a range.
  if (matchedSerial) matches.push(sql`${matchedSerial} ~* ${isSerialPart(q) ? q.replaceAll('-', '') : expression}`);
  return [sql`(${join(matches, ' or ')})`];
};

const isSerialPart = (q: string) => /^\^?-?[0-9a-f][0-9a-f-]*\$?$/i.test(q);

/** Returns the error for a name in `sort` that cannot be sorted by. */
export const notSortable = (name: string, names: readonly string[]): ApiError =>
  invalid([
    {
      path: 'sort',
      message: `"${name}" is not a field to sort by. Separate fields by commas, and write - before a field for descending order, such as -${names.at(-1)},${names[0]}; there are ${names.join(', ')}`,
    },
  ]);

/** Returns the keys of the order in `sort`. The last key is unique. */
function keysOf(
  { sortable, order, descending = false, tie }: Listing,
  sort: string | null | undefined,
): ListOrderKey[] {
  const last = { key: tie, descending: false, nullable: false };
  if (!sort) return [{ key: order, descending, nullable: false }, last];
  const keys = sort.split(',').map((text) => {
    const falls = text.startsWith('-');
    const name = falls ? text.slice(1) : text;
    if (!Object.hasOwn(sortable, name)) throw notSortable(name, Object.keys(sortable));
    const key = sortable[name]!;
    // The tie is never null. Its index does not have "nulls last", so the key must not ask for it.
    return { key, descending: falls, nullable: key !== tie };
  });
  return [...keys, last];
}

const inTurn = ({ key, descending, nullable }: ListOrderKey): Sql =>
  descending ? (nullable ? sql`${key} desc nulls last` : sql`${key} desc`) : key;

/** Returns the list in the form in which it is shown: pages, or a connection. */
const shownAs = (listing: Listing, wanted: ListRequest): Listing =>
  wanted.connection === undefined ? listing : keysetOf(listing, keysOf(listing, wanted.sort), wanted);
