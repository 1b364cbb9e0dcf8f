import type { Sql } from 'sql-template-tag';
import type { Field } from '../../../../../search/field/field.js';

/** A row of a level: the keys of the buckets around it, its own, and its columns. */
export type Row = readonly unknown[];

/** A bucket as far as the answer needs it: its keys as one text, and its row, which a bucket without records lacks. */
export interface Bucket {
  readonly id: string;
  readonly row?: Row | undefined;
}

/** The bucket of no record: what stands inside finds nothing. */
export const noRecords: Bucket = { id: 'none' };

/** An empty bucket that stands only because of those around it: inside it nothing is counted, not even that nothing is. */
export const gap: Bucket = { id: 'gap' };

/** An empty bucket inside another. */
export const emptyIn = ({ id }: Bucket): Bucket => (id === gap.id ? gap : noRecords);

/** Reads one column of a bucket's row; null where the bucket has none. */
export type Cell = (bucket: Bucket) => unknown;

/** What records are put into buckets by. */
export interface Key {
  /** The key of a record, over `r`, `d` and `lateral`. */
  readonly value: Sql;
  /** The type of `value`, in which keys are sent back to look only into some buckets. */
  readonly type: Sql;
  /** How a key is answered, where not as it is. */
  readonly output?: (key: Sql) => Sql;
  /** The answered key as it is sent back, where not as it is. */
  readonly send?: (answered: unknown) => unknown;
  /** Fields that `value` reads. */
  readonly fields: readonly Field[];
  /** Makes a record count in several buckets: a query joined to it, in alias given by `name('many', index)`. */
  readonly lateral?: Sql;
  /** Which records have a key at all. */
  readonly where?: Sql;
}

/** How buckets are ordered and cut in SQL: within each bucket around them. */
export interface Cut {
  readonly size: number;
  readonly minDocCount: number;
  /** Buckets of more records are left out. */
  readonly maxDocCount?: number;
  /** Over alias `g`: keys `k<i>`, count `n`, columns `c<i>`. */
  readonly order: () => readonly Sql[];
}

/** Shows records instead of counting them: of each bucket those from one place to another, in an order. */
export interface Top {
  readonly from: number;
  readonly size: number;
  readonly order: Sql;
}

/** How many cells rows have; bytes count as many as they fill. */
export const cellsIn = (rows: readonly Row[]): number =>
  rows.reduce(
    (sum, row) => row.reduce<number>((cells, cell) => cells + (cell instanceof Buffer ? cell.length / 16 : 1), sum),
    0,
  );

/** Where a list has an expression, which is added where it has not. */
export const indexIn = (list: Sql[], item: Sql): number => {
  const found = list.findIndex(
    (other) => other.text === item.text && JSON.stringify(other.values) === JSON.stringify(item.values),
  );
  return found >= 0 ? found : list.push(item) - 1;
};
