/** A cell of a CSV table. Null and undefined become empty cells. */
export type Cell = string | number | bigint | boolean | null | undefined;

/**
 * Writes rows as CSV (RFC 4180) with commas and CRLF. A text that a spreadsheet would treat as a formula gets an
 * apostrophe at its beginning (OWASP, CSV Injection).
 */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(written).join(',')}\r\n`).join('');

const written = (cell: Cell): string => {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return `${cell}`;
  const text = defused(cell);
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * Separators, line breaks, white space at an end, and what an unquoted cell would mean: nothing, a number, a boolean.
 * Readers disagree on which line breaks end a row, so each of them is quoted.
 */
const needsQuotes = /[",;\t\r\n]|^\s|\s$|^$|^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$|^(?:true|false)$/i;

/** Includes the full-width characters, which some programs treat as ASCII, and formulas after white space. */
const formula = /^(?:\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/;
const plainNumber = /^-?\d{1,30}(?:\.\d{1,30})?$/;
const apostrophes = /^'*/;

/** Whether a text is a formula after any apostrophes. Those of its own get one more, so that none is lost. */
const isRisky = (text: string): boolean => {
  const bare = text.replace(apostrophes, '');
  return formula.test(bare) && !plainNumber.test(bare);
};

const defused = (text: string): string => (isRisky(text) ? `'${text}` : text);

/** Removes the apostrophe that {@link csvOf} puts before a formula. */
export const undefused = (text: string): string => (text.startsWith("'") && isRisky(text) ? text.slice(1) : text);
