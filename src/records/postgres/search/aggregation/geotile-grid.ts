import sql from 'sql-template-tag';
import type { StoredField } from '../sql/stored-field.js';
import type { Key } from './bucket/bucket.js';
import { gridKey, gridOf } from './bucket/grid-bucket.js';

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
