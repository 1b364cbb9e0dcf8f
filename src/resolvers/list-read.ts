import type { Sql } from 'sql-template-tag';
import { ApiError, invalid } from '../errors.js';
import type { Context, Read } from '../schema/context.js';
import { noCursor } from './cursor.js';
import type { Listing, Wanted } from './listing.js';

/** Longest time that the regular expression of a list may take, in milliseconds. */
const patternTimeout = 2000;
/** Longest time that another list may take which is not surely quick, in milliseconds. */
const slowTimeout = 5000;
/** Rows that a list on the pipelined connection passes over, and those that it counts there. */
const quickRows = 1000;
const quickCount = 10_000;

/**
 * Whether a page is surely cheap: near the beginning of the list, in the list's own order, which an index has. Everything
 * else may have to look at all that the organization has.
 */
const isQuick = ({ timeout }: Listing, { q, sort, page, limit }: Wanted): boolean =>
  !q && !sort && timeout === undefined && (page - 1) * limit <= quickRows;

/** The list, counted on the pipelined connection only so far: below many parents, so far together. */
export const countedQuickly = (listing: Listing, wanted: Wanted, parents = 1): Listing => {
  if (!isQuick(listing, wanted)) return listing;
  const countUpTo = Math.min(listing.countUpTo ?? quickCount, Math.max(100, Math.floor(quickCount / parents)));
  return { ...listing, countUpTo };
};

/** How a list is read: on the pipelined connection where it is surely cheap, else within bounds. */
export const readerOf = (ctx: Context, listing: Listing, wanted: Wanted): Read =>
  withCursor(wanted, isQuick(listing, wanted) ? ctx.read : readSlowly(ctx, listing, wanted));

/** Refuses a cursor whose keys are no values of the list's order (422), which PostgreSQL notices (SQLSTATE class 22). */
const withCursor = ({ after, connection }: Wanted, read: Read): Read => {
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

/** Reads on the pool of slow reads. Throws 422 where the list or its pattern takes too long, or the pattern is wrong. */
export const readSlowly = (ctx: Context, { timeout = slowTimeout }: Listing, { q }: Wanted): Read => {
  const limit = q ? Math.min(patternTimeout, timeout) : timeout;
  return async <Row>(query: Sql) => {
    try {
      return (await ctx.readWithin(query, limit)) as Row[];
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code === invalidPattern) throw invalid([{ path: 'q', message }]);
      if (!q) throw refusalOf(error, limit);
      throw isTimeout(error)
        ? invalid([{ path: 'q', message: 'this pattern is too expensive; use a simpler one' }])
        : error;
    }
  };
};

const isTimeout = (error: unknown): boolean => error instanceof ApiError && error.code === 'TIMEOUT';

/** What is thrown for an error of a list that may take so many milliseconds: 422 where it took longer. */
export const refusalOf = (error: unknown, limit: number): unknown =>
  isTimeout(error)
    ? invalid([{ path: '', message: `This takes longer than ${limit / 1000} s; ask for less.` }])
    : error;

const invalidPattern = '2201B';
