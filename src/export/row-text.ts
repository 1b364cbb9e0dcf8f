import type { Cell } from '../csv.js';
import { type Column, type Row, valueAt } from './table.js';
import type { WriteTime } from './time.js';

/** The value of a column as plain JSON, times as text. */
export const shownValue = (row: Row, { path, kind }: Column, time: WriteTime): unknown => {
  const value = valueAt(row, path);
  return kind === 'time' && (typeof value === 'number' || typeof value === 'string') ? time(value) : value;
};

/** The value of a column as a cell: what is no single value is JSON. */
export const cellOf = (row: Row, column: Column, time: WriteTime): Cell => {
  const value = shownValue(row, column, time);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
};
