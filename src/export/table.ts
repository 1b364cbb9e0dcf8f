import type { VariableType } from '#entities/enums.js';

/** Content of a column, which typed formats need. `json` is any value. */
export type ColumnKind = 'text' | 'double' | 'long' | 'boolean' | 'time' | 'json';

/** A column: the path of a value in a row, which is also its name. */
export interface Column {
  readonly path: string;
  readonly kind: ColumnKind;
  /** Types of the variables that the column shows, in typed formats. A value that fits none of them is left out. */
  readonly types?: readonly VariableType[];
  /** Whether a product declares the variable as text. */
  readonly isText?: boolean;
}

/** A row as read. Times are Unix seconds or ISO 8601 texts. */
export type ExportRow = Readonly<Record<string, unknown>>;

/** Rows to export, page by page as they are read. At most one page is in memory. */
export interface Table {
  readonly columns: readonly Column[];
  /** Whether the caller chose the columns. Otherwise formats that can show whole rows do so. */
  readonly isChosen: boolean;
  readonly pages: AsyncIterable<readonly ExportRow[]> | Iterable<readonly ExportRow[]>;
}

/**
 * Reads the value at a path. Names of variables may contain dots; the longest matching name wins. A list of objects on
 * the way makes a list of what they have there, as in searches.
 */
export const valueAt = (row: ExportRow, path: string): unknown => valueFrom(row, path, 0);

const valueFrom = (object: ExportRow, path: string, from: number): unknown => {
  const rest = from === 0 ? path : path.slice(from);
  if (Object.hasOwn(object, rest)) return object[rest];
  for (const name of namesOn(object, rest)) {
    const inner = object[name];
    const found = within(inner, path, from + name.length + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

const within = (value: unknown, path: string, from: number): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return valueFrom(value as ExportRow, path, from);
  const found = value.flatMap((each) => within(each, path, from) ?? []);
  return found.length === 0 ? undefined : found;
};

/** Number of dots of a path above which it is compared with the existing names, instead of looking up each prefix. */
const mostLookups = 4;

/**
 * Returns the names of an object that are prefixes of a path, the longest first. Exactly one path leads to an object,
 * so a column scans all objects of a row at most once, however many dots its path and the names have.
 */
const namesOn = (object: ExportRow, path: string): string[] => {
  const names: string[] = [];
  let dot = path.indexOf('.');
  for (let looked = 0; dot >= 0 && looked < mostLookups; looked++, dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(object, name)) names.unshift(name);
  }
  if (dot < 0) return names;
  return Object.keys(object)
    .filter((name) => path[name.length] === '.' && path.startsWith(name))
    .sort((one, other) => other.length - one.length);
};
