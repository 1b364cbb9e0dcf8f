import sql, { type Sql } from 'sql-template-tag';
import { around, geohash } from '#records/answer/grid.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { GeoBoundsMetric, GeoCentroidMetric, GridAggregation } from '#search/aggregation/geo.js';
import { chain } from '#search/pace.js';
import { name } from '../sql/name.js';
import type { StoredField } from '../sql/stored-field.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import type { Bucket, Key } from './bucket/bucket.js';
import { pointOrMissing } from './value/missing-value.js';

/** Cells of one kind of grid. */
interface Cells {
  /** Keys of a record's column and row. */
  readonly keys: (field: StoredField, precision: number) => Key[];
  /** Order of equally full cells: by their numbers, the largest first. Column and row are over the alias `g`. */
  readonly order: (column: Sql, row: Sql, precision: number) => Sql[];
  readonly written: (column: number, row: number, precision: number) => string;
}

/** Creates the planner of a grid: a bucket for each cell, the fullest first. */
const gridOf =
  ({ keys, order, written }: Cells) =>
  (aggregation: WithChildren<GridAggregation>, context: AggregationContext): Planned => {
    const { kind, at, precision, size } = aggregation;
    const field = pointOrMissing(kind, aggregation, at, context);
    if (field === undefined) {
      context.planEmpty(aggregation);
      return { read: () => ({ buckets: [] }) };
    }
    const { depth } = context.query;
    const [column, row] = [sql`g.${name('key', depth)}`, sql`g.${name('key', depth + 1)}`];
    const inner = context.inside(keys(field, precision), {
      cut: { size, minDocCount: 1, order: () => [sql`g.n desc`, ...order(column, row, precision)] },
    });
    const children = inner.planAll(aggregation);
    const count = inner.count();
    const keyOf = (bucket: Bucket) => {
      const [x, y] = inner.rows.keysOf(bucket.row!).map(Number);
      return written(x!, y!, precision);
    };
    return {
      read: (around) => {
        const buckets = inner.rows.bucketsOf(around);
        context.planning.made(buckets.length);
        return chain(
          children.readAll(buckets, (bucket) => [{ key: keyOf(bucket), doc_count: count(bucket) }, bucket]),
          (answers) => ({ buckets: answers }),
        );
      },
    };
  };

/** Builds the key of a coordinate of a record's cell. */
const gridKey = (field: StoredField, value: ReturnType<typeof sql>): Key => ({
  value,
  type: sql`float8`,
  fields: [field],
  where: sql`${field.value} is not null`,
});

/**
 * Builds the keys of a geohash's column and row: five bits per letter, of which the odd one belongs to the longitude.
 */
const hashCells = (field: StoredField, precision: number): Key[] => {
  const [columns, rows] = [2 ** Math.ceil((5 * precision) / 2), 2 ** Math.floor((5 * precision) / 2)];
  return [
    gridKey(field, sql`least(floor((${field.longitude!} + 180) / 360 * ${columns}::float8), ${columns - 1}::float8)`),
    gridKey(field, sql`least(floor((${field.value} + 90) / 180 * ${rows}::float8), ${rows - 1}::float8)`),
  ];
};

/** Orders geohashes by their numbers, which are their interleaved bits. */
const hashOrder: Cells['order'] = (column, row, precision) => {
  const [forColumn, forRow] = precision % 2 === 0 ? [1, 0] : [0, 1];
  const bit = (of: Sql, place: number) => sql`(((${of}::int8 >> b) & 1) << (2 * b + ${place}::int))`;
  // The engines' numbers also contain the precision. At precision 12 the first bit is their sign, so the east is
  // negative.
  const signed = precision === 12 ? [sql`(${column} < ${2 ** 29}::float8) desc`] : [];
  return [
    ...signed,
    sql`(select sum(${bit(column, forColumn)} + ${bit(row, forRow)}) from generate_series(0, ${Math.ceil((5 * precision) / 2) - 1}::int) b) desc`,
  ];
};

/** Plans a bucket for each geohash cell. */
export const geohashGrid = gridOf({ keys: hashCells, order: hashOrder, written: geohash });

const steepest = 85.0511287798066;

/** Builds the keys of a map tile's column and row (Web Mercator). */
const tileCells = (field: StoredField, precision: number): Key[] => {
  const tiles = 2 ** precision;
  const lat = sql`radians(greatest(least(${field.value}, ${steepest}::float8), ${-steepest}::float8))`;
  return [
    gridKey(field, sql`least(floor((${field.longitude!} + 180) / 360 * ${tiles}::float8), ${tiles - 1}::float8)`),
    gridKey(
      field,
      sql`greatest(least(floor((1 - ln(tan(${lat}) + 1 / cos(${lat})) / pi()) / 2 * ${tiles}::float8), ${tiles - 1}::float8), 0)`,
    ),
  ];
};

/** Plans a bucket for each map tile. */
export const geotileGrid = gridOf({
  keys: tileCells,
  order: (column, row) => [sql`${column} desc`, sql`${row} desc`],
  written: (column, row, precision) => `${precision}/${column}/${row}`,
});

/**
 * Adds the coordinates of a record, computed once per record. Returns undefined if no record has the field and there is
 * no default.
 */
const placeColumns = (metric: GeoBoundsMetric | GeoCentroidMetric, context: AggregationContext) => {
  const field = pointOrMissing(metric.kind, metric, metric.at, context);
  if (field === undefined) return undefined;
  return {
    lat: context.query.perRecord(field.value, [field]),
    lon: context.query.perRecord(field.longitude!, [field]),
  };
};

/** Plans the smallest box around all locations, which may cross the meridian of 180 degrees. */
export const geoBounds = (metric: GeoBoundsMetric, context: AggregationContext): Planned => {
  const place = placeColumns(metric, context);
  if (place === undefined) return { read: () => ({}) };
  const east = sql`case when ${place.lon} >= 0 then ${place.lon} end`;
  const west = sql`case when ${place.lon} < 0 then ${place.lon} end`;
  const edges = [
    sql`max(${place.lat})`,
    sql`min(${place.lat})`,
    sql`min(${west})`,
    sql`max(${west})`,
    sql`min(${east})`,
    sql`max(${east})`,
  ].map((edge) => context.aggregate((where) => sql`${edge}${where}`));
  return {
    read: (bucket) => {
      const [top, bottom, ...sides] = edges.map(({ cell }) => cell(bucket) as number | null);
      if (top === null) return {};
      const [left, right] = around(sides, metric.wraps);
      return { bounds: { top_left: { lat: top, lon: left }, bottom_right: { lat: bottom, lon: right } } };
    },
  };
};

/** Plans the mean of all locations. */
export const geoCentroid = (metric: GeoCentroidMetric, context: AggregationContext): Planned => {
  const place = placeColumns(metric, context);
  if (place === undefined) return { read: () => ({ count: 0 }) };
  const [lat, lon, count] = [sql`avg(${place.lat})`, sql`avg(${place.lon})`, sql`count(${place.lat})`].map((one) =>
    context.aggregate((where) => sql`${one}${where}`),
  );
  return {
    read: (bucket) => {
      const found = Number(count!.cell(bucket) ?? 0);
      return found === 0
        ? { count: 0 }
        : { location: { lat: lat!.cell(bucket), lon: lon!.cell(bucket) }, count: found };
    },
  };
};
