/** Values of an array of a column, in the narrowest type that holds them. */
export type Cells = Int8Array | Int16Array | Int32Array | Float64Array;

/**
 * A column of a block: one row of `record_block_column`. It has one of these forms.
 *
 * | Form | Properties | Value of a record |
 * |---|---|---|
 * | integers | `base`, `scale`, `cells` | `(base + cell) / 10 ** scale` |
 * | constant | `base`, `scale` | `base / 10 ** scale`, for every record |
 * | doubles | `cells` as Float64Array | `cell` |
 * | dictionary | `dict`, `base`, maybe `cells` | `dict[base + cell]` |
 * | texts | `dict` alone | `dict[record]` |
 * | bytes | `raw`, `base`, maybe `cells` | the next `base + cell` bytes of `raw`, in hexadecimal |
 * | alias | `same` | the value of another column |
 */
export interface BlockColumn {
  /** Number of values that are present. */
  n: number;
  /** An integer. */
  base?: number;
  /** 0 to 15. */
  scale?: number;
  /** One for each record, or for each element of lists. */
  cells?: Cells;
  /** 1 where the record has no value, and `cells` is NULL. Without it, all have one. */
  absent?: Uint8Array;
  dict?: readonly (string | null)[];
  raw?: Buffer;
  /** Number of the column with the same values. */
  same?: number;
  statistics?: ColumnStatistics;
  frequencies?: Frequencies;
}

/** Sums of a column over the whole block. */
export interface ColumnStatistics {
  sum: number;
  squares: number;
  lowest: number;
  highest: number;
}

/** The different values of a column, as cells, and how often the block has each. */
export interface Frequencies {
  values: Int32Array;
  hits: Int32Array;
}

/** Returns the cell of each value, NULL as null. A constant has none. */
export const cellAt = ({ cells, absent }: BlockColumn, index: number): number | null =>
  absent?.[index] === 1 ? null : (cells?.[index] ?? 0);
