import { parseFailure, parsing } from '../failure.js';
import type { Input } from './input.js';
import { isNumber, kindOf, number, scalarText } from './value.js';

const alphabet = '0123456789bcdefghjkmnpqrstuvwxyz';

/** A place on Earth in degrees. */
interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** Reads a place: `{lat, lon}`, `[lon, lat]`, `"lat,lon"`, `"POINT (lon lat)"`, or a geohash (its middle). */
export const geoPoint = (input: Input): Point => {
  if (input.isObject) return ofObject(input);
  if (input.isArray) return ofArray(input);
  const text = scalarText(input);
  if (text === undefined) throw parseFailure('geo_point expected', input);
  const wkt = /^\s*POINT\s*\(\s*(\S+)\s+(\S+)\s*\)\s*$/i.exec(text);
  if (wkt !== null) return checked({ lon: Number(wkt[1]), lat: Number(wkt[2]) }, input);
  if (!text.includes(',')) return center(geohashBox(text, input));
  const [lat, lon] = text.split(',').map((part) => part.trim());
  if (lat === undefined || lon === undefined || !isNumber(lat) || !isNumber(lon)) {
    throw parseFailure(`failed to parse [${text}], expected 2 or 3 coordinates`, input);
  }
  return checked({ lat: Number(lat), lon: Number(lon) }, input);
};

const ofObject = (input: Input): Point => {
  const [lat, lon] = [input.get('lat'), input.get('lon')];
  const unknown = input.members().find(({ key }) => key !== 'lat' && key !== 'lon');
  if (unknown !== undefined) throw parseFailure('field must be either [lat], [lon] or [geohash]', unknown.place);
  if (lat === undefined) throw parseFailure('field [lat] missing', input);
  if (lon === undefined) throw parseFailure('field [lon] missing', input);
  return checked({ lat: number(lat), lon: number(lon) }, input);
};

const ofArray = (input: Input): Point => {
  const [lon, lat] = input.items();
  if (lon === undefined || lat === undefined) throw parsing(`geo_point expected, found [${kindOf(input)}]`, input);
  return checked({ lon: number(lon), lat: number(lat) }, input);
};

const checked = ({ lat, lon }: Point, input: Input): Point => {
  if (!(Math.abs(lat) <= 90)) throw parseFailure(`illegal latitude value [${lat}]`, input);
  if (!(Math.abs(lon) <= 180)) throw parseFailure(`illegal longitude value [${lon}]`, input);
  return { lat, lon };
};

/** The box that a geohash names. */
export const geohashBox = (hash: string, input: Input): { northWest: Point; southEast: Point } => {
  let [south, north, west, east] = [-90, 90, -180, 180];
  let even = true;
  for (const letter of hash.toLowerCase()) {
    const bits = alphabet.indexOf(letter);
    if (bits < 0) throw parseFailure(`unsupported symbol [${letter}] in geohash [${hash}]`, input);
    for (let bit = 16; bit >= 1; bit /= 2) {
      const upper = Math.floor(bits / bit) % 2 === 1;
      if (even) [west, east] = upper ? [(west + east) / 2, east] : [west, (west + east) / 2];
      else [south, north] = upper ? [(south + north) / 2, north] : [south, (south + north) / 2];
      even = !even;
    }
  }
  return { northWest: { lat: north, lon: west }, southEast: { lat: south, lon: east } };
};

const center = ({ northWest, southEast }: { northWest: Point; southEast: Point }): Point => ({
  lat: (northWest.lat + southEast.lat) / 2,
  lon: (northWest.lon + southEast.lon) / 2,
});
