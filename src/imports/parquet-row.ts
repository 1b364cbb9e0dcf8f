import type { PlainJson } from '#json/json.js';
import { longestLine } from './line-limit.js';
import { type RecordColumns, readTime } from './record-column.js';

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
  const parts: Record<'data' | 'metadata', Record<string, PlainJson>> = { data: {}, metadata: {} };
  for (const { index, path } of columns.values) {
    const value = valueOf(at(index));
    if (value === undefined) continue;
    const [part, ...keys] = path;
    const isWhole = keys.length === 1 && (keys[0] === 'data' || keys[0] === 'metadata') && typeof value === 'object';
    if (isWhole && value !== null && !Array.isArray(value)) Object.assign(parts[keys[0] as 'data'], value);
    else place(parts[part], keys, value);
  }
  return {
    [columns.isById ? 'deviceId' : 'serial']: valueOf(at(columns.device)),
    ts: timeOf(at(columns.ts)),
    ...(key !== undefined && { key: typeof key === 'string' ? key : JSON.stringify(key) }),
    ...parts,
  };
};

const place = (object: Record<string, PlainJson>, keys: readonly string[], value: PlainJson): void => {
  let inner = object;
  for (const key of keys.slice(0, -1)) {
    const next = Object.hasOwn(inner, key) ? inner[key] : undefined;
    const isObject = typeof next === 'object' && next !== null && !Array.isArray(next);
    if (!isObject) define(inner, key, {});
    inner = inner[key] as Record<string, PlainJson>;
  }
  define(inner, keys.at(-1)!, value);
};

const define = (object: object, key: string, value: PlainJson): void => {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
};
