import { around, geohash } from '#records/answer/grid.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { GeoBoundsMetric, GeoCentroidMetric, GridAggregation } from '#search/aggregation/geo.js';
import { unsupported } from '#search/aggregation/number-of.js';
import { type Point, pointOf } from '#search/syntax/geo-point.js';
import type { Input } from '#search/syntax/input.js';
import { scalarText } from '#search/syntax/value.js';
import { locationOf } from '../device-value.js';
import type { EngineAggregationContext, Planned } from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { deviceBuckets } from './bucket/device-key.js';
import { deviceCounts } from './value/device-count.js';

/** Mean radius of the Earth in metres, with the value that the engine uses. */
const earthRadius = 6_371_008.7714;

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Returns the great-circle distance between two points in metres (haversine). */
export const distanceBetween = (a: Point, b: Point): number => {
  const [dy, dx] = [Math.sin(radians(a.lat - b.lat) / 2), Math.sin(radians(a.lon - b.lon) / 2)];
  const part = dy * dy + Math.cos(radians(b.lat)) * Math.cos(radians(a.lat)) * dx * dx;
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(part)));
};

interface PointOptions {
  readonly kind: string;
  readonly field: string;
  readonly missing?: Input;
  readonly at: Input;
}

/**
 * Returns a function for the location of a device, or the default for missing values; undefined for an unknown field
 * without a default.
 */
const placesOf = ({ kind, field: path, missing, at }: PointOptions, context: EngineAggregationContext) => {
  const field = context.field(path, at);
  if (field !== undefined && field.kind !== 'geo_point') throw unsupported(field, kind, at);
  const instead = missing && pointOf(scalarText(missing) ?? '', missing);
  if (field === undefined && instead === undefined) return undefined;
  return (device: Parameters<typeof locationOf>[0]): Point | undefined =>
    (field === undefined ? undefined : locationOf(device)) ?? instead;
};

/** Plans the count of records by location. */
const countedPlaces = (options: PointOptions, context: EngineAggregationContext) => {
  const place = placesOf(options, context);
  if (place === undefined) return undefined;
  const counts = deviceCounts(context);
  const of = (bucket: Bucket) =>
    counts.of(bucket).flatMap(({ device, count }) => {
      const at = place(device);
      return at === undefined ? [] : [{ ...at, count }];
    });
  return { asked: counts.asked, of };
};

/** Plans the smallest box around all locations, which may cross the meridian of 180 degrees. */
export const geoBounds = (metric: GeoBoundsMetric, context: EngineAggregationContext): Planned => {
  const places = countedPlaces(metric, context);
  if (places === undefined) return { asked: {}, read: () => ({}) };
  return {
    asked: places.asked,
    read: (bucket) => {
      const found = places.of(bucket);
      if (found.length === 0) return {};
      const [lats, lons] = [found.map(({ lat }) => lat), found.map(({ lon }) => lon)];
      const [west, east] = [lons.filter((lon) => lon < 0), lons.filter((lon) => lon >= 0)];
      const sides = [least(west), most(west), least(east), most(east)];
      const [left, right] = around(sides, metric.wraps);
      return {
        bounds: { top_left: { lat: most(lats), lon: left }, bottom_right: { lat: least(lats), lon: right } },
      };
    },
  };
};

const least = (numbers: readonly number[]) =>
  numbers.reduce<number | null>((a, b) => (a === null || b < a ? b : a), null);
const most = (numbers: readonly number[]) =>
  numbers.reduce<number | null>((a, b) => (a === null || b > a ? b : a), null);

/** Plans the mean of all locations. */
export const geoCentroid = (metric: GeoCentroidMetric, context: EngineAggregationContext): Planned => {
  const places = countedPlaces(metric, context);
  if (places === undefined) return { asked: {}, read: () => ({ count: 0 }) };
  return {
    asked: places.asked,
    read: (bucket) => {
      const found = places.of(bucket);
      const count = found.reduce((sum, one) => sum + one.count, 0);
      if (count === 0) return { count: 0 };
      const mean = (of: 'lat' | 'lon') => found.reduce((sum, one) => sum + one[of] * one.count, 0) / count;
      return { location: { lat: mean('lat'), lon: mean('lon') }, count };
    },
  };
};

/** A cell of a grid: its name, and its rank among cells with equal counts, where the highest rank comes first. */
interface Cell {
  readonly key: string;
  readonly rank: bigint;
}

const hashCell = ({ lat, lon }: Point, precision: number): Cell => {
  const [columnBits, rowBits] = [Math.ceil((5 * precision) / 2), Math.floor((5 * precision) / 2)];
  const [columns, rows] = [2 ** columnBits, 2 ** rowBits];
  const column = Math.min(Math.floor(((lon + 180) / 360) * columns), columns - 1);
  const row = Math.min(Math.floor(((lat + 90) / 180) * rows), rows - 1);
  const [forColumn, forRow] = precision % 2 === 0 ? [1n, 0n] : [0n, 1n];
  let rank = 0n;
  for (let bit = 0n; bit < columnBits; bit += 1n) {
    rank += ((BigInt(column) >> bit) & 1n) << (2n * bit + forColumn);
    rank += ((BigInt(row) >> bit) & 1n) << (2n * bit + forRow);
  }
  // The engine's numbers also contain the precision: at 12, their first bit is the sign, so that eastern cells are
  // negative.
  if (precision === 12 && column >= 2 ** 29) rank -= 1n << 62n;
  return { key: geohash(column, row, precision), rank };
};

const steepest = 85.0511287798066;

const tileCell = ({ lat, lon }: Point, precision: number): Cell => {
  const tiles = 2 ** precision;
  const angle = radians(Math.max(Math.min(lat, steepest), -steepest));
  const column = Math.min(Math.floor(((lon + 180) / 360) * tiles), tiles - 1);
  const down = ((1 - Math.log(Math.tan(angle) + 1 / Math.cos(angle)) / Math.PI) / 2) * tiles;
  const row = Math.max(Math.min(Math.floor(down), tiles - 1), 0);
  return { key: `${precision}/${column}/${row}`, rank: (BigInt(column) << 32n) + BigInt(row) };
};

const gridOf =
  (cellOf: (point: Point, precision: number) => Cell) =>
  (aggregation: WithChildren<GridAggregation>, context: EngineAggregationContext): Planned => {
    const place = placesOf(aggregation, context);
    if (place === undefined) {
      context.planEmpty(aggregation);
      return { asked: {}, read: () => ({ buckets: [] }) };
    }
    const ranks = new Map<string, bigint>();
    const keysOf = (device: Parameters<typeof locationOf>[0]): string[] => {
      const point = place(device);
      if (point === undefined) return [];
      const { key, rank } = cellOf(point, aggregation.precision);
      ranks.set(key, rank);
      return [key];
    };
    const inner = deviceBuckets(aggregation, keysOf, context);
    const { planning } = context;
    return {
      asked: inner.asked,
      visit: inner.visit,
      read: (outer) => {
        const all = inner
          .found(outer)
          .toSorted((a, b) => b.count - a.count || (ranks.get(a.key)! < ranks.get(b.key)! ? 1 : -1));
        const buckets = all.slice(0, aggregation.size);
        planning.made(buckets.length);
        const read = inner.children.readAll(buckets, ({ key, count, bucket }) => [{ key, doc_count: count }, bucket]);
        return read instanceof Promise ? read.then((answers) => ({ buckets: answers })) : { buckets: read };
      },
    };
  };

/** Plans a bucket per geohash cell. */
export const geohashGrid = gridOf(hashCell);

/** Plans a bucket per tile of web maps. */
export const geotileGrid = gridOf(tileCell);
