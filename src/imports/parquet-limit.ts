/** Limits of a Parquet file. They are checked before any part of it is decoded. */
export const parquetLimits = {
  /** Maximum size of the footer in bytes, and maximum number of values in it. */
  footerBytes: 16 * 2 ** 20,
  footerValues: 2_000_000,
  /** Maximum number of values in the header of a page. */
  headerValues: 1000,
  /** Maximum nesting of structures, in a header and in the schema. */
  depth: 32,
  schemaElements: 4000,
  columns: 1000,
  groups: 10_000,
  /** Limits of one row group. */
  groupRows: 2 ** 20,
  groupValues: 2 ** 24,
  groupBytes: 64 * 2 ** 20,
  groupPages: 100_000,
} as const;

/** Returns the maximum number of bytes of decompressed pages of a file, which depends on its size. */
export const pageBudget = (size: number): number => Math.min(2 ** 30, 64 * 2 ** 20 + 32 * size);

/** Returns the maximum number of values of a file, including nulls, which depends on its size. */
export const valueBudget = (size: number): number => Math.min(2 ** 28, 2 ** 24 + 64 * size);

/** Returns the maximum number of bytes of NDJSON that a file may unpack to, which depends on its size. */
export const rowBudget = (size: number): number => Math.min(2 ** 30, 16 * 2 ** 20 + 64 * size);

/** Cost of pages: decompressed bytes, values, and number of pages. */
export interface Taken {
  bytes: number;
  values: number;
  pages: number;
}

/**
 * Deducts a cost from the budget.
 * @throws Error if the budget is exceeded
 */
export type Spend = (taken: Taken) => void;
