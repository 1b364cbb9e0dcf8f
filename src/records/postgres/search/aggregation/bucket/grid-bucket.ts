import sql, { type Sql } from 'sql-template-tag';
import type { WithChildren } from '../../../../../search/aggregation/aggregation.js';
import type { GridAggregation } from '../../../../../search/aggregation/option/grid.js';
import { chain } from '../../../../../search/pace.js';
import { name } from '../../sql/name.js';
import type { StoredField } from '../../sql/stored-field.js';
import { pointOrMissing } from '../value/missing-value.js';
import type { Bucket, Key } from './bucket.js';
import type { Planned, Stage } from './stage.js';

/** Cells of one kind of grid. */
export interface Cells {
  /** Keys of a record's column and row. */
  readonly keys: (field: StoredField, precision: number) => Key[];
  /** Order of equally full cells: by their numbers, the largest first. Column and row are over the alias `g`. */
  readonly order: (column: Sql, row: Sql, precision: number) => Sql[];
  readonly written: (column: number, row: number, precision: number) => string;
}

/** Creates the planner of a grid: a bucket for each cell, the fullest first. */
export const gridOf =
  ({ keys, order, written }: Cells) =>
  (aggregation: WithChildren<GridAggregation>, stage: Stage): Planned => {
    const { kind, at, precision, size } = aggregation;
    const field = pointOrMissing(kind, aggregation, at, stage);
    if (field === undefined) {
      stage.planBarren(aggregation);
      return { read: () => ({ buckets: [] }) };
    }
    const { depth } = stage.level;
    const [column, row] = [sql`g.${name('key', depth)}`, sql`g.${name('key', depth + 1)}`];
    const inner = stage.inside(keys(field, precision), {
      cut: { size, minDocCount: 1, order: () => [sql`g.n desc`, ...order(column, row, precision)] },
    });
    const children = inner.planAll(aggregation);
    const count = inner.count();
    const keyOf = (bucket: Bucket) => {
      const [x, y] = inner.level.keysOf(bucket.row!).map(Number);
      return written(x!, y!, precision);
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

/** Builds the key of a coordinate of a record's cell. */
export const gridKey = (field: StoredField, value: ReturnType<typeof sql>): Key => ({
  value,
  type: sql`float8`,
  fields: [field],
  where: sql`${field.value} is not null`,
});
