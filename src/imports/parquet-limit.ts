/** Limits of a Parquet file, which are checked before anything of it is decoded. */
export const parquetLimits = {
  /** Bytes of the footer, and values in it. */
  footerBytes: 16 * 2 ** 20,
  footerValues: 2_000_000,
  /** Values in the header of one page. */
  headerValues: 1000,
  /** Structures inside of each other, in a header and in the schema. */
  depth: 32,
  schemaElements: 4000,
  columns: 1000,
  groups: 10_000,
  /** Of one row group. */
  groupRows: 2 ** 20,
  groupValues: 2 ** 24,
  groupBytes: 64 * 2 ** 20,
  groupPages: 100_000,
} as const;

/** Bytes of decompressed pages that a whole file may have, relative to its size. */
export const pageBudget = (size: number): number => Math.min(2 ** 30, 64 * 2 ** 20 + 32 * size);

/** Values that a whole file may have, nulls among them, relative to its size. */
export const valueBudget = (size: number): number => Math.min(2 ** 28, 2 ** 24 + 64 * size);

/** Bytes of NDJSON that a whole file may become, relative to its size. */
export const rowBudget = (size: number): number => Math.min(2 ** 30, 16 * 2 ** 20 + 64 * size);

/** The cost of pages: bytes after decompression, values, and number of pages. */
export interface Taken {
  bytes: number;
  values: number;
  pages: number;
}

/** Takes it off the budget. @throws Error where there is not so much */
export type Spend = (taken: Taken) => void;
