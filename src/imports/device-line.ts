import { undefused } from '#common/csv.js';
import type { Fault } from '#common/errors.js';
import type { AttributeValue } from '#entities/attribute.js';
import type { ImportFault } from '#entities/file-import.js';
import { serialKey } from '#entities/serial.js';
import { argumentFaults } from '#schema/arguments.js';
import { readDecimalComma } from './cell-number.js';
import type { CsvRow } from './csv.js';
import type { CsvHeader } from './csv-step.js';

/** A device as a line describes it. An absent value leaves the stored one as it is; `null` clears it. */
export interface DeviceLine {
  line: number;
  /** Serial as written in the file. */
  serial: string;
  /** Normalized serial, by which serials are compared. */
  serialKey: string;
  name?: string | null;
  tags?: string[] | null;
  location?: { lat: number; lon: number } | null;
  /** Name or identifier. */
  product?: string | null;
  /** Name, key or identifier. */
  site?: string | null;
  /** Names or identifiers. */
  applications: string[];
  /** Values of attributes by name. */
  attributes?: Readonly<Record<string, AttributeValue | null>> | null;
  /** Columns of the values in the file, for faults. */
  columns: Columns;
}

type Field =
  | 'serial'
  | 'name'
  | 'product'
  | 'site'
  | 'tags'
  | 'location'
  | 'lat'
  | 'lon'
  | 'attributes'
  | 'application';

/** Indices of a file's columns by their content, from 0. */
export type Columns = Partial<Record<Field, number>>;

/** Accepted names of columns, in lower case. */
const names: Readonly<Record<string, Field>> = {
  serial: 'serial',
  name: 'name',
  product: 'product',
  'product.id': 'product',
  productid: 'product',
  site: 'site',
  'site.id': 'site',
  siteid: 'site',
  tags: 'tags',
  attributes: 'attributes',
  location: 'location',
  lat: 'lat',
  latitude: 'lat',
  'location.lat': 'lat',
  lon: 'lon',
  lng: 'lon',
  longitude: 'lon',
  'location.lon': 'lon',
  application: 'application',
  applications: 'application',
};

/** Columns of exported lists that imports ignore. */
const ignored = new Set(['id', 'organizationid', 'slug', 'applicationcount', 'createdat', 'updatedat', 'cursor']);

/** Reads the header. Returns its faults instead if it has any; then no row is read. */
export const readColumns = (cells: readonly string[], line: number): Columns | ImportFault[] => {
  const columns: Columns = {};
  const faults: ImportFault[] = [];
  cells.forEach((cell, index) => {
    const name = cell.trim().slice(0, 100);
    const field = names[name.toLowerCase()];
    const fault = (message: string) => faults.push({ line, column: index + 1, field: name, message });
    if (field === undefined) {
      // pandas writes its index as a first column without a name.
      if (!ignored.has(name.toLowerCase()) && !(index === 0 && name === ''))
        fault(`is not a column of devices; columns are ${known}`);
    } else if (columns[field] !== undefined) fault(`repeats column ${columns[field] + 1}`);
    else columns[field] = index;
  });
  if (columns.serial === undefined && faults.length === 0)
    faults.push({ line, field: 'serial', message: `There is no column "serial"; columns are ${known}.` });
  if ((columns.lat === undefined) !== (columns.lon === undefined))
    faults.push({ line, field: 'location', message: 'A location needs both columns, lat and lon.' });
  if (columns.location !== undefined && columns.lat !== undefined)
    faults.push({ line, column: columns.location + 1, field: 'location', message: 'repeats lat and lon' });
  return faults.length > 0 ? faults : columns;
};

const known = 'serial, name, product, site, tags, location (or lat and lon), attributes, application';

/** Separates the tags, and the applications, of one cell. */
const listSeparator = /[;|]/;

const decimal = /^[+-]?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i;

/** Reads a row. Returns its faults instead if it has any. */
export const readLine = (
  { line, cells, quoted }: CsvRow,
  { columns, width, delimiter }: CsvHeader<Columns>,
  { clearEmpty }: { clearEmpty: boolean },
): DeviceLine | ImportFault[] => {
  if (cells.length !== width) return [{ line, message: widthFault(cells.length, width) }];
  const faults: ImportFault[] = [];
  const cell = (field: Field) => (columns[field] === undefined ? undefined : cells[columns[field]]!.trim());
  // Exports quote a name with white space at its ends.
  const isQuotedName = columns.name !== undefined && quoted?.has(columns.name) === true;
  const fault = (field: Field, message: string) => {
    const column = columns[field];
    faults.push({ line, ...(column !== undefined && { column: column + 1 }), field, message });
  };
  /** Reads a cell. Undefined leaves the stored value as it is; null clears it. */
  const value = <Value>(field: Field, read: (text: string) => Value): Value | null | undefined => {
    const text = cell(field);
    if (text === undefined) return undefined;
    if (text === '') return clearEmpty ? null : undefined;
    return read(text);
  };
  const serial = cell('serial')!;
  if (serial === '') fault('serial', 'is missing');
  const values = {
    name: value('name', (text) => undefused(isQuotedName ? cells[columns.name!]! : text)),
    tags: value('tags', listOf),
    location:
      columns.location === undefined
        ? placeOf(
            value('lat', (text) => coordinate(text, delimiter, (message) => fault('lat', message))),
            value('lon', (text) => coordinate(text, delimiter, (message) => fault('lon', message))),
          )
        : value('location', (text) => readPlace(text, delimiter, (message) => fault('location', message))),
  };
  if (columns.lat !== undefined && (cell('lat') === '') !== (cell('lon') === ''))
    fault(cell('lat') === '' ? 'lat' : 'lon', 'is missing: a location needs both');
  if (serial !== '')
    for (const { path, message } of argumentFaults('registerDevice', {
      organizationId: '',
      deviceSerial: serial,
      ...values,
    }))
      fault(...placeOfFault({ path, message }, columns));
  const attributes = value('attributes', (text) => readAttributes(text, (message) => fault('attributes', message)));
  if (faults.length > 0) return faults;
  return {
    line,
    serial,
    serialKey: serialKey(serial),
    ...values,
    product: value('product', undefused),
    site: value('site', undefused),
    applications: value('application', listOf) ?? [],
    attributes,
    columns,
  } as DeviceLine;
};

/** Reads attributes: a JSON object, as exports write it. */
const readAttributes = (text: string, fault: (message: string) => void): DeviceLine['attributes'] => {
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    sent = undefined;
  }
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    fault('must be a JSON object, such as {"line": 3}');
    return undefined;
  }
  const attributes = Object.entries(sent).map(([name, value]: [string, unknown]) => ({ name, value }));
  const faults = argumentFaults('setDeviceAttributes', { organizationId: '', deviceId: '', attributes });
  for (const { path, message } of attributes.length === 0 ? [] : faults)
    fault(`${attributes[Number(path.split('.')[1])]?.name ?? ''} ${message}`.trim());
  return sent as DeviceLine['attributes'];
};

const widthFault = (has: number, width: number): string =>
  `has ${has} cells, and the header has ${width}${has > width ? ': a cell with a separator in it (such as a decimal comma) needs quotes' : ''}`;

/** Splits a list at semicolons or bars. Accepts a JSON array of texts too, as exports write it. */
const listOf = (text: string): string[] => {
  const parts = jsonList(text) ?? text.split(listSeparator).map((each) => each.trim());
  return [...new Set(parts.filter((each) => each.trim() !== ''))];
};

const jsonList = (text: string): string[] | undefined => {
  if (!text.startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
};

type AddFault = (message: string) => void;

const coordinate = (text: string, delimiter: string, fault: AddFault): number | undefined => {
  const number = readDecimalComma(text, delimiter);
  if ('text' in number && decimal.test(number.text)) return Number(number.text);
  fault('fault' in number ? number.fault : 'must be a number of degrees, such as 59.8586');
  return undefined;
};

const placeOf = (lat: number | null | undefined, lon: number | null | undefined) => {
  if (lat === null && lon === null) return null;
  return typeof lat === 'number' && typeof lon === 'number' ? { lat, lon } : undefined;
};

/** Reads a location such as `59.86 17.64`, `59.86,17.64` or `59.86;17.64`. */
const readPlace = (text: string, delimiter: string, fault: AddFault) => {
  const parts = text.split(/[\s;]+/);
  // Where commas may be decimal, 59,86 is not two numbers.
  const number = readDecimalComma(text, delimiter);
  const isNumber = 'text' in number && number.text !== text;
  const [first = '', second = '', ...rest] = parts.length === 1 ? text.split(',') : parts;
  const lat = first.endsWith(',') ? first.slice(0, -1) : first;
  if (isNumber || second === '' || rest.length > 0) {
    fault('must be latitude and longitude in degrees, such as 59.8586 17.6389');
    return undefined;
  }
  const latitude = coordinate(lat, delimiter, fault);
  return latitude === undefined ? undefined : placeOf(latitude, coordinate(second, delimiter, fault));
};

/** Maps the path of a fault to a column of the file. */
const placeOfFault = ({ path, message }: Fault, columns: Columns): [Field, string] => {
  const [first, second] = path.split('.');
  if (first === 'deviceSerial') return ['serial', message];
  if (first === 'location' && columns.location === undefined && (second === 'lat' || second === 'lon'))
    return [second, message];
  return [first as Field, message];
};
