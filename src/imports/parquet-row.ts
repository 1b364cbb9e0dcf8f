import type { PlainJson } from '#json/json.js';
import { readTime } from './cell-time.js';
import { deviceIn, isObject, jsonIn, listIn, putAtPath, type RecordBody } from './exported-column.js';
import { longestLine } from './line-limit.js';
import type { RecordColumns } from './record-column.js';

/** A timestamp in a Parquet file, in microseconds since 1970. */
export class Moment {
  constructor(readonly micros: bigint) {}

  /** Unix seconds. */
  get seconds(): number {
    return Number(this.micros) / 1e6;
  }
}

/** Converts a value to that of a record. Returns undefined for values that JSON cannot hold. */
const valueOf = (value: unknown): PlainJson | undefined => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON has no NaN and no infinities.
      return Number.isFinite(value) ? value : undefined;
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`;
    case 'object':
      return value === null ? undefined : objectOf(value);
    default:
      return undefined;
  }
};

const objectOf = (value: object): PlainJson => {
  if (value instanceof Moment) return new Date(value.seconds * 1000).toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return Array.from(value as ArrayLike<unknown>, (each) => valueOf(each) ?? null);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const shown = valueOf(each);
      return shown === undefined ? [] : [[key, shown] as const];
    }),
  );
};

const timeOf = (value: unknown): PlainJson | undefined => {
  if (value instanceof Moment) return value.seconds;
  return typeof value === 'string' ? readTime(value) : valueOf(value);
};

/**
 * Placeholder for a row that is too long: one character more than a line may have, so that the reader of lines rejects
 * it.
 */
const tooLong = 'x'.repeat(longestLine + 1);

/**
 * Writes a row as a line of NDJSON. It checks the length first, because a row may repeat one text of a dictionary a
 * million times.
 */
export const lineOfRow = (
  row: Readonly<Record<string, unknown>>,
  names: readonly string[],
  columns: RecordColumns,
): string => (lengthOf(row, longestLine) > longestLine ? tooLong : JSON.stringify(recordOfRow(row, names, columns)));

/** Estimates the number of characters of a value, and stops counting above `limit`. */
const lengthOf = (value: unknown, limit: number): number => {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return 2 * value.length;
  if (typeof value !== 'object' || value === null || value instanceof Moment) return 1;
  let length = 1;
  for (const each of Object.values(value)) {
    length += lengthOf(each, limit - length);
    if (length > limit) break;
  }
  return length;
};

/**
 * Writes a row as a record in the native format. Columns `data` and `metadata` that hold objects become those fields.
 */
const recordOfRow = (row: Readonly<Record<string, unknown>>, names: readonly string[], columns: RecordColumns) => {
  const at = (index: number | undefined) => (index === undefined ? undefined : row[names[index]!]);
  const key = valueOf(at(columns.key));
  const device = valueOf(at(columns.device));
  const body: RecordBody = { data: {}, metadata: {} };
  for (const { index, path } of columns.values) {
    const value = columns.isExport ? exportedValue(at(index), index, columns) : valueOf(at(index));
    if (value === undefined) continue;
    const isWhole = path.length === 2 && (path[1] === 'data' || path[1] === 'metadata') && isObject(value);
    putAtPath(body, isWhole && !columns.isExport ? [path[1]!] : path, value, true);
  }
  return {
    [columns.isById ? 'deviceId' : 'serial']:
      columns.isExport && typeof device === 'string' ? deviceIn(device) : device,
    ts: timeOf(at(columns.ts)),
    ...(key !== undefined && { key: typeof key === 'string' ? key : JSON.stringify(key) }),
    ...body,
  };
};

/** Returns the value of an export's column. Columns of JSON hold lists and objects as text, those of texts only lists. */
const exportedValue = (value: unknown, index: number, { json, texts }: RecordColumns): PlainJson | undefined => {
  if (typeof value !== 'string') return valueOf(value);
  return (json?.includes(index) ? jsonIn(value, JSON.parse) : listIn(value, texts?.includes(index))) ?? value;
};
