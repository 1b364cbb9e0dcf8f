/** A cell of a CSV table. */
export type Cell = string | number | boolean | null | undefined;

/**
 * Writes rows as CSV (RFC 4180), with the byte order mark by which spreadsheets recognize UTF-8. A text that a
 * spreadsheet would treat as a formula gets an apostrophe at its beginning; numbers stay unchanged.
 */
export const csvOf = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${[head, ...rows].map((row) => row.map(written).join(',')).join('\r\n')}\r\n`;

const written = (cell: Cell): string => {
  if (cell == null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = /^[\s]*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Saves a text as a file on the user's machine. */
export const download = (name: string, text: string): void =>
  saveBlob(name, new Blob([text], { type: 'text/csv;charset=utf-8' }));

/** Saves a file on the user's machine. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
