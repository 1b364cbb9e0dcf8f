/** What a column holds, which formats with types need to know. `json` is any value. */
export type ColumnKind = 'text' | 'double' | 'long' | 'boolean' | 'time' | 'json';

/** A column: the path of a value in a row, which is also its name. */
export interface Column {
  readonly path: string;
  readonly kind: ColumnKind;
}

/** A row as it was read. Times are Unix seconds or ISO 8601 texts. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows that are given out, page by page as they are read: no more than one page is in memory. */
export interface Table {
  readonly columns: readonly Column[];
  /** Whether the caller chose the columns; else formats that can show whole rows do. */
  readonly isChosen: boolean;
  readonly pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;
}

/** Reads the value at a path: names of variables may have dots in them, and the longest name wins. */
export const valueAt = (row: Row, path: string): unknown => {
  if (Object.hasOwn(row, path)) return row[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const inner = Object.hasOwn(row, path.slice(0, dot)) ? row[path.slice(0, dot)] : undefined;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue;
    const found = valueAt(inner as Row, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
};
