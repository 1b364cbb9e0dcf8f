import type { Sql } from 'sql-template-tag';
import { ApiError, invalid } from '../errors.js';
import type { Context, Read } from '../schema/context.js';
import { noCursor } from './cursor.js';
import type { Listing, Wanted } from './listing.js';

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
const isQuick = ({ timeout }: Listing, { q, sort, page, limit }: Wanted): boolean =>
  !q && !sort && timeout === undefined && (page - 1) * limit <= quickRows;

/** Limits the count of a list on the pipelined connection. Lists below many parents share the limit. */
export const countedQuickly = (listing: Listing, wanted: Wanted, parents = 1): Listing => {
  if (!isQuick(listing, wanted)) return listing;
  const countUpTo = Math.min(listing.countUpTo ?? quickCount, Math.max(100, Math.floor(quickCount / parents)));
  return { ...listing, countUpTo };
};

/**
 * Returns the function that reads a list: on the pipelined connection if the page is certainly cheap, otherwise on the
 * pool of slow reads.
 */
export const readerOf = (ctx: Context, listing: Listing, wanted: Wanted): Read =>
  withCursor(wanted, isQuick(listing, wanted) ? ctx.read : readSlowly(ctx, listing, wanted));

/**
 * Refuses a cursor whose keys do not fit the types of the list's order (422). PostgreSQL detects that (SQLSTATE class
 * 22).
 */
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

/**
 * Reads on the pool of slow reads.
 * @throws invalid (422) when the list or its regular expression takes too long, or the expression is invalid.
 */
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

/** Translates an error of a list with a timeout in milliseconds: 422 for a timeout, any other error unchanged. */
export const refusalOf = (error: unknown, limit: number): unknown =>
  isTimeout(error)
    ? invalid([{ path: '', message: `This takes longer than ${limit / 1000} s; ask for less.` }])
    : error;

const invalidPattern = '2201B';
