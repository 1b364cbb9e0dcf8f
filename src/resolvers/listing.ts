import type { Sql } from 'sql-template-tag';
import type { Connection, SelectedFields } from '../schema/selected-fields.js';
import type { SqlCursorKind } from './cursor.js';

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
}

/** The requested page of a list. */
export interface Wanted {
  limit: number;
  page: number;
  sort?: string | null;
  q?: string | null;
  /** Cursor after which the page begins, instead of a page number. */
  after?: string | null;
  /** Connection that shows the items. Absent: they are shown as a page. */
  connection?: Connection;
  /** Fields of the page that are read. */
  selected: SelectedFields;
}
