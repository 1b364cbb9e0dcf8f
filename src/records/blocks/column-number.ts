import type { JsonPart } from './stored-row.js';

/**
 * Numbers of columns (`record_block_column.col`). A slot of numbers has its own number, a slot of texts its negative
 * one. What every record has follows the slots, and after it the leaves of JSON, numbered for each source
 * (`record_block_path`).
 */
const firstFixed = 20_000;
const firstPath = 20_100;

/** Largest smallint. */
const last = 32_767;

/** Columns that do not depend on the source. */
export const fixedColumns = {
  /** Residuals of times, in units of `record_block.unit`. */
  ts: firstFixed,
  seq: firstFixed + 1,
  /** Milliseconds from the time to the arrival. */
  arrival: firstFixed + 2,
  process: firstFixed + 3,
  counter: firstFixed + 4,
  /** Identifiers, or the last 10 bytes of them. */
  id: firstFixed + 5,
  /** Lengths of the arrays of slots; absent without an array. */
  numbers: firstFixed + 6,
  texts: firstFixed + 7,
  /** The array `ignored` as JSON. */
  ignored: firstFixed + 8,
} as const;

/** Column of a part's shapes, whose leaves have columns of their own. */
export const shapeColumns: Readonly<Record<JsonPart, number>> = {
  metadata: firstFixed + 20,
  data: firstFixed + 21,
  frame: firstFixed + 22,
  given: firstFixed + 23,
  many: firstFixed + 24,
};

/** Column of a part's whole texts. */
export const wholeColumns: Readonly<Record<JsonPart, number>> = {
  metadata: firstFixed + 40,
  data: firstFixed + 41,
  frame: firstFixed + 42,
  given: firstFixed + 43,
  many: firstFixed + 44,
};

/** Returns the column of a slot, which counts from 1. @throws RangeError beyond slot 19,999 */
export const slotColumn = (kind: 'number' | 'text', slot: number): number => {
  if (slot >= firstFixed) throw new RangeError(`Blocks have no column for slot ${slot}.`);
  return kind === 'number' ? slot : -slot;
};

/** Numbers of the leaves of a source's JSON. */
export class PathNumbers {
  private readonly numbers: Map<string, number>;
  private readonly added: { col: number; path: string }[] = [];

  /** @param known the rows of `record_block_path` */
  constructor(known: readonly { col: number; path: string }[] = []) {
    this.numbers = new Map(known.map(({ col, path }) => [path, col]));
  }

  /** Returns the number of a path that has one. */
  get(path: string): number | undefined {
    return this.numbers.get(path);
  }

  /** Returns the numbers of paths, and numbers those that have none. Undefined if there are not enough numbers. */
  reserve(paths: readonly string[]): number[] | undefined {
    const fresh = paths.filter((path) => !this.numbers.has(path));
    if (firstPath + this.numbers.size + fresh.length > last) return undefined;
    for (const path of fresh) {
      const col = firstPath + this.numbers.size;
      this.numbers.set(path, col);
      this.added.push({ col, path });
    }
    return paths.map((path) => this.numbers.get(path)!);
  }

  /** Returns the paths that were numbered since the last call. */
  takeAdded(): { col: number; path: string }[] {
    return this.added.splice(0);
  }
}
