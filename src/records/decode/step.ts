/** A value of a variable. Integers beyond ±(2^53-1) are decimal text. */
export type Value = number | boolean | string;

/** Faults of a part of a frame. */
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

/** Result of reading one part of a frame. */
export interface Reading {
  value?: Value;
  warning?: WarningCode;
}

/** One part of a frame: its position, its variable, and its reading. */
export interface DecodeStep extends Reading {
  /** Beginning of the part: in bytes (in BIN, of its tag), or the field number from 1 in TXT. */
  offset: number;
  /** Bytes of the part, from `start` up to but excluding `end`. */
  start: number;
  end: number;
  /** Name of the variable, or its number if the layout lacks it. */
  variable?: string | number;
}
