/** A value of a variable: integers beyond ±(2^53-1) are decimal text. */
export type Value = number | boolean | string;

/** What can be wrong with a part of a frame. */
export type WarningCode =
  | 'TRUNCATED'
  | 'UNKNOWN_VARIABLE'
  | 'TYPE_MISMATCH'
  | 'OUT_OF_RANGE'
  | 'NOT_FINITE'
  | 'BAD_BOOL'
  | 'BAD_UTF8'
  | 'REPEATED'
  | 'TRAILING_BYTES'
  | 'BAD_FIELD'
  | 'NO_LAYOUT';

/** What one part of a frame was read as. */
export interface Reading {
  value?: Value;
  warning?: WarningCode;
}

/** One part of a frame: where it is, whose it is, and what it was read as. */
export interface Step extends Reading {
  /** Where the part begins: in bytes (BIN: its tag), for TXT the number of the field from 1. */
  offset: number;
  /** Bytes that the part takes, from `start` up to `end`. */
  start: number;
  end: number;
  /** Name of the variable, or the number of one that the layout does not know. */
  variable?: string | number;
}
