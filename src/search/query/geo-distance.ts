import { illegalArgument, parsing } from '../failure.js';
import { geoPoint, isOnEarth, type Point, pointOf } from '../syntax/geo-point.js';
import type { Input } from '../syntax/input.js';
import { number, type Read, scalarText, text, word } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { flattened, type ParseClause } from './clause.js';
import type { FieldClause } from './node.js';
import { distanceOf, metresOf } from './option/distance.js';
import { invalid, options, placeOf, read } from './option/geo.js';
import { none, type Predicate } from './predicate.js';

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
