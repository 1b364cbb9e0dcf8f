import { illegalArgument, parsing } from '../failure.js';
import { geohashBox, geoPoint } from '../syntax/geo-point.js';
import type { Entry, Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { anything, flag, ignored, number, text } from '../syntax/value.js';
import { common, type ParseQuery } from './clause.js';
import type { Point } from './predicate.js';

const unitMetres: Readonly<Record<string, number>> = {
  m: 1,
  meters: 1,
  km: 1000,
  kilometers: 1000,
  cm: 0.01,
  centimeters: 0.01,
  mm: 0.001,
  millimeters: 0.001,
  mi: 1609.344,
  miles: 1609.344,
  yd: 0.9144,
  yards: 0.9144,
  ft: 0.3048,
  feet: 0.3048,
  in: 0.0254,
  inch: 0.0254,
  nmi: 1852,
  nm: 1852,
  nauticalmiles: 1852,
};

/** A distance such as `12km` or `200` in metres. */
export const distanceOf = (value: string, at: Input, unit = 'm'): number => {
  const [, amount, given = unit] = /^\s*(-?[\d.]+(?:[eE][+-]?\d+)?)\s*([a-zA-Z]+)?\s*$/.exec(value) ?? [];
  const metres = Object.hasOwn(unitMetres, given.toLowerCase()) ? unitMetres[given.toLowerCase()] : undefined;
  if (amount === undefined || Number.isNaN(Number(amount)) || metres === undefined)
    throw illegalArgument(`failed to parse distance [${value}]`, at);
  return Number(amount) * metres;
};

/** What geo clauses may carry beside their field. */
const options = {
  validation_method: ignored,
  ignore_unmapped: flag,
  distance_type: ignored,
  unit: text,
  distance: text,
  type: ignored,
  ...common,
} as const;

const split = (name: string, at: Input) => {
  const isOption = ({ key }: Entry) => Object.hasOwn(options, key);
  const fields = at.members().filter((entry) => !isOption(entry));
  const [field, second] = fields;
  if (field === undefined) throw parsing(`[${name}] query must name a field`, at);
  if (second !== undefined)
    throw parsing(
      `[${name}] query doesn't support multiple fields, found [${field.key}] and [${second.key}]`,
      second.place,
    );
  const parsed = object(name, { ...options, [field.key]: anything })(at) as {
    [K in keyof typeof options]?: ReturnType<(typeof options)[K]>;
  };
  return { field, parsed };
};

export const geoDistance: ParseQuery = (at) => {
  const { field, parsed } = split('geo_distance', at);
  if (parsed.distance === undefined) throw parsing('geo_distance requires [distance] to be specified', at);
  const metres = distanceOf(parsed.distance, at, parsed.unit);
  if (metres <= 0) throw illegalArgument('distance must be greater than zero', at);
  return {
    kind: 'geo_distance',
    at,
    field: field.key,
    center: geoPoint(field.input),
    metres,
    ignoreUnmapped: parsed.ignore_unmapped ?? false,
  };
};

export const geoBoundingBox: ParseQuery = (at) => {
  const { field, parsed } = split('geo_bounding_box', at);
  const corners = object('bounding_box', {
    top_left: corner((box) => box.northWest),
    bottom_right: corner((box) => box.southEast),
    top_right: corner(({ northWest, southEast }) => ({ lat: northWest.lat, lon: southEast.lon })),
    bottom_left: corner(({ northWest, southEast }) => ({ lat: southEast.lat, lon: northWest.lon })),
    top: number,
    left: number,
    bottom: number,
    right: number,
    wkt: text,
  })(field.input);
  const box = corners.wkt === undefined ? cornersOf(corners) : envelopeOf(corners.wkt);
  if (box === undefined) throw parsing('failed to parse bounding box: its corners are incomplete', field.input);
  const [northWest, southEast] = box;
  if (northWest.lat < southEast.lat) {
    throw illegalArgument(`top is below bottom corner: ${northWest.lat} vs. ${southEast.lat}`, field.input);
  }
  if (northWest.lat === southEast.lat)
    throw illegalArgument(`top cannot be the same as bottom: ${northWest.lat} == ${southEast.lat}`, field.input);
  if (northWest.lon === southEast.lon)
    throw illegalArgument(`left cannot be the same as right: ${northWest.lon} == ${southEast.lon}`, field.input);
  return {
    kind: 'geo_bounding_box',
    at,
    field: field.key,
    northWest,
    southEast,
    ignoreUnmapped: parsed.ignore_unmapped ?? false,
  };
};

/** A corner of a box: of a geohash the corner of its own cell. */
const corner =
  (of: (cell: ReturnType<typeof geohashBox>) => Point) =>
  (input: Input): Point => {
    const hash = input.node.kind === 'string' && /^[0-9a-z]+$/i.test(input.node.text) ? input.node.text : undefined;
    return hash === undefined ? geoPoint(input) : of(geohashBox(hash, input));
  };

interface Corners {
  top_left?: Point;
  bottom_right?: Point;
  top_right?: Point;
  bottom_left?: Point;
  top?: number;
  left?: number;
  bottom?: number;
  right?: number;
}

const cornersOf = (corners: Corners): [Point, Point] | undefined => {
  const north = corners.top_left?.lat ?? corners.top_right?.lat ?? corners.top;
  const west = corners.top_left?.lon ?? corners.bottom_left?.lon ?? corners.left;
  const south = corners.bottom_right?.lat ?? corners.bottom_left?.lat ?? corners.bottom;
  const east = corners.bottom_right?.lon ?? corners.top_right?.lon ?? corners.right;
  if (north === undefined || west === undefined || south === undefined || east === undefined) return undefined;
  return [
    { lat: north, lon: west },
    { lat: south, lon: east },
  ];
};

/** `BBOX (west, east, north, south)`, also called ENVELOPE. */
const envelopeOf = (wkt: string): [Point, Point] | undefined => {
  const [, west, east, north, south] =
    /^\s*(?:BBOX|ENVELOPE)\s*\(\s*([^\s,]+)\s*,\s*([^\s,]+)\s*,\s*([^\s,]+)\s*,\s*([^\s,)]+)\s*\)\s*$/i.exec(wkt) ?? [];
  const box: [Point, Point] = [
    { lat: Number(north), lon: Number(west) },
    { lat: Number(south), lon: Number(east) },
  ];
  return box.every(({ lat, lon }) => Number.isFinite(lat) && Number.isFinite(lon)) ? box : undefined;
};
