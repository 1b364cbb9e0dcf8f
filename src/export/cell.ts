import type { Cell } from '#common/csv.js';
import { type Column, type Row, valueAt } from './table.js';
import type { WriteTime } from './time.js';

/** Returns the value of a column as plain JSON, with times as text. */
export const shownValue = (row: Row, { path, kind }: Column, time: WriteTime): unknown => {
  const value = valueAt(row, path);
  return kind === 'time' && (typeof value === 'number' || typeof value === 'string') ? time(value) : value;
};

/**
 * Returns the value of a column as a cell. Objects and arrays become JSON. An array of a text variable holds texts, as
 * searches read it: imports tell it from a text such as `[1,2]` by that.
 */
export const cellOf = (row: Row, column: Column, time: WriteTime): Cell => {
  const value = shownValue(row, column, time);
  if (typeof value !== 'object' || value === null) return value as Cell;
  const isTexts = column.isText === true && Array.isArray(value) && value.every(isScalar);
  return JSON.stringify(isTexts ? value.filter((each) => each !== null).map(String) : value);
};

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
