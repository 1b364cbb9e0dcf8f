import { illegalArgument, parseFailure, parsing, SearchFailure } from '../failure.js';
import { geohashBox, geoPoint, isOnEarth, type Point } from '../syntax/geo-point.js';
import type { Input } from '../syntax/input.js';
import { number, text, word } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { flattened, type ParseClause } from './clause.js';
import type { FieldClause } from './node.js';
import { invalid, options, placeOf, read } from './option/geo.js';
import { none, type Predicate } from './predicate.js';

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
