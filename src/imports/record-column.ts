import type { ImportFault } from '#entities/file-import.js';
import { isExportHeader } from './exported-column.js';

/*
 * Columns of files of records. The process that reads Parquet loads this file too, so it imports nothing that takes
 * long to load.
 */

/** Destination of a column: `data.temperature` has the path `['data', 'temperature']`, all of `data` has `['data']`. */
interface Target {
  index: number;
  name: string;
  path: [field: 'data' | 'metadata' | 'frame', ...keys: string[]];
}

/** Indices of the columns of a file of records, from 0. */
export interface RecordColumns {
  device: number;
  /** Whether devices are named by identifier, as opposed to serial. */
  isById: boolean;
  ts: number;
  key?: number;
  values: Target[];
  /** Whether it is a file that an export wrote. */
  isExport?: boolean;
  /** Columns of an exported Parquet file that hold JSON as text. */
  json?: number[];
  /** Columns of an exported Parquet file that hold values of text variables. */
  texts?: number[];
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

/** Maximum number of names in a path. */
const deepest = 10;

/** Reads the header. Returns its faults instead if it has any; then no row is read. */
export const readRecordColumns = (cells: readonly string[], line: number): RecordColumns | ImportFault[] => {
  const isExport = isExportHeader(cells);
  const found: Partial<Record<Known, number>> = {};
  const faults: ImportFault[] = [];
  const values: Target[] = [];
  const seen = new Set<string>();
  cells.forEach((cell, index) => {
    const name = cell.trim();
    const fault = (message: string) => faults.push({ line, column: index + 1, field: name.slice(0, 100), message });
    const field = isExport && name === 'device' ? 'serial' : known[name.toLowerCase()];
    if (field !== undefined) {
      if (found[field] === undefined) found[field] = index;
      else if (!isExport) fault(`repeats column ${found[field] + 1}`);
    } else if (!ignored.test(name) && !(index === 0 && name === '')) {
      // pandas writes its index as a first column without a name.
      const path = isExport ? exportedPath(cell) : pathOf(name);
      if (!isExport && /[\r\n]/.test(name)) fault('holds a line break: end lines with LF or CRLF, not with CR alone');
      else if (path === undefined) fault('is not the name of a value, such as temperature or metadata.rssi');
      else if (!seen.has(path.join('.'))) values.push({ index, name, path });
      else if (!isExport) fault('occurs twice in the header');
      seen.add(path?.join('.') ?? name);
    }
  });
  const device = found.serial ?? found.deviceId;
  if (device === undefined)
    faults.push({ line, field: 'serial', message: 'There is no column "serial" (or "deviceId").' });
  if (found.ts === undefined)
    faults.push({ line, field: 'ts', message: 'There is no column "ts": a past record needs its time.' });
  if (faults.length > 0) return faults;
  return {
    device: device!,
    isById: found.serial === undefined,
    ts: found.ts!,
    ...(found.key !== undefined && { key: found.key }),
    ...(isExport ? { isExport, values: inOrder(values) } : { values }),
  };
};

/** Returns the names of values whose dots make objects, unless a product declares a variable of that name. */
export const dottedIn = ({ values }: RecordColumns): string[] =>
  values.flatMap(({ path: [root, ...keys] }) => (root === 'data' && keys.length > 1 ? keys.join('.') : []));

const pathOf = (name: string, roots = /^(data|metadata)\./): Target['path'] | undefined => {
  const path = (roots.test(name) ? name : `data.${name}`).split('.');
  return path.some((key) => key === '') || path.length > deepest ? undefined : (path as Target['path']);
};

const roots = /^(data|metadata|frame)\./;

/** Returns the path of an export's column. Names that make no path are one key. */
const exportedPath = (name: string): Target['path'] | undefined => {
  if (/^(data|metadata|frame)$/.test(name)) return [name] as string[] as Target['path'];
  const [root, key] = [name.split('.', 1)[0]!, name.slice(name.indexOf('.') + 1)];
  return pathOf(name, roots) ?? (roots.test(name) ? ([root, key] as string[] as Target['path']) : undefined);
};

/** Leaves out what a column of a whole object holds too. Outer values come first, so that inner ones find their room. */
const inOrder = (values: readonly Target[]): Target[] => {
  const whole = new Set(values.flatMap(({ path }) => (path.length === 1 ? path : [])));
  return values
    .filter(({ path }) => path.length === 1 || !whole.has(path[0]))
    .toSorted((one, other) => one.path.length - other.path.length);
};
