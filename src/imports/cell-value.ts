import { undefused } from '#common/csv.js';
import { isExact, type PlainJson } from '#json/json.js';
import { parsePlain } from '#json/plain.js';
import { numberPattern } from './cell-number.js';
import { jsonIn, listIn } from './exported-column.js';

/** Reads a cell: a number, a boolean, a list or an object; any other cell is a text. */
export const readValue = (text: string): PlainJson => {
  if (numberPattern.test(text)) return isExact(text) ? Number(text) : text;
  if (/^(true|TRUE|True)$/.test(text)) return true;
  if (/^(false|FALSE|False)$/.test(text)) return false;
  return readQuoted(text);
};

/** Reads a cell of a boolean variable, which PostgreSQL writes as t or f. */
export const readBoolean = (text: string): PlainJson => (/^[tf]$/.test(text) ? text === 't' : readValue(text));

/** Reads a quoted cell of an export: a list, an object, or the text as it stands. */
export const readQuoted = (text: string): PlainJson => jsonIn(text, parsePlain) ?? undefused(text);

/** Reads a cell of a text variable. In an export, it may be a list. */
export const readText = (text: string, isExport = false): PlainJson =>
  (isExport ? listIn(text, true) : undefined) ?? undefused(text);
