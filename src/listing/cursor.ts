import type { Sql } from 'sql-template-tag';
import { type Fault, invalid } from '#common/errors.js';

/**
 * The cursors of a list. A cursor contains the list (its parent and order) and the keys of a row in that order,
 * so that rows stored or deleted meanwhile neither repeat nor hide other rows. For callers it is opaque text.
 */
export interface CursorKind {
  /** Identifies the list, so that cursors of other lists are refused. */
  kind: string;
  /** Format of each key of a row; null is ''. A row has its keys as texts in the column `cursorKeys`. */
  shape: readonly RegExp[];
}

/** Text of a row's key in the order of a list. */
export type CursorKey = string | null;

/** The cursors of a list that is read by SQL. */
export interface SqlCursorKind extends CursorKind {
  /** Returns the condition that a row comes after these keys. */
  after: (keys: readonly CursorKey[]) => Sql;
}

/** A page with its end. */
export interface CursorPage {
  /** Cursor of the last item; absent on an empty page, and in an order that the caller chose. */
  endCursor?: string | null;
  /** Whether more items follow. */
  hasMore?: boolean;
  /** Cursors of all items, when the page is shown as a connection. */
  cursors?: (string | null)[];
}

/** Returns the cursor of a row in the list below a parent. */
export const rowCursor = ({ kind }: CursorKind, parentId: string, row: object | undefined): string | null =>
  row === undefined
    ? null
    : Buffer.from(JSON.stringify([kind, parentId, ...(row as { cursorKeys: CursorKey[] }).cursorKeys])).toString(
        'base64url',
      );

/**
 * Checks the parent in a cursor.
 * @throws invalid (422) when the cursor is not of a list below this parent.
 */
export function requireCursorOf(parentId: string, cursor: string): void {
  if (read(cursor)[1] !== parentId) throw invalid([noCursor]);
}

/**
 * Returns the keys in a cursor. {@link requireCursorOf} checks its parent.
 * @throws invalid (422) when the cursor is not of this kind.
 */
export function keysOfCursor({ kind, shape }: CursorKind, cursor: string): CursorKey[] {
  const [of, , ...keys] = read(cursor);
  const fits =
    of === kind &&
    keys.length === shape.length &&
    keys.every((key, index) => (typeof key === 'string' || key === null) && shape[index]!.test(key ?? ''));
  if (!fits) throw invalid([noCursor]);
  return keys as CursorKey[];
}

/** The fault of an invalid cursor, or one of another list. */
export const noCursor: Fault = {
  path: 'after',
  message: 'is not a cursor of this list; send an endCursor of its pages',
};

function read(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? (value as unknown[]) : [];
  } catch {
    return [];
  }
}

/**
 * Checks the arguments of a page.
 * @throws invalid (422) for both a cursor and a page number, or a cursor in an order that has none.
 */
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
  if (page > 1) faults.push({ path: 'page', message: 'must not be given together with `after`' });
  if (sort) faults.push({ path: 'sort', message: 'must not be given together with `after`' });
  if (faults.length > 0) throw invalid(faults);
}
