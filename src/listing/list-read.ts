import sql, { type Sql } from 'sql-template-tag';
import { ApiError, invalid } from '#common/errors.js';
import type { Context, CountedList, Read } from '#schema/context.js';
import type { SelectedFields, ShownConnection } from '#schema/selected-fields.js';
import { noCursor, type SqlCursorKind } from './cursor.js';

/** Definition of a list. All SQL in it is our own; values of callers are parameters. */
export interface Listing {
  /**
   * Returns `select ... from ...` without the condition, for the selected columns. `also` adds columns, after a comma.
   */
  rows: (selected: SelectedFields, also?: Sql) => Sql;
  /** `from ...` alone, for counting. */
  from: Sql;
  /** `from ...` with fewer tables, for counting without a `q` that needs the others. */
  countedFrom?: Sql;
  /** Conditions, all of which must hold. */
  where: readonly Sql[];
  /**
   * The column that names the parent, for lists in which each parent has few rows and no index has their order. The
   * rows of all parents are then read and numbered together, in half the time. In this case `where` does not refer to
   * the parent.
   */
  parent?: Sql;
  /** Fields that `q` is matched against. */
  matched?: readonly Sql[];
  /** The serial number in the form for comparison, which `q` is matched against regardless of dashes. */
  matchedSerial?: Sql;
  /** Fields that `sort` may name. */
  sortable: Readonly<Record<string, Sql>>;
  /** Key of the default order; never null. */
  order: Sql;
  /** Whether the default order is descending. */
  descending?: boolean;
  /** A unique last key, so that pages never overlap. */
  tie: Sql;
  /** Limit of the count. Above it, the page has no total. */
  countUpTo?: number;
  /**
   * The columns that identify a row, for lists with wide rows. For a later page these are found first, and only the
   * rows of the page are read. `matches` is the condition that a row has the key `k`.
   */
  key?: { columns: Sql; matches: Sql };
  /** Cursors of the list in its default order. Absent: the list cannot be read by cursor. */
  cursor?: SqlCursorKind;
  /** Identifier of the parent of a list that is read alone, which its cursors contain. */
  parentId?: string;
  /** Timeout of a statement in milliseconds, if it may be expensive. */
  timeout?: number;
  /** Whether a standby may answer although the page is cheap, because the list is read often or costs much to count. */
  onStandby?: boolean;
}

/** The requested page of a list. */
export interface ListRequest {
  limit: number;
  page: number;
  sort?: string | null;
  q?: string | null;
  /** Cursor after which the page begins, instead of a page number. */
  after?: string | null;
  /** Connection that shows the items. Absent: they are shown as a page. */
  connection?: ShownConnection;
  /** Fields of the page that are read. */
  selected: SelectedFields;
}

/** Time for which a total may be reused, in milliseconds. Conditions may depend on the time, so it is short. */
const validFor = 1000;
/** Maximum number of totals that a process remembers. */
const maxRemembered = 1000;

/**
 * Value of the column of {@link countUnlessKnown}: the snapshot and the total counted in it; null when the total is
 * known.
 */
export type CountedText = string | null;

/** The column that replaces a count, and the function that reads the total from it. */
interface RememberedCount {
  column: Sql;
  totalOf(counted: CountedText): number;
}

/**
 * Counts a list only if something was committed since the last count. Two statements whose snapshots have the same text
 * see the same rows (PostgreSQL, "Transaction ID and Snapshot Information Functions"), so the total is always exact.
 * @param counts remembered totals; without them nothing is remembered.
 * @param count a statement that returns one `total`.
 */
export function countUnlessKnown(counts: Context['counts'] | undefined, count: Sql): RememberedCount {
  const key = `${count.text} ${JSON.stringify(count.values)}`;
  const found = counts?.get(key);
  const known = found !== undefined && found.until > performance.now() ? found : undefined;
  return {
    column: sql`(select case when snapshot <> ${known?.snapshot ?? ''} then snapshot || ' ' || (select total from (${count}) counted) end
                   from (select pg_current_snapshot()::text as snapshot) now)`,
    totalOf(counted) {
      if (counted === null) return known!.total;
      const [snapshot = '', text] = counted.split(' ');
      const total = Number(text);
      if (counts !== undefined) remember(counts, key, { snapshot, total, until: performance.now() + validFor });
      return total;
    },
  };
}

function remember(counts: Context['counts'], key: string, counted: CountedList): void {
  counts.delete(key);
  counts.set(key, counted);
  // Maps iterate over the oldest entries first.
  for (const oldest of counts.keys()) {
    if (counts.size <= maxRemembered) return;
    counts.delete(oldest);
  }
}

/** Timeout of a list with a regular expression, in milliseconds. */
const patternTimeout = 2000;
/** Timeout of any other list that may be slow, in milliseconds. */
const slowTimeout = 5000;
/** `quickRows`: rows that a list on the pipelined connection may skip. `quickCount`: rows that it may count. */
const quickRows = 1000;
const quickCount = 10_000;

/**
 * Whether a page is certainly cheap: near the beginning of the list, in the list's default order, which has an index.
 * Any other page may have to read all rows of the organization.
 */
const isQuick = ({ timeout }: Listing, { q, sort, page, limit }: ListRequest): boolean =>
  !q && !sort && timeout === undefined && (page - 1) * limit <= quickRows;

/** Limits the count of a list on the pipelined connection. Lists below many parents share the limit. */
export const countedQuickly = (listing: Listing, wanted: ListRequest, parents = 1): Listing => {
  if (!isQuick(listing, wanted)) return listing;
  const countUpTo = Math.min(listing.countUpTo ?? quickCount, Math.max(100, Math.floor(quickCount / parents)));
  return { ...listing, countUpTo };
};

/**
 * Returns the function that reads a list: on the pipelined connection if the page is certainly cheap, otherwise on the
 * pool of slow reads.
 */
export const readerOf = (ctx: Context, listing: Listing, wanted: ListRequest): Read =>
  withCursor(wanted, isQuick(listing, wanted) ? quickly(ctx, listing) : readSlowly(ctx, listing, wanted));

const quickly = (ctx: Context, { onStandby = false }: Listing): Read => (onStandby ? ctx.readList : ctx.read);

/**
 * Returns the totals that a list may reuse; none for a list that a standby reads. The text of a standby's snapshot may
 * equal that of another server, and does not list the transactions in progress.
 */
export const countsOf = (ctx: Context, { onStandby = false }: Listing): Context['counts'] | undefined =>
  onStandby && ctx.position !== undefined ? undefined : ctx.counts;

/**
 * Refuses a cursor whose keys do not fit the types of the list's order (422). PostgreSQL detects that (SQLSTATE class
 * 22).
 */
const withCursor = ({ after, connection }: ListRequest, read: Read): Read => {
  if (after == null || connection === undefined) return read;
  return async <Row extends object>(query: Sql) => {
    try {
      return await read<Row>(query);
    } catch (error) {
      const { code } = error as { code?: unknown };
      throw typeof code === 'string' && /^22...$/.test(code) ? invalid([noCursor]) : error;
    }
  };
};

/**
 * Reads on the pool of slow reads.
 * @throws invalid (422) when the list or its regular expression takes too long, or the expression is invalid.
 */
export const readSlowly = (ctx: Context, { timeout = slowTimeout }: Listing, { q }: ListRequest): Read => {
  const limit = q ? Math.min(patternTimeout, timeout) : timeout;
  return async <Row>(query: Sql) => {
    try {
      return (await ctx.readWithin(query, limit)) as Row[];
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code === invalidPattern) throw invalid([{ path: 'q', message: patternFault(message) }]);
      if (!q) throw timeoutRefusal(error, limit);
      throw isTimeout(error)
        ? invalid([{ path: 'q', message: 'this pattern is too expensive; use a simpler one' }])
        : error;
    }
  };
};

const isTimeout = (error: unknown): boolean => error instanceof ApiError && error.code === 'TIMEOUT';

/** Translates an error of a list with a timeout in milliseconds: 422 for a timeout, any other error unchanged. */
export const timeoutRefusal = (error: unknown, limit: number): unknown =>
  isTimeout(error)
    ? invalid([{ path: '', message: `This takes longer than ${limit / 1000} s; ask for less.` }])
    : error;

const invalidPattern = '2201B';

/** Faults of regular expressions: the word of PostgreSQL's message that names the fault, and what the caller reads. */
const patternFaults: readonly (readonly [word: string, fault: string])[] = [
  ['parentheses', 'its parentheses () are not balanced'],
  ['brackets', 'its brackets [] are not balanced'],
  ['braces', 'its braces {} are not balanced'],
  ['escape', 'it has an unknown escape'],
  ['backreference', 'it refers to a group that it does not have'],
  ['repetition', 'a number of repetitions is wrong'],
  ['quantifier', 'a quantifier (*, +, ?) has nothing to repeat'],
  ['range', 'a range of characters is wrong'],
  ['class', 'it names an unknown class of characters'],
  ['complex', 'it is too complex'],
];

const patternFault = (message: string): string => {
  const [, fault = 'it cannot be read'] = patternFaults.find(([word]) => message.includes(word)) ?? [];
  return `must be a regular expression: ${fault}`;
};
