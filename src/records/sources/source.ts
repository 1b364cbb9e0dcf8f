import { invalid, malformed } from '#common/errors.js';
import type { PlainJson } from '#json/json.js';
import type { Item, PlainObject } from '../item.js';

/**
 * Reads the body of a network server. Returns no items for events that store nothing.
 * @param onSerial called with the serial as soon as it is read, so that the log can name the device if the rest is
 * refused
 */
export type ReadSource = (body: PlainJson, onSerial?: (serial: string) => void) => Item[];

/** Whether a value is an object (neither array nor null). */
export const isObject = (value: PlainJson | undefined): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the body, which must be an object.
 * @throws ApiError 400
 */
export const objectBody = (body: PlainJson): PlainObject => {
  if (!isObject(body)) throw malformed('The body must be a JSON object.');
  return body;
};

/** Returns a nested object, or an empty one. */
export const objectIn = (value: PlainJson | undefined): PlainObject => (isObject(value) ? value : {});

/** Returns a non-empty text. Templates of network servers write an absent value as `null`, sometimes quoted. */
export const textIn = (value: PlainJson | undefined): string | undefined =>
  typeof value === 'string' && value !== '' && value !== 'null' ? value : undefined;

/** Returns a number, which templates of network servers may send as text. */
export const numberIn = (value: PlainJson | undefined): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/**
 * Returns the required serial, whose `path` in the body errors name.
 * @throws ApiError 422
 */
export const serialIn = (
  value: PlainJson | undefined,
  path: string,
  onSerial: (serial: string) => void = () => {},
): string => {
  const serial = textIn(value);
  if (serial === undefined) throw invalid([{ path, message: 'The serial of the device is missing here.' }]);
  onSerial(serial);
  return serial;
};

/** Joins a path: `parent.name`, or the name alone at the top of a body. */
export const below = (parent: string, name: string): string => (parent === '' ? name : `${parent}.${name}`);

/**
 * Returns the bytes that were decoded from this encoding at a path of the body.
 * @throws ApiError 422 if decoding failed
 */
export const bytesIn = (bytes: Buffer | undefined, encoding: string, path: string): Buffer => {
  if (!bytes) throw invalid([{ path, message: `The payload is not ${encoding}.` }]);
  return bytes;
};

const year2000 = Date.UTC(2000, 0, 1) / 1000;

/**
 * Converts an RFC 3339 time, with up to nine digits of fraction, to Unix seconds. Returns undefined without a time, and
 * for times before 2000: simulated uplinks carry the year 0001.
 */
export const timeIn = (value: PlainJson | undefined): number | undefined => {
  const [, whole = '', fraction = '', zone = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?\d*(Z|[+-]\d\d:\d\d)$/i.exec(textIn(value) ?? '') ?? [];
  const seconds = Date.parse(`${whole}${zone}`) / 1000;
  return seconds >= year2000 ? seconds + Number(fraction) : undefined;
};

/** Returns the first valid time among several fields, as an item's time and the path for errors about it. */
export const timestampIn = (
  ...fields: readonly (readonly [path: string, value: PlainJson | undefined])[]
): Pick<Item, 'ts' | 'tsPath'> => {
  for (const [tsPath, value] of fields) {
    const ts = timeIn(value);
    if (ts !== undefined) return { ts, tsPath };
  }
  return {};
};

/** Returns a location in degrees, or undefined without one. These servers omit zeros. */
export const placeIn = (value: PlainJson | undefined): PlainObject | undefined => {
  const { latitude, longitude } = objectIn(value);
  if (latitude === undefined && longitude === undefined) return undefined;
  return { lat: numberIn(latitude) ?? 0, lon: numberIn(longitude) ?? 0 };
};

/** Returns the port as a stream number; none if it is missing or 0. */
export const portIn = (value: PlainJson | undefined): { streamId?: number } => {
  const port = numberIn(value);
  return port ? { streamId: port } : {};
};

/** Maximum nesting of a body. */
const deepest = 64;

/**
 * Replaces what PostgreSQL cannot store (NUL, lone surrogates) in keys and values, because the sender could not be
 * asked to send it again.
 */
export const storable = (value: PlainJson, depth = deepest): PlainJson => {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw malformed(`The body may nest at most ${deepest} deep.`);
  if (Array.isArray(value)) return value.map((inner) => storable(inner, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [storableText(key), storable(inner, depth - 1)]),
  );
};

const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
