import { illegalArgument, parsing, WrongKind } from '../failure.js';
import { flattened, strict } from '../query/clause.js';
import { distanceOf } from '../query/geo.js';
import { parseQuery } from '../query/parse.js';
import { type Point, pointOf } from '../syntax/geo-point.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import {
  anything,
  atLeast,
  flag,
  ignored,
  inNumbers,
  integer,
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
import type { RangeItem } from './aggregation.js';
import { framed, type ParseAggregation } from './frame.js';
import { composite } from './parse-composite.js';
import { zoneText } from './parse-interval.js';
import { fieldOptions, valueSource } from './value-source.js';

/** An end of a range: a number, a text, or none. */
const end: Read<Input> = (input) => {
  const { node } = input;
  if (node.kind === 'literal' && node.value !== null)
    throw new WrongKind(`[${input.key}] must be a number or a text`, input, kindOf(input));
  return scalar(input);
};

const rangeItem: Read<RangeItem> = (input) => {
  const {
    key,
    from,
    to,
    mask: _,
  } = object('range', {
    key: text,
    from: end,
    to: end,
    from_as_string: ignored,
    to_as_string: ignored,
    mask: ignored,
  })(input);
  return { ...(key !== undefined && { key }), ...(from && !from.isNull && { from }), ...(to && !to.isNull && { to }) };
};

const range =
  (kind: 'range' | 'date_range'): ParseAggregation =>
  (at, frame) => {
    const options = object(kind, { ...valueSource, ranges: objectsOf(rangeItem), keyed: flag, time_zone: zoneText })(
      at,
    );
    if ((options.ranges ?? []).length === 0)
      throw illegalArgument(`No [ranges] specified for the [${frame.name}] aggregation`, at);
    return {
      kind,
      ...framed(frame, at),
      ...fieldOptions(options, at),
      ranges: options.ranges!,
      keyed: options.keyed ?? false,
      ...(options.time_zone && { timeZone: options.time_zone }),
    };
  };

/** The engines read these by hand: each wrong kind is refused in one sentence. */
const distanceItem: Read<RangeItem> = (input) => {
  if (!input.isObject) throw parsing(`Failed to parse object: unexpected token [${kindOf(input)}] found`, input);
  const { key, from, to } = strict('geo_distance', { key: optionalString, from: end, to: end })(input);
  return { ...(key !== undefined && { key }), ...(from && !from.isNull && { from }), ...(to && !to.isNull && { to }) };
};

const distances: Read<RangeItem[]> = (input) => {
  if (!input.isObject && !input.isArray) throw new WrongKind('[ranges] must be an array', input, kindOf(input));
  return listOf(distanceItem)(input);
};

/** A place as the engines read it here, by hand: of an object the numbers of its two keys, of a list its two numbers. */
const place: Read<Point> = (input) => {
  if (input.isObject) return placeOfObject(input);
  if (input.isArray) return placeOfList(input);
  if (input.node.kind !== 'string') throw new WrongKind(`[${input.key}] must be a place`, input, kindOf(input));
  return pointOf(input.node.text, input);
};

const placeOfObject = (input: Input): Point => {
  const numbers = flattened(input).filter(({ input: at }) => at.node.kind === 'number');
  const [lat, lon] = ['lat', 'lon'].map((key) => numbers.findLast((one) => one.key === key));
  if (lat === undefined || lon === undefined)
    throw parsing(
      `malformed [${input.members().at(-1)?.key ?? null}] geo point object. either [lat] or [lon] (or both) are missing`,
      input,
    );
  return { lat: number(lat.input), lon: number(lon.input) };
};

/** A list of less than two numbers is a place from which no distance is known. */
const placeOfList = (input: Input): Point => {
  const [lon = Number.NaN, lat = Number.NaN, ...rest] = input.items().map(inNumbers);
  if (rest.length > 0) throw parsing('malformed [origin]: a geo point array must be of the form [lon, lat]', input);
  return { lat, lon };
};

const geoDistance: ParseAggregation = (at, frame) => {
  const options = object('geo_distance', {
    ...valueSource,
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
    ...framed(frame, at),
    ...fieldOptions(options, at),
    origin,
    ranges: options.ranges!,
    keyed: options.keyed ?? false,
    unitMetres: distanceOf('1', at, options.unit ?? 'm'),
  };
};

const grid =
  (kind: 'geohash_grid' | 'geotile_grid', precisionByDefault: number, least: number, most: number): ParseAggregation =>
  (at, frame) => {
    const options = object(kind, {
      ...valueSource,
      precision: integer,
      size: atLeast(1),
      shard_size: atLeast(1),
      bounds: refuseBounds,
    })(at);
    const precision = options.precision ?? precisionByDefault;
    if (precision < least || precision > most) {
      throw illegalArgument(
        `Invalid ${kind} aggregation precision of ${precision}. Must be between ${least} and ${most}.`,
        at,
      );
    }
    return { kind, ...framed(frame, at), ...fieldOptions(options, at), precision, size: options.size ?? 10_000 };
  };

function refuseBounds(at: Input): never {
  throw illegalArgument('[bounds] of a grid are not supported; filter by geo_bounding_box', at);
}

const filter: ParseAggregation = (at, frame) => ({ kind: 'filter', ...framed(frame, at), filter: parseQuery(at) });

const filters: ParseAggregation = (at, frame) => {
  const options = strict('filters', { filters: anything, other_bucket: flag, other_bucket_key: string })(at);
  const given = options.filters;
  if (given === undefined) throw illegalArgument('[filters] cannot be empty', at);
  if (!given.isObject && !given.isArray) throw parsing(`Unknown key for a ${kindOf(given)} in [filters].`, given);
  const wantsOther = options.other_bucket ?? options.other_bucket_key !== undefined;
  const anonymous = given.isArray ? given.items().map((item) => ({ query: parseQuery(item) })) : [];
  // The engines give named buckets in the order of their names.
  const byName = given
    .members()
    .map(({ key, input }) => ({ name: key, query: parseQuery(input) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const queries = given.isArray ? anonymous : byName;
  if (queries.length === 0) throw illegalArgument('[filters] cannot be empty', given);
  return {
    kind: 'filters',
    ...framed(frame, at),
    filters: queries,
    keyed: !given.isArray,
    ...(wantsOther && { other: options.other_bucket_key ?? '_other_' }),
  };
};

const missing: ParseAggregation = (at, frame) => ({
  kind: 'missing',
  ...framed(frame, at),
  ...fieldOptions(object('missing', valueSource)(at), at),
});

const global: ParseAggregation = (at, frame) => {
  const [first] = at.members();
  if (first !== undefined)
    throw parsing(
      `Expected [FIELD_NAME] under a [START_OBJECT], but got a [${kindOf(first.input)}] in [${frame.name}]`,
      first.input,
    );
  return { kind: 'global', ...framed(frame, at) };
};

/** Parsers of aggregations with buckets by condition or by several values, by the name of their type. */
export const groupParsers: Readonly<Record<string, ParseAggregation>> = {
  range: range('range'),
  date_range: range('date_range'),
  geo_distance: geoDistance,
  geohash_grid: grid('geohash_grid', 5, 1, 12),
  geotile_grid: grid('geotile_grid', 7, 0, 29),
  filter,
  filters,
  missing,
  global,
  composite,
};
