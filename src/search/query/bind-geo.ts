import { queryShard } from '../failure.js';
import type { Field } from '../field/field.js';
import type { Input } from '../syntax/input.js';
import { type Binding, known } from './binding.js';
import { none, type Predicate } from './predicate.js';
import type { GeoBoxQuery, GeoDistanceQuery } from './query.js';

export const bindGeoDistance = (
  { field, center, metres, ignoreUnmapped, at }: GeoDistanceQuery,
  { fields }: Binding,
): Predicate => {
  const place = placeOf(known(fields, field, at), field, ignoreUnmapped, at);
  return place === undefined ? none : { kind: 'near', field: place, center, metres };
};

export const bindGeoBox = (
  { field, northWest, southEast, ignoreUnmapped, at }: GeoBoxQuery,
  { fields }: Binding,
): Predicate => {
  const place = placeOf(known(fields, field, at), field, ignoreUnmapped, at);
  return place === undefined ? none : { kind: 'box', field: place, northWest, southEast };
};

const placeOf = (field: Field | undefined, path: string, ignoreUnmapped: boolean, at: Input): Field | undefined => {
  if (field?.kind === 'geo_point') return field;
  if (field !== undefined) throw queryShard(`field [${path}] is not a geo_point field`, at);
  if (ignoreUnmapped) return undefined;
  throw queryShard(`failed to find geo field [${path}]`, at);
};
