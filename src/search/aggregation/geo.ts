import { distanceOf } from '../query/geo-clause.js';
import { illegalArgument } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { atLeast, flag, integer, type Read } from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import { fieldOptions, unformatted, valueSource } from './option/value-source.js';

/** A bucket for each cell of a grid over the Earth. */
export interface GridAggregation extends Node<'geohash_grid' | 'geotile_grid'>, FieldOptions {
  readonly precision: number;
  readonly size: number;
}

/** Range and default of a grid's precision, and its reader. */
interface Precisions {
  readonly byDefault: number;
  readonly min: number;
  readonly max: number;
  readonly read: Read<number>;
}

/** Creates the parser of a grid. */
const grid =
  (
    kind: 'geohash_grid' | 'geotile_grid',
    { byDefault, min, max, read }: Precisions,
  ): ParseAggregation<GridAggregation> =>
  (at, frame) => {
    const options = object(kind, {
      ...valueSource,
      precision: read,
      size: atLeast(1),
      shard_size: atLeast(1),
      bounds: refuseBounds,
    })(at);
    const precision = options.precision ?? byDefault;
    if (precision < min || precision > max) {
      throw illegalArgument(
        `Invalid ${kind} aggregation precision of ${precision}. Must be between ${min} and ${max}.`,
        at,
      );
    }
    return {
      kind,
      ...aggregationBase(frame, at),
      ...fieldOptions(options, at),
      precision,
      size: options.size ?? 10_000,
    };
  };

function refuseBounds(at: Input): never {
  throw illegalArgument('[bounds] of a grid are not supported; filter by geo_bounding_box', at);
}

const longestGeohash = 12;

/** Metres around the equator, and from pole to pole (WGS 84). */
const equator = 2 * Math.PI * 6_378_137;
const meridian = Math.PI * 6_356_752.314245;

/** Returns the length of geohashes whose cells have about this size in metres, as the engines estimate it. */
const geohashLength = (metres: number): number => {
  const ratio = 1 + meridian / equator;
  const cells = Math.ceil(equator / Math.sqrt((metres * metres) / (ratio * ratio)));
  if (cells === 1) return 1;
  const bits = Math.ceil(Math.log(cells) / Math.log(2));
  const left = bits % 5;
  return 2 * Math.floor(bits / 5) + (left > 0 ? 1 : 0) + (left > 3 ? 1 : 0);
};

/** Parses the length of geohashes, or a text with the size of their cells: `100km`. */
const geohashPrecision: Read<number> = (input) => {
  const { node } = input;
  if (node.kind !== 'string' || /^[+-]?\d+$/.test(node.text)) return integer(input);
  const length = geohashLength(distanceOf(node.text, input));
  if (length > longestGeohash) throw illegalArgument(`precision too high [${node.text}]`, input);
  return length;
};

export const geohashGrid = grid('geohash_grid', { byDefault: 5, min: 1, max: longestGeohash, read: geohashPrecision });

export const geotileGrid = grid('geotile_grid', { byDefault: 7, min: 0, max: 29, read: integer });

/** The smallest box around all locations. */
export interface GeoBoundsMetric extends Node<'geo_bounds'>, FieldOptions {
  /** Whether bounds may cross the meridian of 180 degrees. */
  readonly wraps: boolean;
}

export const geoBounds: ParseAggregation<GeoBoundsMetric> = (at, frame) => {
  const options = object('geo_bounds', { ...unformatted, wrap_longitude: flag })(at);
  return {
    kind: 'geo_bounds',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    wraps: options.wrap_longitude ?? true,
  };
};

/** The mean of all locations. */
export interface GeoCentroidMetric extends Node<'geo_centroid'>, FieldOptions {}

export const geoCentroid: ParseAggregation<GeoCentroidMetric> = (at, frame) => ({
  kind: 'geo_centroid',
  ...aggregationBase(frame, at),
  ...fieldOptions(object('geo_centroid', unformatted)(at), at),
});
