import type { BinaryReader } from '#database/binary-reader.js';
import type { Block } from './block.js';
import type { BlockColumn, Cells } from './block-column.js';
import type { Run } from './run.js';
import type { StoredRow } from './stored-row.js';

/** Reads a row of `record_block` whose fields are {@link headColumns}. */
export const readHead = (fields: BinaryReader): Omit<Block, 'columns' | 'sums'> & { block: number } => {
  const block = fields.integer()!;
  // Source, day and number of days.
  for (let index = 0; index < 3; index++) fields.integer();
  const n = fields.integer()!;
  for (let index = 0; index < 2; index++) fields.integer();
  const [lowest, highest] = [fields.integer(), fields.integer()];
  const [devices, counts] = [fields.integers() as number[], fields.integers() as number[]];
  let from = 0;
  const runs = devices.map((device, index): Run => {
    const count = counts[index]!;
    from += count;
    return { device, from: from - count, count };
  });
  const ts = { first: fields.integers() as number[], step: fields.integers() as number[], unit: fields.integer()! };
  const seq = { first: fields.integers() as number[], step: fields.integers() as number[], unit: 1 };
  const [bits, counter] = [fields.texts() as string[] | null, fields.integers() as number[]];
  const [step, seqLowest] = [fields.numbers() as number[], fields.integer()!];
  return {
    block,
    n,
    runs,
    ...(lowest !== null && highest !== null && { arrivals: { lowest, highest } }),
    ts,
    seq,
    ...(bits && { processes: { bits, counter, step, seqLowest } }),
  };
};

/** Reads a row of `record_block_column` whose fields are {@link columnColumns}. Statistics are left out. */
export const readColumn = (fields: BinaryReader): { block: number; col: number; column: BlockColumn } => {
  const [block, col, n] = [fields.integer()!, fields.integer()!, fields.integer()!];
  const column: BlockColumn = { n, ...readCells(fields) };
  const [dict, raw, same] = [fields.texts(), fields.raw(), fields.integer()];
  for (let index = 0; index < 4; index++) fields.number();
  for (let index = 0; index < 2; index++) fields.integers();
  return {
    block,
    col,
    column: { ...column, ...(dict && { dict }), ...(raw && { raw }), ...(same !== null && { same }) },
  };
};

const readCells = (fields: BinaryReader): Pick<BlockColumn, 'base' | 'scale' | 'cells' | 'absent'> => {
  const [base, scale] = [fields.integer(), fields.integer()];
  const arrays = [fields.integers(), fields.integers(), fields.integers(), fields.numbers()];
  const width = arrays.findIndex((array) => array !== null);
  const values = arrays[width];
  return {
    ...(base !== null && { base, scale: scale! }),
    ...(values && { cells: cellTypes[width]!.from(values as number[]) }),
    ...(values?.includes(null) && { absent: Uint8Array.from(values, (value) => Number(value === null)) }),
  };
};

/** Types of the arrays `v1`, `v2`, `v4` and `v8`. */
const cellTypes: readonly { from(values: number[]): Cells }[] = [Int8Array, Int16Array, Int32Array, Float64Array];

/** Fields of a row of `record`, in the order of {@link readStoredRow}; `device` is an expression for its number. */
export const storedColumns = (device: string): string =>
  `r.id, r.seq, ${device}, r.ts, r.metadata::text, r.data::text, r.frame::text, r.given::text, r.numbers, r.texts, r.many::text, r.ignored`;

/** Reads a row of `record` whose fields are {@link storedColumns}. */
export const readStoredRow = (fields: BinaryReader): StoredRow => ({
  id: fields.hexadecimal()!,
  seq: fields.integer()!,
  device: fields.integer()!,
  ts: fields.time()!,
  metadata: fields.text()!,
  data: fields.text()!,
  frame: fields.text(),
  given: fields.text(),
  numbers: fields.numbers(),
  texts: fields.texts(),
  many: fields.text(),
  ignored: fields.texts(),
});
