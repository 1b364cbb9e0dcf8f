import sql, { type Sql } from 'sql-template-tag';
import { geohash } from '../../../answer/grid.js';
import type { StoredField } from '../sql/stored-field.js';
import type { Key } from './bucket/bucket.js';
import { type Cells, gridKey, gridOf } from './bucket/grid-bucket.js';

/**
 * Builds the keys of a geohash's column and row. Each letter holds five bits. If the total number of bits is odd, the
 * longitude has one more than the latitude.
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
