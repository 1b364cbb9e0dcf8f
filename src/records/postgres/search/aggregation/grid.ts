import sql, { type Sql } from 'sql-template-tag';
import type { GridAggregation } from '../../../../search/aggregation/aggregation.js';
import { chain } from '../../../../search/pace.js';
import { name } from '../sql/name.js';
import type { StoredField } from '../sql/stored-field.js';
import type { Bucket, Key } from './bucket.js';
import { pointOrMissing } from './missing-value.js';
import type { Planned, Stage } from './stage.js';

const alphabet = '0123456789bcdefghjkmnpqrstuvwxyz';
const steepest = 85.0511287798066;

/** A bucket for each cell of a grid over the Earth, the fullest first. */
export const grid = (aggregation: GridAggregation, stage: Stage): Planned => {
  const { kind, at, precision, size } = aggregation;
  const field = pointOrMissing(kind, aggregation, at, stage);
  if (field === undefined) {
    stage.planBarren(aggregation);
    return { read: () => ({ buckets: [] }) };
  }
  const keys = kind === 'geohash_grid' ? hashCells(field, precision) : tileCells(field, precision);
  const inner = stage.inside(keys, {
    cut: { size, minDocCount: 1, order: () => [sql`g.n desc`, ...cellOrder(kind, precision, stage.level.depth)] },
  });
  const children = inner.planAll(aggregation);
  const count = inner.count();
  const keyOf = (bucket: Bucket) => {
    const [x, y] = inner.level.keysOf(bucket.row!).map(Number);
    return kind === 'geohash_grid' ? geohash(x!, y!, precision) : `${precision}/${x}/${y}`;
  };
  return {
    read: (around) => {
      const buckets = inner.level.bucketsOf(around);
      stage.planning.made(buckets.length);
      return chain(
        children.readAll(buckets, (bucket) => [{ key: keyOf(bucket), doc_count: count(bucket) }, bucket]),
        (answers) => ({ buckets: answers }),
      );
    },
  };
};

/** Equally full cells come in the order of their numbers, the largest first: of a geohash those of its interleaved bits. */
const cellOrder = (kind: GridAggregation['kind'], precision: number, depth: number): Sql[] => {
  const [column, row] = [sql`g.${name('key', depth)}`, sql`g.${name('key', depth + 1)}`];
  if (kind === 'geotile_grid') return [sql`${column} desc`, sql`${row} desc`];
  const [forColumn, forRow] = precision % 2 === 0 ? [1, 0] : [0, 1];
  const bit = (of: Sql, place: number) => sql`(((${of}::int8 >> b) & 1) << (2 * b + ${place}::int))`;
  // The engines' numbers hold the precision too: at 12 the first bit is their sign, so the east is negative.
  const signed = precision === 12 ? [sql`(${column} < ${2 ** 29}::float8) desc`] : [];
  return [
    ...signed,
    sql`(select sum(${bit(column, forColumn)} + ${bit(row, forRow)}) from generate_series(0, ${Math.ceil((5 * precision) / 2) - 1}::int) b) desc`,
  ];
};

const key = (field: StoredField, value: ReturnType<typeof sql>): Key => ({
  value,
  type: sql`float8`,
  fields: [field],
  where: sql`${field.value} is not null`,
});

/** Column and row of a geohash: five bits a letter, the odd one to the longitude. */
const hashCells = (field: StoredField, precision: number): Key[] => {
  const [columns, rows] = [2 ** Math.ceil((5 * precision) / 2), 2 ** Math.floor((5 * precision) / 2)];
  return [
    key(field, sql`least(floor((${field.longitude!} + 180) / 360 * ${columns}::float8), ${columns - 1}::float8)`),
    key(field, sql`least(floor((${field.value} + 90) / 180 * ${rows}::float8), ${rows - 1}::float8)`),
  ];
};

/** Column and row of a map tile (Web Mercator). */
const tileCells = (field: StoredField, precision: number): Key[] => {
  const tiles = 2 ** precision;
  const lat = sql`radians(greatest(least(${field.value}, ${steepest}::float8), ${-steepest}::float8))`;
  return [
    key(field, sql`least(floor((${field.longitude!} + 180) / 360 * ${tiles}::float8), ${tiles - 1}::float8)`),
    key(
      field,
      sql`greatest(least(floor((1 - ln(tan(${lat}) + 1 / cos(${lat})) / pi()) / 2 * ${tiles}::float8), ${tiles - 1}::float8), 0)`,
    ),
  ];
};

const geohash = (column: number, row: number, precision: number): string => {
  let [x, y] = [BigInt(column), BigInt(row)];
  let bits = 0n;
  for (let bit = 0; bit < 5 * precision; bit += 1) {
    const fromColumn = (5 * precision - bit) % 2 === 1;
    bits |= ((fromColumn ? x : y) & 1n) << BigInt(bit);
    if (fromColumn) x >>= 1n;
    else y >>= 1n;
  }
  return Array.from(
    { length: precision },
    (_, index) => alphabet[Number((bits >> BigInt(5 * (precision - 1 - index))) & 31n)],
  ).join('');
};
