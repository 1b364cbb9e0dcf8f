import { illegalArgument, parseFailure } from '../search-failure.js';
import type { Input } from './input.js';
import { isNumber } from './value.js';

const alphabet = '0123456789bcdefghjkmnpqrstuvwxyz';

/** A location on Earth in degrees. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

/**
 * Parses a location: `{lat, lon}`, `[lon, lat]`, `"lat,lon"`, `"POINT (lon lat)"`, or a geohash (its south-west corner,
 * as in the engines). The result may lie outside the range of coordinates.
 */
export const geoPoint = (input: Input): Point => {
  if (input.isObject) return ofObject(input);
  if (input.isArray) return ofArray(input);
  if (input.node.kind !== 'string') throw parseFailure('geo_point expected', input);
  return pointOf(input.node.text, input);
};

/** Parses the location of a text. */
export const pointOf = (text: string, input: Input): Point => {
  const wkt = /^\s*POINT\s*\(\s*(\S+)\s+(\S+)\s*\)\s*$/i.exec(text);
  if (wkt !== null) return { lon: Number(wkt[1]), lat: Number(wkt[2]) };
  if (!text.includes(',')) return southWest(geohashBox(text, input));
  const [lat, lon, height] = text.split(',').map((part) => part.trim());
  if (lat === undefined || lon === undefined || height !== undefined || !isNumber(lat) || !isNumber(lon)) {
    throw parseFailure(`failed to parse [${text}], expected 2 coordinates`, input);
  }
  return { lat: Number(lat), lon: Number(lon) };
};

/** Whether a location is within the range of coordinates. */
export const isOnEarth = ({ lat, lon }: Point): boolean => Math.abs(lat) <= 90 && Math.abs(lon) <= 180;

const ofObject = (input: Input): Point => {
  const unknown = input.members().find(({ key }) => key !== 'lat' && key !== 'lon');
  if (unknown !== undefined) throw parseFailure('field must be either [lat], [lon] or [geohash]', unknown.place);
  return { lat: degrees(input, 'lat'), lon: degrees(input, 'lon') };
};

const degrees = (input: Input, key: 'lat' | 'lon'): number => {
  const value = input.get(key);
  if (value === undefined) throw parseFailure(`field [${key}] missing`, input);
  const { node } = value;
  if (node.kind !== 'number' && node.kind !== 'string') throw parseFailure(`${key} must be a number`, value);
  if (!isNumber(node.text)) throw parseFailure('[lon] and [lat] must be valid double values', value);
  return Number(node.text);
};

const ofArray = (input: Input): Point => {
  const numbers = input.items().map((item) => {
    if (item.node.kind !== 'number') throw parseFailure('numeric value expected', item);
    return Number(item.node.text);
  });
  const [lon, lat] = numbers;
  if (lon === undefined || lat === undefined)
    throw parseFailure('[geo_point] field type should have at least two dimensions', input);
  if (numbers.length > 2)
    throw parseFailure(
      `Exception parsing coordinates: found Z value [${numbers[2]}] but [ignore_z_value] parameter is [false]`,
      input,
    );
  return { lat, lon };
};

/** Returns the box of a geohash. */
export const geohashBox = (hash: string, input: Input): { northWest: Point; southEast: Point } => {
  let [south, north, west, east] = [-90, 90, -180, 180];
  let even = true;
  if (hash === '') throw illegalArgument('empty geohash', input);
  for (const letter of hash.toLowerCase()) {
    const bits = alphabet.indexOf(letter);
    if (bits < 0) throw illegalArgument(`unsupported symbol [${letter}] in geohash [${hash}]`, input);
    for (let bit = 16; bit >= 1; bit /= 2) {
      const upper = Math.floor(bits / bit) % 2 === 1;
      if (even) [west, east] = upper ? [(west + east) / 2, east] : [west, (west + east) / 2];
      else [south, north] = upper ? [(south + north) / 2, north] : [south, (south + north) / 2];
      even = !even;
    }
  }
  return { northWest: { lat: north, lon: west }, southEast: { lat: south, lon: east } };
};

const southWest = ({ northWest, southEast }: { northWest: Point; southEast: Point }): Point => ({
  lat: southEast.lat,
  lon: northWest.lon,
});
