import { createHash } from 'node:crypto';
import type { ImportFault } from '#entities/file-import.js';
import { isId } from '#entities/id.js';
import { isExact, type PlainJson } from '#json/json.js';
import type { Item, PlainObject } from '#records/item.js';
import { Rejection } from '#records/item.js';
import { readNative } from '#records/native.js';
import { type CsvRow, undefused } from './csv.js';
import { decimalComma, numberPattern, type RecordColumns, readTime } from './record-column.js';

/** A line of a file of records: a record to store, or a fault. */
export type RecordLine = { line: number; item: Item } | { line: number; fault: Omit<ImportFault, 'line'> };

const read = (text: string): PlainJson => {
  if (numberPattern.test(text)) return isExact(text) ? Number(text) : text;
  if (text === 'true' || text === 'TRUE') return true;
  if (text === 'false' || text === 'FALSE') return false;
  return undefused(text);
};

/**
 * Reads a row. Empty cells are skipped; numbers and booleans are recognized.
 * @param isText whether a variable of the row's device is text; its cells are not interpreted
 */
export const readRecordRow = (
  { line, cells }: CsvRow,
  columns: RecordColumns,
  { width, isText }: { width: number; isText: (device: string, variable: string) => boolean },
): RecordLine => {
  if (cells.length !== width)
    return {
      line,
      fault: {
        message: `has ${cells.length} cells, and the header has ${width}${cells.length > width ? ': a cell with a separator in it (such as a decimal comma) needs quotes' : ''}`,
      },
    };
  const at = (index: number, field: string, message: string): RecordLine => ({
    line,
    fault: { column: index + 1, field, message },
  });
  const device = cells[columns.device]!.trim();
  const named = columns.isById ? 'deviceId' : 'serial';
  if (device === '') return at(columns.device, named, 'is missing');
  const ts = readTime(cells[columns.ts]!.trim());
  if (typeof ts === 'string') return at(columns.ts, 'ts', ts);
  const body: PlainObject = { [named]: device, ts, data: {} };
  const key = columns.key === undefined ? '' : cells[columns.key]!.trim();
  if (key !== '') body['key'] = key;
  for (const { index, name, path } of columns.values) {
    const text = cells[index]!.trim();
    if (text === '') continue;
    const isOwnText = path[0] === 'data' && path.length === 2 && isText(device, path[1]!);
    if (!isOwnText && decimalComma.test(text))
      return at(
        index,
        name,
        `${text.slice(0, 100)} has a decimal comma: write ${text.slice(0, 100).replace(',', '.')}`,
      );
    if (!put(body, path, isOwnText ? undefused(text) : read(text)))
      return at(index, name, 'lies inside of a value that another column has');
  }
  return lineOf(line, body);
};

const put = (body: PlainObject, path: readonly string[], value: PlainJson): boolean => {
  let inner = body;
  for (const key of path.slice(0, -1)) {
    if (!Object.hasOwn(inner, key)) set(inner, key, {});
    const next = inner[key]!;
    if (typeof next !== 'object' || next === null || Array.isArray(next)) return false;
    inner = next;
  }
  const last = path.at(-1)!;
  if (Object.hasOwn(inner, last)) return false;
  set(inner, last, value);
  return true;
};

/** Sets a key, even a special one such as `__proto__`. */
const set = (object: PlainObject, key: string, value: PlainJson): void => {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
};

/**
 * Reads a record in the native format or in that of exports. A record without a key gets one that stays the same when
 * it is sent again.
 */
export const lineOf = (line: number, body: PlainJson): RecordLine => {
  const [item] = readNative([withoutExported(body)]);
  if (item instanceof Rejection) return { line, fault: { message: item.message } };
  if (item!.ts === undefined) return { line, fault: { field: 'ts', message: 'is missing: past records say when' } };
  if (item!.deviceId !== undefined && !isId(item!.deviceId.toLowerCase()))
    return { line, fault: { field: 'deviceId', message: 'is not the identifier of a device' } };
  return { line, item: { ...item!, key: item!.key ?? keyOf(item!), keyHours } };
};

/** Hours for which a repeated imported record is recognized: a year. */
const keyHours = 365 * 24;

/** Converts an exported record, which holds the device as an object and the record's identifier. */
const withoutExported = (body: PlainJson): PlainJson => {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('device' in body)) return body;
  const { id: _id, device, ...rest } = body;
  const of = device as { id?: PlainJson; serial?: PlainJson } | null;
  if (of?.serial !== undefined) return { serial: of.serial, ...rest };
  return of?.id === undefined ? rest : { deviceId: of.id, ...rest };
};

/** Computes the key of a record without one, from its time and content. */
const keyOf = ({ ts, metadata, data, frame }: Item): string => {
  const said = [ts, metadata, data, frame ? [frame.streamId, frame.streamType, frame.bytes.toString('hex')] : null];
  return `import:${createHash('sha256')
    .update(JSON.stringify(said as PlainJson))
    .digest('base64url')}`;
};
