import { illegalArgument, parsing } from '../failure.js';
import { distanceOf } from '../query/geo.js';
import { parseQuery } from '../query/parse.js';
import { geoPoint } from '../syntax/geo-point.js';
import type { Entry, Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { lookUp } from '../syntax/registry.js';
import { anything, atLeast, flag, ignored, integer, listOf, number, type Read, text, word } from '../syntax/value.js';
import type { CompositeSource, RangeItem } from './aggregation.js';
import { framed, type ParseAggregation } from './frame.js';
import { intervalKeys, intervalOf } from './parse-interval.js';
import { fieldOptions, valueSource } from './value-source.js';

const rangeItem: Read<RangeItem> = (input) => {
  const {
    key,
    from,
    to,
    mask: _,
  } = object('range', {
    key: text,
    from: anything,
    to: anything,
    from_as_string: ignored,
    to_as_string: ignored,
    mask: ignored,
  })(input);
  return { ...(key !== undefined && { key }), ...(from && !from.isNull && { from }), ...(to && !to.isNull && { to }) };
};

const range =
  (kind: 'range' | 'date_range'): ParseAggregation =>
  (at, frame) => {
    const options = object(kind, { ...valueSource, ranges: listOf(rangeItem), keyed: flag, time_zone: anything })(at);
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

const geoDistance: ParseAggregation = (at, frame) => {
  const options = object('geo_distance', {
    ...valueSource,
    origin: geoPoint,
    point: geoPoint,
    center: geoPoint,
    ranges: listOf(rangeItem),
    unit: text,
    distance_type: ignored,
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
      shard_size: ignored,
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
  const options = object('filters', { filters: anything, other_bucket: flag, other_bucket_key: text })(at);
  const given = options.filters;
  if (given === undefined) throw parsing(`[filters] must be provided`, at);
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
  object('global', {})(at);
  return { kind: 'global', ...framed(frame, at) };
};

const sourceKeys = {
  ...valueSource,
  order: word('asc', 'desc'),
  missing_bucket: flag,
  missing_order: word('first', 'last', 'default'),
} as const;

const sources: Readonly<Record<string, (at: Input, name: string) => CompositeSource>> = {
  terms: (at, name) => ({ by: 'terms', ...sourceOf(object('terms', sourceKeys)(at), at, name) }),
  histogram: (at, name) => {
    const options = object('histogram', { ...sourceKeys, interval: number })(at);
    if (options.interval === undefined || !(options.interval > 0))
      throw illegalArgument('[interval] must be greater than 0 for [histogram] source', at);
    return { by: 'histogram', interval: options.interval, ...sourceOf(options, at, name) };
  },
  date_histogram: (at, name) => {
    const options = object('date_histogram', { ...sourceKeys, ...intervalKeys })(at);
    return { by: 'date_histogram', ...intervalOf(options, at), ...sourceOf(options, at, name) };
  },
};

const sourceOf = (
  options: Parameters<typeof fieldOptions>[0] & { order?: string; missing_bucket?: boolean; missing_order?: string },
  at: Input,
  name: string,
) => {
  const missingOrder = options.missing_order;
  return {
    name,
    at,
    ...fieldOptions(options, at),
    descending: options.order === 'desc',
    missingBucket: options.missing_bucket ?? false,
    ...(missingOrder !== undefined && missingOrder !== 'default' && { missingFirst: missingOrder === 'first' }),
  };
};

const composite: ParseAggregation = (at, frame) => {
  const options = object('composite', { sources: listOf(compositeSource), size: atLeast(1), after: anything })(at);
  const given = options.sources ?? [];
  if (given.length === 0) throw illegalArgument('Composite [sources] cannot be null or empty', at);
  const twice = given.find(({ name }, index) => given.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined)
    throw illegalArgument(`Composite source names must be unique, found duplicates: [${twice.name}]`, at);
  return {
    kind: 'composite',
    ...framed(frame, at),
    sources: given,
    size: options.size ?? 10,
    ...(options.after && !options.after.isNull && { after: options.after }),
  };
};

const compositeSource: Read<CompositeSource> = (input) => {
  const [entry] = input.members();
  const [type] = entry?.input.members() ?? [];
  if (entry === undefined || type === undefined)
    throw parsing('A source of [composite] must be an object of one name', input);
  return lookUp<(at: Input, name: string) => CompositeSource>(
    sources,
    type as Entry,
    `invalid source type: ${type.key}`,
  )(type.input, entry.key);
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
