import type { Cell } from '#common/csv.js';
import { type Column, type Row, valueAt } from './table.js';
import type { WriteTime } from './time.js';

/** Returns the value of a column as plain JSON, with times as text. */
export const shownValue = (row: Row, { path, kind }: Column, time: WriteTime): unknown => {
  const value = valueAt(row, path);
  return kind === 'time' && (typeof value === 'number' || typeof value === 'string') ? time(value) : value;
};

/** Returns the value of a column as a cell. Objects and arrays become JSON. */
export const cellOf = (row: Row, column: Column, time: WriteTime): Cell => {
  const value = shownValue(row, column, time);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
};
