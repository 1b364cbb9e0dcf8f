import { stringify } from 'csv-stringify/sync';

/** A cell of a CSV table. Null and undefined become empty cells. */
export type Cell = string | number | bigint | boolean | null | undefined;

/**
 * Writes rows as CSV (RFC 4180) with commas and CRLF, and quotes cells when needed. A text that a spreadsheet would
 * treat as a formula gets an apostrophe at its beginning (OWASP, CSV Injection). Numbers, and texts that consist of a
 * number, stay unchanged.
 */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  stringify(rows as Cell[][], { record_delimiter: 'windows', cast: { boolean: String, string: defused } });

/** Includes the full-width characters, which some programs treat as ASCII, and formulas after white space. */
const formula = /^\s*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const startsWithSpace = /^[\t\r\n]/;
const plainNumber = /^-?\d{1,30}(?:\.\d{1,30})?$/;

const defused = (text: string): string =>
  (formula.test(text) || startsWithSpace.test(text)) && !plainNumber.test(text) ? `'${text}` : text;
