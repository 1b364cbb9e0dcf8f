import type { Sql } from 'sql-template-tag';
import type { Connection, SelectedFields } from '../schema/selected-fields.js';
import type { SqlCursorKind } from './cursor.js';

/** What a list is made of. Everything in it is text of ours; what callers send travels as parameters. */
export interface Listing {
  /** `select ... from ...` without its condition, of what is asked for; `also` is a list of columns more, after a comma. */
  rows: (selected: SelectedFields, also?: Sql) => Sql;
  /** `from ...` alone, for counting. */
  from: Sql;
  /** The same with fewer tables, for counting where no `q` looks in the others. */
  countedFrom?: Sql;
  /** Conditions that all hold. */
  where: readonly Sql[];
  /**
   * The column that names the parent, where each has few and no index gives their order: the rows of all parents are then
   * read and numbered together, in half the time. `where` says nothing of the parent then.
   */
  parent?: Sql;
  /** The fields that `q` is matched against. */
  matched?: readonly Sql[];
  /** The serial as it is compared, which `q` is matched against whatever its dashes. */
  matchedSerial?: Sql;
  /** The fields that `sort` may name. */
  sortable: Readonly<Record<string, Sql>>;
  /** The key by which it is ordered where no order is asked for; never null. */
  order: Sql;
  /** Whether that key falls. */
  descending?: boolean;
  /** A last key that no two rows share, so that pages never overlap. */
  tie: Sql;
  /** Give up counting past this number; then the page has no total. */
  countUpTo?: number;
  /**
   * The columns that name a row, where rows are wide: a page further back is found by these first, and only its own rows are
   * read. `matches` holds for the one row that a found key `k` names.
   */
  key?: { columns: Sql; matches: Sql };
  /** How it is read by cursor, in the order where none is asked for; not every list is. */
  cursor?: SqlCursorKind;
  /** What a list that is read alone is below: its cursors name it. */
  parentId?: string;
  /** How long a statement may take, in milliseconds, where it may turn out expensive. */
  timeout?: number;
}

/** Which page of a list. */
export interface Wanted {
  limit: number;
  page: number;
  sort?: string | null;
  q?: string | null;
  /** The page after this cursor, instead of one by its number. */
  after?: string | null;
  /** How its items are shown; as a page unless given. */
  connection?: Connection;
  /** What of the page is read. */
  selected: SelectedFields;
}
