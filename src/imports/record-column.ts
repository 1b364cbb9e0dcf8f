import type { ImportFault } from '#entities/file-import.js';

/*
 * Columns of files of records, and timestamps in them. The process that reads Parquet loads this file too, so it
 * imports nothing else.
 */

/** Destination of a column: `data.temperature` has the path `['data', 'temperature']`. */
interface Target {
  index: number;
  name: string;
  path: [field: 'data' | 'metadata', ...keys: string[]];
}

/** Indices of the columns of a file of records, from 0. */
export interface RecordColumns {
  device: number;
  /** Whether devices are named by identifier, as opposed to serial. */
  isById: boolean;
  ts: number;
  key?: number;
  values: Target[];
}

type Known = 'serial' | 'deviceId' | 'ts' | 'key';

const known: Readonly<Record<string, Known>> = {
  serial: 'serial',
  'device.serial': 'serial',
  deviceid: 'deviceId',
  'device.id': 'deviceId',
  ts: 'ts',
  time: 'ts',
  timestamp: 'ts',
  key: 'key',
};

/** Columns of exports that imports ignore. */
const ignored = /^(id|_id|cursor|device\..*)$/;

/** Reads the header. Returns its faults instead if it has any; then no row is read. */
export const readRecordColumns = (cells: readonly string[], line: number): RecordColumns | ImportFault[] => {
  const found: Partial<Record<Known, number>> = {};
  const faults: ImportFault[] = [];
  const values: Target[] = [];
  const seen = new Set<string>();
  cells.forEach((cell, index) => {
    const name = cell.trim();
    const fault = (message: string) => faults.push({ line, column: index + 1, field: name.slice(0, 100), message });
    const field = known[name.toLowerCase()];
    if (field !== undefined) {
      if (found[field] !== undefined) fault(`says the same as column ${found[field] + 1}`);
      else found[field] = index;
    } else if (!ignored.test(name)) {
      const path = (/^(data|metadata)\./.test(name) ? name : `data.${name}`).split('.');
      if (path.some((key) => key === '') || path.length > 10)
        fault('is not the name of a value, such as temperature or metadata.rssi');
      else if (seen.has(path.join('.'))) fault('is twice in the header');
      else values.push({ index, name, path: path as Target['path'] });
      seen.add(path.join('.'));
    }
  });
  const device = found.serial ?? found.deviceId;
  if (device === undefined)
    faults.push({ line, field: 'serial', message: 'There is no column "serial" (or "deviceId").' });
  if (found.ts === undefined)
    faults.push({ line, field: 'ts', message: 'There is no column "ts": past records say when.' });
  if (faults.length > 0) return faults;
  return {
    device: device!,
    isById: found.serial === undefined,
    ts: found.ts!,
    ...(found.key !== undefined && { key: found.key }),
    values,
  };
};

/** Matches a number as JSON writes it. */
export const numberPattern = /^-?(0|[1-9]\d{0,399})(\.\d{1,399})?([eE][+-]?\d{1,3})?$/;
/** Matches a number with a decimal comma. */
export const decimalComma = /^[+-]?\d{1,30},\d{1,30}$/;
const isoTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})$/;
const zoneless = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?$/;

/** Reads a timestamp as Unix seconds. Returns a message if it is not valid. */
export const readTime = (text: string): number | string => {
  if (numberPattern.test(text)) {
    const value = Number(text);
    return value >= 1e11 ? value / 1000 : value;
  }
  if (isoTime.test(text)) {
    const [, fraction] = /\.(\d+)/.exec(text) ?? [];
    const whole = Date.parse(text.replace(' ', 'T').replace(/\s/, '').replace(/\.\d+/, ''));
    if (!Number.isNaN(whole)) return whole / 1000 + (fraction === undefined ? 0 : Number(`0.${fraction}`));
  }
  if (decimalComma.test(text)) return `${text} has a decimal comma: write ${text.replace(',', '.')}`;
  if (zoneless.test(text))
    return 'has no time zone: write it with its offset, such as 2026-11-20T12:00:00+01:00, or with Z for UTC';
  return 'must be Unix seconds, or a time such as 2026-11-20T12:00:00Z';
};
