import type { Block } from './block.js';
import type { BlockColumn } from './block-column.js';
import { fixedColumns, type PathNumbers, shapeColumns, slotColumn, wholeColumns } from './column-number.js';
import { decodeIds } from './id-column.js';
import { joinPart, type LeafColumn } from './json-column.js';
import { decodePlain, isTextLeaf } from './leaf-column.js';
import { decodeLines } from './line.js';
import { decodeNumbers } from './number-column.js';
import type { JsonPart, StoredRow } from './stored-row.js';
import { decodeTexts } from './text-column.js';

/**
 * Decodes the records of a block, in the order in which they were encoded.
 * @param paths numbers of the source's leaves of JSON
 * @param places indexes of the only records to return
 */
export const decodeBlock = (block: Block, paths: PathNumbers, places?: ReadonlySet<number>): StoredRow[] => {
  const isWanted = (index: number) => places === undefined || places.has(index);
  const { n, runs, columns } = block;
  const column = (col: number): BlockColumn => columns.get(col)!;
  const ts = decodeLines({ ...block.ts, residuals: column(fixedColumns.ts) }, runs);
  const seqs = decodeLines({ ...block.seq, residuals: column(fixedColumns.seq) }, runs);
  const [arrival, process, counter, tail] = (['arrival', 'process', 'counter', 'id'] as const).map((name) =>
    columns.get(fixedColumns[name]),
  );
  const { processes } = block;
  const ids = decodeIds(
    {
      ...(arrival && { arrival }),
      ...(process && { process }),
      ...(counter && { counter }),
      ...(processes && { processes }),
      ...(tail && { tail }),
    },
    ts,
    seqs,
    isWanted,
  );
  const numbers = slotsOf(block, 'number', isWanted) as (number[] | null)[];
  const texts = slotsOf(block, 'text', isWanted) as (string[] | null)[];
  const leaves = new Leaves(block, paths);
  const [metadata, data, frame, given, many] = (['metadata', 'data', 'frame', 'given', 'many'] as const).map((part) =>
    partOf(block, part, leaves, isWanted),
  ) as [(string | null)[], (string | null)[], (string | null)[], (string | null)[], (string | null)[]];
  const ignoredColumn = columns.get(fixedColumns.ignored);
  const ignored = ignoredColumn && decodeTexts(ignoredColumn, n);
  return runs.flatMap(({ device, from, count }) => {
    const indexes = Array.from({ length: count }, (_, place) => from + place);
    return indexes.filter(isWanted).map((index): StoredRow => {
      const text = ignored?.[index] ?? null;
      return {
        id: ids[index]!,
        seq: seqs[index]!,
        device,
        ts: ts[index]!,
        metadata: metadata[index]!,
        data: data[index]!,
        frame: frame[index]!,
        given: given[index]!,
        many: many[index]!,
        numbers: numbers[index]!,
        texts: texts[index]!,
        ignored: text === null ? null : (JSON.parse(text) as (string | null)[]),
      };
    });
  });
};

/** Returns the array of slots of each wanted record; null without one. */
const slotsOf = (
  { n, columns }: Block,
  kind: 'number' | 'text',
  isWanted: (index: number) => boolean,
): ((number | string | null)[] | null)[] => {
  const lengths = columns.get(fixedColumns[kind === 'number' ? 'numbers' : 'texts']);
  if (lengths === undefined) return Array.from<null>({ length: n }).fill(null);
  const counts = decodeNumbers(lengths, n);
  const longest = counts.reduce<number>((most, count) => Math.max(most, count ?? 0), 0);
  const slots = Array.from({ length: longest }, (_, index) => {
    const column = columns.get(slotColumn(kind, index + 1));
    return column && decodePlain({ isText: kind === 'text' }, column, n);
  });
  return counts.map((count, index) =>
    count === null || !isWanted(index)
      ? null
      : Array.from({ length: count }, (_, slot) => slots[slot]?.[index] ?? null),
  );
};

const partOf = (
  { n, columns }: Block,
  part: JsonPart,
  leaves: Leaves,
  isWanted: (index: number) => boolean,
): (string | null)[] => {
  const whole = columns.get(wholeColumns[part]);
  if (whole) return decodeTexts(whole, n);
  const shape = columns.get(shapeColumns[part]);
  if (shape === undefined) return Array.from<null>({ length: n }).fill(null);
  return joinPart(part, shape.dict as string[], decodeNumbers(shape, n), (leaf) => leaves.valuesOf(leaf), isWanted);
};

/** Decodes the leaves of a block. */
class Leaves {
  constructor(
    private readonly block: Block,
    private readonly paths: PathNumbers,
  ) {}

  valuesOf({ kind, name, isSingle }: Pick<LeafColumn, 'kind' | 'name' | 'isSingle'>): (number | string | null)[] {
    const { columns, n } = this.block;
    const stored = columns.get(this.paths.get(name)!)!;
    const column = stored.same === undefined ? stored : columns.get(stored.same)!;
    return decodePlain({ isText: isTextLeaf({ kind }) }, column, isSingle ? n : column.n);
  }
}
