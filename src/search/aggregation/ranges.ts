import { strict } from '../query/clause.js';
import { distanceOf } from '../query/geo-clause.js';
import { illegalArgument, parsing, WrongKind } from '../search-failure.js';
import { type Point, pointOf } from '../syntax/geo-point.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import {
  flag,
  ignored,
  inNumbers,
  kindOf,
  listOf,
  number,
  objectsOf,
  oneOf,
  optionalString,
  type Read,
  scalar,
  string,
  text,
} from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import { zoneText } from './option/time-interval.js';
import { fieldOptions, unformatted, valueSource } from './option/value-source.js';

/** One bucket of a range aggregation. `from` is included, `to` is excluded. */
export interface RangeItem {
  readonly key?: string;
  readonly from?: Input;
  readonly to?: Input;
}

/** A bucket for each range of a field's values. */
export interface RangeAggregation extends Node<'range' | 'date_range'>, FieldOptions {
  readonly ranges: readonly RangeItem[];
  readonly keyed: boolean;
  readonly timeZone?: Input;
}

/** Parses an end of a range: a number, a text, or null. */
const end: Read<Input> = (input) => {
  const { node } = input;
  if (node.kind === 'literal' && node.value !== null)
    throw new WrongKind(`[${input.key}] must be a number or a text`, input, kindOf(input));
  return scalar(input);
};

/** Parses the name of a range: a text or a number. */
const rangeKey: Read<string> = (input) => {
  if (input.node.kind === 'literal') throw new WrongKind('[key] must be a number or a text', input, kindOf(input));
  return text(input);
};

const rangeItem: Read<RangeItem> = (input) => {
  const {
    key,
    from,
    to,
    mask: _,
  } = object('range', {
    key: rangeKey,
    from: end,
    to: end,
    from_as_string: ignored,
    to_as_string: ignored,
    mask: ignored,
  })(input);
  return { ...(key !== undefined && { key }), ...(from && !from.isNull && { from }), ...(to && !to.isNull && { to }) };
};

/** Creates the parser of ranges of a field's values. */
const rangesOver =
  (kind: 'range' | 'date_range'): ParseAggregation<RangeAggregation> =>
  (at, frame) => {
    const options = object(kind, { ...valueSource, ranges: objectsOf(rangeItem), keyed: flag, time_zone: zoneText })(
      at,
    );
    if ((options.ranges ?? []).length === 0)
      throw illegalArgument(`No [ranges] specified for the [${frame.name}] aggregation`, at);
    return {
      kind,
      ...aggregationBase(frame, at),
      ...fieldOptions(options, at),
      ranges: options.ranges!,
      keyed: options.keyed ?? false,
      ...(options.time_zone && { timeZone: options.time_zone }),
    };
  };

export const range = rangesOver('range');

export const dateRange = rangesOver('date_range');

/** A bucket for each range of distances from a location. */
export interface GeoDistanceAggregation extends Node<'geo_distance'>, FieldOptions {
  readonly ranges: readonly RangeItem[];
  readonly keyed: boolean;
  readonly origin: Point;
  /** Metres of the unit of the ranges. */
  readonly unitMetres: number;
}

export const geoDistance: ParseAggregation<GeoDistanceAggregation> = (at, frame) => {
  const options = object('geo_distance', {
    ...unformatted,
    origin: place,
    point: place,
    center: place,
    ranges: distances,
    unit: string,
    distance_type: oneOf('arc', 'plane'),
    keyed: flag,
  })(at);
  const origin = options.origin ?? options.point ?? options.center;
  if (origin === undefined) throw illegalArgument('Aggregation [geo_distance] must define an [origin].', at);
  if ((options.ranges ?? []).length === 0)
    throw illegalArgument(`No [ranges] specified for the [${frame.name}] aggregation`, at);
  return {
    kind: 'geo_distance',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    origin,
    ranges: options.ranges!,
    keyed: options.keyed ?? false,
    unitMetres: distanceOf('1', at, options.unit ?? 'm'),
  };
};

const distances: Read<RangeItem[]> = (input) => {
  if (!input.isObject && !input.isArray) throw new WrongKind('[ranges] must be an array', input, kindOf(input));
  return listOf(distanceItem)(input);
};

/** The engines parse these by hand, so each wrong kind is refused with the same sentence. */
const distanceItem: Read<RangeItem> = (input) => {
  if (!input.isObject) throw parsing(`Failed to parse object: unexpected token [${kindOf(input)}] found`, input);
  const { key, from, to } = strict('geo_distance', { key: optionalString, from: end, to: end })(input);
  return { ...(key !== undefined && { key }), ...(from && !from.isNull && { from }), ...(to && !to.isNull && { to }) };
};

/** Parses a location as the engines do here, by hand: the numbers of an object's two keys, or a list's two numbers. */
const place: Read<Point> = (input) => {
  if (input.isObject) return placeOfObject(input);
  if (input.isArray) return placeOfList(input);
  if (input.node.kind !== 'string') throw new WrongKind(`[${input.key}] must be a place`, input, kindOf(input));
  return pointOf(input.node.text, input);
};

const placeOfObject = (input: Input): Point => {
  const inner = input.members().find(({ input: at }) => at.isObject);
  if (inner !== undefined) throw parsing(`[${inner.key}] of a geo point must be a number`, inner.input);
  const numbers = input.members().filter(({ input: at }) => at.node.kind === 'number');
  const [lat, lon] = ['lat', 'lon'].map((key) => numbers.findLast((one) => one.key === key));
  if (lat === undefined || lon === undefined)
    throw parsing(
      `malformed [${input.members().at(-1)?.key ?? null}] geo point object. either [lat] or [lon] (or both) are missing`,
      input,
    );
  return { lat: number(lat.input), lon: number(lon.input) };
};

/** Parses a list. With fewer than two numbers it is a location at an unknown distance from everything. */
const placeOfList = (input: Input): Point => {
  const items = input.items();
  const [lon = Number.NaN, lat = Number.NaN] = items.slice(0, 2).map(inNumbers);
  if (items.length > 2) throw parsing('malformed [origin]: a geo point array must be of the form [lon, lat]', input);
  return { lat, lon };
};
