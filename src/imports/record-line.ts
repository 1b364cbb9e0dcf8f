import { createHash } from 'node:crypto';
import { VariableType } from '#entities/enums.js';
import type { ImportFault } from '#entities/file-import.js';
import { isId } from '#entities/id.js';
import type { PlainJson } from '#json/json.js';
import type { Item, PlainObject } from '#records/item.js';
import { Rejection } from '#records/item.js';
import { readNative } from '#records/record-body.js';
import { readDecimalComma } from './cell-number.js';
import { readTime } from './cell-time.js';
import { readBoolean, readQuoted, readText, readValue } from './cell-value.js';
import type { CsvRow } from './csv.js';
import type { CsvHeader } from './csv-step.js';
import { deviceIn, putAtPath, type RecordBody } from './exported-column.js';
import { fromExport, takeBareFrame } from './exported-line.js';
import type { RecordColumns } from './record-column.js';

/** A record to store, and the names of its values whose dots made objects. */
export type GoodLine = { line: number; item: Item; dotted?: readonly string[] };

/** A line of a file of records: a record to store, or a fault. */
export type RecordLine = GoodLine | { line: number; fault: Omit<ImportFault, 'line'> };

/**
 * Reads a row. Empty cells are skipped; numbers, booleans, lists and objects are recognized.
 * @param typeOf returns the type of a variable of the row's device. Cells of texts are not interpreted, and the dots of
 * a variable's name make no objects.
 */
export const readRecordRow = (
  { line, cells, quoted }: CsvRow,
  { columns, width, delimiter }: CsvHeader<RecordColumns>,
  typeOf: (device: string, variable: string) => VariableType | undefined,
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
  const device = deviceCell(cells, columns);
  const named = columns.isById ? 'deviceId' : 'serial';
  if (device === '') return at(columns.device, named, 'is missing');
  const ts = readTime(cells[columns.ts]!.trim(), delimiter);
  if (typeof ts === 'string') return at(columns.ts, 'ts', ts);
  const body: RecordBody = { [named]: device, ts, data: {}, metadata: {} };
  const key = columns.key === undefined ? '' : cells[columns.key]!.trim();
  if (key !== '') body['key'] = key;
  for (const { index, name, path } of columns.values) {
    const isQuoted = columns.isExport === true && quoted?.has(index) === true;
    const text = isQuoted ? cells[index]! : cells[index]!.trim();
    if (text === '' && !isQuoted) continue;
    const variable = path.slice(1).join('.');
    const type = path[0] === 'data' && path.length > 1 ? typeOf(device, variable) : undefined;
    const isOwnText = type === VariableType.TXT;
    const isTaken = isOwnText || isQuoted;
    const number = isTaken ? { text } : readDecimalComma(text, delimiter);
    if ('fault' in number) return at(index, name, number.fault);
    const readOther = type === VariableType.BOOL && columns.isExport !== true ? readBoolean : readValue;
    const value = isOwnText ? readText(text, columns.isExport) : isQuoted ? readQuoted(text) : readOther(number.text);
    if (putAtPath(body, type === undefined ? path : ['data', variable], value, columns.isExport)) continue;
    return at(
      index,
      name,
      path.length === 1 ? 'must be a JSON object' : 'is part of a value that another column holds',
    );
  }
  return lineOf(line, body);
};

/** Returns the device that a row names, by its identifier or serial. */
export const deviceCell = (cells: readonly string[], { device, isExport }: RecordColumns): string => {
  const text = (cells[device] ?? '').trim();
  return isExport === true ? deviceIn(text) : text;
};

/** Reads a record in the native format or in that of exports. */
export const lineOf = (line: number, given: PlainObject): RecordLine => {
  const found = fromExport(given);
  if (typeof found === 'string') return { line, fault: { field: 'ts', message: found } };
  const { body, dotted } = found;
  const { rest, frame } = takeBareFrame(body);
  const [item] = readNative([rest]);
  if (item instanceof Rejection) return { line, fault: { message: item.message } };
  if (item!.ts === undefined)
    return { line, fault: { field: 'ts', message: 'is missing: a past record needs its time' } };
  if (item!.deviceId !== undefined && !isId(item!.deviceId.toLowerCase()))
    return { line, fault: { field: 'deviceId', message: 'is not the identifier of a device' } };
  const whole: Item = frame === undefined ? item! : { ...item!, frame };
  return { line, item: whole, ...(dotted && { dotted }) };
};

/** Gives a record without a key one that stays the same when it is sent again. */
export const withKey = (item: Item): Item => ({ ...item, key: item.key ?? keyOf(item), keyHours });

/** Hours for which a repeated imported record is recognized: a year. */
const keyHours = 365 * 24;

/** Computes the key of a record without one, from its time and content. */
const keyOf = ({ ts, metadata, data, frame }: Item): string => {
  const said = [ts, metadata, data, frame ? [frame.streamId, frame.streamType, frame.bytes.toString('hex')] : null];
  return `import:${createHash('sha256')
    .update(JSON.stringify(said as PlainJson))
    .digest('base64url')}`;
};
