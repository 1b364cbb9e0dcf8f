import type { Field } from '../field/field.js';
import { illegalArgument, numberFormat, parseFailure, parsing, queryShard, SearchFailure } from '../search-failure.js';
import { geohashBox, geoPoint, isOnEarth, type Point, pointOf } from '../syntax/geo-point.js';
import type { Input } from '../syntax/input.js';
import { byHand, flag, number, type Read, scalarText, text, word } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { flattened, type ParseClause, unchecked } from './clause.js';
import type { FieldClause } from './clause-node.js';
import { none, type Predicate } from './predicate.js';

/** Options of geo clauses beside their field. */
const options = {
  ...unchecked,
  validation_method: word('coerce', 'ignore_malformed', 'strict'),
  ignore_unmapped: flag,
} as const;

const read = <T>(by: Read<T>, input: Input): T => byHand(by)(input);

const invalid = (reason: string, at: Input) =>
  new SearchFailure(400, 'query_validation_exception', `Validation Failed: 1: ${reason};`, at);

const placeOf = (field: Field | undefined, path: string, ignoreUnmapped: boolean, at: Input): Field | undefined => {
  if (field?.kind === 'geo_point') return field;
  if (field !== undefined) throw queryShard(`field [${path}] is not a geo_point field`, at);
  if (ignoreUnmapped) return undefined;
  throw queryShard(`failed to find geo field [${path}]`, at);
};

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

/** Returns the metres of a unit. */
const metresOf = (unit: string, at: Input): number => {
  const name = unit.toLowerCase();
  if (!Object.hasOwn(unitMetres, name)) throw illegalArgument(`No distance unit match [${unit}]`, at);
  return unitMetres[name]!;
};

/** Converts a distance such as `12km` or `200` to metres. */
export const distanceOf = (value: string, at: Input, unit = 'm'): number => {
  if (value === '') throw illegalArgument('distance must not be null or empty', at);
  const [, amount, given = unit] = /^\s*(-?[\d.]+(?:[eE][+-]?\d+)?)\s*(?:([a-zA-Z]+)\s*)?$/.exec(value) ?? [];
  const isUnit = Object.hasOwn(unitMetres, given.toLowerCase());
  if (amount === undefined || Number.isNaN(Number(amount)) || !isUnit)
    throw illegalArgument(`failed to parse distance [${value}]`, at, numberFormat(value));
  return Number(amount) * metresOf(given, at);
};

export interface GeoBoxQuery extends FieldClause<'geo_bounding_box'> {
  readonly northWest: Point;
  readonly southEast: Point;
  readonly ignoreUnmapped: boolean;
}

export const geoBoundingBox: ParseClause<GeoBoxQuery> = (at) => {
  const keys = { ...options, type: word('memory', 'indexed') } as const;
  let box: { field: string; sides: Sides } | undefined;
  let ignoreUnmapped = false;
  for (const { key, input } of flattened(at)) {
    if (input.isObject) box = { field: key, sides: sidesOf(input) };
    else if (!Object.hasOwn(keys, key))
      throw parsing(`failed to parse [geo_bounding_box] query. unexpected field [${key}]`, input);
    else {
      const value = read<unknown>(keys[key as keyof typeof keys], input);
      if (key === 'ignore_unmapped') ignoreUnmapped = value === true;
    }
  }
  if (box === undefined) throw parseFailure('failed to parse [geo_bounding_box] query. bounding box not provided', at);
  const { field, sides } = box;
  const { top, left, bottom, right } = sides;
  const open = Object.entries(sides).find(([, side]) => Number.isNaN(side));
  if (open !== undefined) throw illegalArgument(`${open[0]} is invalid: NaN`, at);
  if (top < bottom) throw illegalArgument(`top is below bottom corner: ${top} vs. ${bottom}`, at);
  if (top === bottom) throw illegalArgument(`top cannot be the same as bottom: ${top} == ${bottom}`, at);
  if (left === right) throw illegalArgument(`left cannot be the same as right: ${left} == ${right}`, at);
  const [northWest, southEast] = [
    { lat: top, lon: left },
    { lat: bottom, lon: right },
  ];
  if (!isOnEarth(northWest) || !isOnEarth(southEast)) throw invalid('[geo_bounding_box] a corner is off the map', at);
  return { kind: 'geo_bounding_box', at, field, northWest, southEast, ignoreUnmapped };
};

interface Sides {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** Parses the sides of a box; missing ones are NaN. Every fault is reported as one of the box. */
const sidesOf = (input: Input): Sides => {
  const sides: Sides = { top: Number.NaN, left: Number.NaN, bottom: Number.NaN, right: Number.NaN };
  const corner = (at: Input) => {
    const hash = at.node.kind === 'string' && /^[0-9a-z]*$/i.test(at.node.text) ? at.node.text : undefined;
    if (hash !== undefined) return geohashBox(hash, at);
    const point = geoPoint(at);
    return { northWest: point, southEast: point };
  };
  for (const { key, input: at } of input.members()) {
    try {
      if (key === 'wkt') Object.assign(sides, envelopeOf(at));
      else if (key === 'top' || key === 'left' || key === 'bottom' || key === 'right') sides[key] = number(at);
      else if (/^(?:top|bottom)_(?:left|right)$/.test(key)) {
        const { northWest, southEast } = corner(at);
        if (key.startsWith('top')) sides.top = northWest.lat;
        else sides.bottom = southEast.lat;
        if (key.endsWith('left')) sides.left = northWest.lon;
        else sides.right = southEast.lon;
      } else throw parseFailure(`failed to parse bounding box. unexpected field [${key}]`, at);
    } catch (error) {
      if (!(error instanceof SearchFailure)) throw error;
      throw parseFailure(`failed to parse [geo_bounding_box] query. [${error.reason}]`, at);
    }
  }
  return sides;
};

/** Parses `BBOX (west, east, north, south)`, also called ENVELOPE. */
const envelopeOf = (at: Input): Sides => {
  const [, ...parts] =
    /^\s*(?:BBOX|ENVELOPE)\s*\(\s*([^\s,]+)\s*,\s*([^\s,]+)\s*,\s*([^\s,]+)\s*,\s*([^\s,)]+)\s*\)\s*$/i.exec(
      text(at),
    ) ?? [];
  const [left, right, top, bottom] = parts.map(Number).filter(Number.isFinite);
  if (left === undefined || right === undefined || top === undefined || bottom === undefined)
    throw parseFailure('failed to parse WKT bounding box', at);
  return { top, left, bottom, right };
};

export const bindGeoBox = (
  { field, northWest, southEast, ignoreUnmapped, at }: GeoBoxQuery,
  { fields }: Binding,
): Predicate => {
  const place = placeOf(findField(fields, field, at), field, ignoreUnmapped, at);
  return place === undefined ? none : { kind: 'box', field: place, northWest, southEast };
};

export interface GeoDistanceQuery extends FieldClause<'geo_distance'> {
  readonly center: Point;
  readonly metres: number;
  readonly ignoreUnmapped: boolean;
}

const distance: Read<string> = (input) => (input.node.kind === 'string' ? input.node.text : `${number(input)}`);

/** Parses the clause. An array, an object, or a key that is no option is the location; `null` counts as absent. */
export const geoDistance: ParseClause<GeoDistanceQuery> = (at) => {
  const keys = { ...options, distance, unit, distance_type: word('arc', 'plane') } as const;
  const given: Partial<Record<string, unknown>> = {};
  let field: string | undefined;
  let center: Point | undefined;
  for (const { key, input } of at.members()) {
    if (input.isNull) continue;
    if (input.isArray) [field, center] = [key, geoPoint(input)];
    else if (input.isObject) {
      if (field !== undefined)
        throw parsing(`[geo_distance] query doesn't support multiple fields, found [${field}] and [${key}]`, input);
      [field, center] = [key, degreesOf(key, input)];
    } else if (Object.hasOwn(keys, key)) given[key] = read<unknown>(keys[key as keyof typeof keys], input);
    else if (field === undefined) [field, center] = [key, pointOf(scalarText(input)!, input)];
    else throw parsing(`failed to parse [geo_distance] query. unexpected field [${key}]`, input);
  }
  if (given['distance'] === undefined) throw parsing("geo_distance requires 'distance' to be specified", at);
  if (field === undefined || center === undefined || field === '')
    throw illegalArgument('fieldName must not be null or empty', at);
  const metres = distanceOf(given['distance'] as string, at, given['unit'] as string | undefined);
  if (metres <= 0) throw illegalArgument('distance must be greater than zero', at);
  if (!isOnEarth(center)) throw invalid(`[geo_distance] center point is invalid: ${center.lat}, ${center.lon}`, at);
  return { kind: 'geo_distance', at, field, center, metres, ignoreUnmapped: given['ignore_unmapped'] === true };
};

const unit: Read<string> = (input) => {
  const name = text(input);
  metresOf(name, input);
  return name;
};

/** Parses a location as `geo_distance` does: missing coordinates are reported once everything is read. */
const degreesOf = (field: string, input: Input): Point => {
  const found = { lat: Number.NaN, lon: Number.NaN };
  for (const { key, input: at } of flattened(input)) {
    if (at.isObject || (key !== 'lat' && key !== 'lon'))
      throw parsing(`[geo_distance] query does not support [${field}]`, at);
    found[key] = read(number, at);
  }
  return found;
};

export const bindGeoDistance = (
  { field, center, metres, ignoreUnmapped, at }: GeoDistanceQuery,
  { fields }: Binding,
): Predicate => {
  const place = placeOf(findField(fields, field, at), field, ignoreUnmapped, at);
  return place === undefined ? none : { kind: 'near', field: place, center, metres };
};
