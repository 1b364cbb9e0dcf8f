import { stringify } from 'csv-stringify/sync';

/** A cell of a table that is given as CSV; null and undefined are empty cells. */
export type Cell = string | number | bigint | boolean | null | undefined;

/**
 * Rows as CSV (RFC 4180): commas, CRLF, cells quoted where they need it. A text that a spreadsheet would take for a formula
 * begins with an apostrophe (OWASP, CSV Injection); numbers, and texts that are nothing but a number, stay as they are.
 */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  stringify(rows as Cell[][], { record_delimiter: 'windows', cast: { boolean: String, string: defused } });

/** Also the wide forms, which some programs read as the narrow ones, and behind white space. */
const formula = /^\s*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const startsWithSpace = /^[\t\r\n]/;
const plainNumber = /^-?\d{1,30}(?:\.\d{1,30})?$/;

const defused = (text: string): string =>
  (formula.test(text) || startsWithSpace.test(text)) && !plainNumber.test(text) ? `'${text}` : text;
