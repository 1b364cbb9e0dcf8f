import type { Sql } from 'sql-template-tag';
import { type Fault, invalid } from '../errors.js';

/**
 * How a list is read by cursor. A cursor names the list (what it is below, and its order) and the keys of a row in that
 * order, so that what is stored or deleted meanwhile neither repeats nor hides what else there is. Callers see it as
 * opaque text.
 */
export interface CursorKind {
  /** Tells cursors of this list from those of others. */
  kind: string;
  /** What each key of a row looks like, null as ''; rows carry theirs as texts, in the column `cursorKeys`. */
  shape: readonly RegExp[];
}

/** The text of a row's key in the order of a list. */
export type CursorKey = string | null;

/** The same of a list that is read by SQL. */
export interface SqlCursorKind extends CursorKind {
  /** Condition: a row comes after these keys. */
  after: (keys: readonly CursorKey[]) => Sql;
}

/** A page with the place where it ends. */
export interface CursorPage {
  /** Cursor of the last item; none on an empty page, and none in an order of the caller's own. */
  endCursor?: string | null;
  /** Whether there is more after it. */
  hasMore?: boolean;
  /** Cursors of all items, of a page that is shown as a connection. */
  cursors?: (string | null)[];
}

/** The cursor of a row in the list below a parent. */
export const cursorOf = ({ kind }: CursorKind, parentId: string, row: object | undefined): string | null =>
  row === undefined
    ? null
    : Buffer.from(JSON.stringify([kind, parentId, ...(row as { cursorKeys: CursorKey[] }).cursorKeys])).toString(
        'base64url',
      );

/** Throws 422 for what is no cursor of a list below this parent. */
export function requireCursorOf(parentId: string, cursor: string): void {
  if (read(cursor)[1] !== parentId) throw invalid([noCursor]);
}

/** The keys that a cursor carries. Throws 422 for what is no cursor of this kind; of which parent it is, {@link requireCursorOf} tells. */
export function keysOfCursor({ kind, shape }: CursorKind, cursor: string): CursorKey[] {
  const [of, , ...keys] = read(cursor);
  const fits =
    of === kind &&
    keys.length === shape.length &&
    keys.every((key, index) => (typeof key === 'string' || key === null) && shape[index]!.test(key ?? ''));
  if (!fits) throw invalid([noCursor]);
  return keys as CursorKey[];
}

/** The fault of what is sent as a cursor and is none of the list. */
export const noCursor: Fault = { path: 'after', message: 'is no cursor of this list; send an endCursor of its pages' };

function read(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? (value as unknown[]) : [];
  } catch {
    return [];
  }
}

/** Throws 422 where a page is asked for by cursor and by number, or by cursor in an order that has none. */
export function requireCursorOrPage({
  page,
  sort,
  after,
}: {
  page: number;
  sort?: string | null;
  after?: string | null;
}): void {
  if (after == null) return;
  const faults: Fault[] = [];
  if (page > 1) faults.push({ path: 'page', message: 'must be left out where `after` says where to go on' });
  if (sort) faults.push({ path: 'sort', message: 'must be left out where `after` says where to go on' });
  if (faults.length > 0) throw invalid(faults);
}
