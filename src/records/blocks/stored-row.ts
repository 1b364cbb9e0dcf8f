/** A row of the table `record`, as blocks store it. */
export interface StoredRow {
  /** 32 hexadecimal digits. */
  id: string;
  seq: number;
  /** Number of the device. */
  device: number;
  /** Microseconds since 1970. */
  ts: number;
  /** JSON, in the text form of PostgreSQL's `jsonb`, as are the other parts. */
  metadata: string;
  data: string;
  frame: string | null;
  given: string | null;
  many: string | null;
  /** Values by slot, from 1. */
  numbers: (number | null)[] | null;
  texts: (string | null)[] | null;
  ignored: (string | null)[] | null;
}

/** Parts of a row that are JSON. */
export const jsonParts = ['metadata', 'data', 'frame', 'given', 'many'] as const;

/** Name of a part of a row that is JSON. */
export type JsonPart = (typeof jsonParts)[number];

/** Whether two rows are the same, to the byte. */
export const equalRows = (one: StoredRow, other: StoredRow): boolean =>
  one.id === other.id &&
  one.seq === other.seq &&
  one.device === other.device &&
  one.ts === other.ts &&
  jsonParts.every((part) => one[part] === other[part]) &&
  equalLists(one.numbers, other.numbers) &&
  equalLists(one.texts, other.texts) &&
  equalLists(one.ignored, other.ignored);

/** Compares with `Object.is`, because 0 and -0 differ in PostgreSQL's bytes. */
const equalLists = <Value>(one: readonly Value[] | null, other: readonly Value[] | null): boolean =>
  one === null || other === null
    ? one === other
    : one.length === other.length && one.every((value, index) => Object.is(value, other[index]));
