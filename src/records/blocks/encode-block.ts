import type { Block } from './block.js';
import type { BlockColumn, ColumnStatistics } from './block-column.js';
import { fixedColumns, type PathNumbers, shapeColumns, slotColumn, wholeColumns } from './column-number.js';
import { arrivalsOf, encodeIds } from './id-column.js';
import { type CutPart, cutPart } from './json-column.js';
import { encodePlain, isTextLeaf, type PlainColumn } from './leaf-column.js';
import { encodeLines } from './line.js';
import { encodeIntegers, frequenciesOf } from './number-column.js';
import { runsOf } from './run.js';
import { jsonParts, type StoredRow } from './stored-row.js';
import { sumColumn } from './sum.js';
import { encodeTexts } from './text-column.js';

/** Settings of {@link encodeBlock}. */
export interface EncodeOptions {
  /** Numbers of the source's leaves of JSON. */
  paths: PathNumbers;
  /** Times at which runs end, in microseconds since 1970: the local midnights within the day. */
  cuts?: readonly number[];
}

/** Units of times, in microseconds: seconds, milliseconds. */
const timeUnits = [1_000_000, 1000, 1];

/**
 * Encodes records by columns. `decodeBlock` returns exactly these records.
 * @param rows at least one record, in the order of device, time and `seq`
 * @throws RangeError if a slot is too high for a column
 */
export const encodeBlock = (rows: readonly StoredRow[], { paths, cuts = [] }: EncodeOptions): Block => {
  const runs = runsOf(rows, cuts);
  const [times, seqs, ids] = [rows.map(({ ts }) => ts), rows.map(({ seq }) => seq), rows.map(({ id }) => id)];
  const { residuals: timeResiduals, ...ts } = encodeLines(times, runs, timeUnits);
  const { residuals: seqResiduals, ...seq } = encodeLines(seqs, runs, [1]);
  const { processes, arrival, process, counter, tail } = encodeIds(ids, times, seqs);
  const columns = new Map<number, BlockColumn>([
    [fixedColumns.ts, timeResiduals],
    [fixedColumns.seq, seqResiduals],
  ]);
  for (const [col, column] of [
    [fixedColumns.arrival, arrival],
    [fixedColumns.process, process],
    [fixedColumns.counter, counter],
    [fixedColumns.id, tail],
  ] as const)
    if (column) columns.set(col, column);
  const slots = slotColumns(rows, columns);
  for (const slot of slots) columns.set(slot.col, withCounts(slot, encodePlain(slot, [])));
  addJson(rows, columns, slots, paths);
  addTexts(
    columns,
    fixedColumns.ignored,
    rows.map(({ ignored }) => ignored && JSON.stringify(ignored)),
  );
  const arrivals = arrivalsOf(ids);
  return {
    n: rows.length,
    runs,
    ...(arrivals && { arrivals }),
    ts,
    seq,
    ...(processes && { processes }),
    columns,
    sums: slots.flatMap((slot) => sumColumn(slot, columns.get(slot.col)!, runs, times)),
  };
};

/** Returns the columns of the slots that have values, and adds the lengths of the arrays. */
const slotColumns = (rows: readonly StoredRow[], columns: Map<number, BlockColumn>): PlainColumn[] =>
  (['number', 'text'] as const).flatMap((kind) => {
    const name = kind === 'number' ? 'numbers' : 'texts';
    const arrays = rows.map((row) => row[name]);
    const longest = arrays.reduce((most, array) => Math.max(most, array?.length ?? 0), 0);
    if (arrays.some((array) => array !== null))
      columns.set(fixedColumns[name], encodeIntegers(arrays.map((array) => array && array.length)));
    // A decoder asks for the columns of all slots up to the last.
    if (longest > 0) slotColumn(kind, longest);
    return usedSlots(arrays).map(
      (index): PlainColumn => ({
        col: slotColumn(kind, index + 1),
        isText: kind === 'text',
        isSingle: true,
        values: arrays.map((array) => array?.[index] ?? null),
      }),
    );
  });

/** Returns the indices at which some array has a value, in order. */
const usedSlots = (arrays: readonly (readonly unknown[] | null)[]): number[] => {
  const used = new Set<number>();
  for (const array of arrays) array?.forEach((value, index) => value !== null && used.add(index));
  return [...used].sort((one, other) => one - other);
};

const addTexts = (columns: Map<number, BlockColumn>, col: number, texts: readonly (string | null)[]): void => {
  if (texts.some((text) => text !== null)) columns.set(col, encodeTexts(texts));
};

const addJson = (
  rows: readonly StoredRow[],
  columns: Map<number, BlockColumn>,
  slots: readonly PlainColumn[],
  paths: PathNumbers,
): void => {
  const known = [...slots];
  for (const part of jsonParts) {
    const texts = rows.map((row) => row[part]);
    if (texts.every((text) => text === null)) continue;
    const cut = cutPart(part, texts);
    const leaves = cut && numbered(cut, paths);
    if (cut === undefined || leaves === undefined) {
      addTexts(columns, wholeColumns[part], texts);
      continue;
    }
    columns.set(shapeColumns[part], { ...encodeIntegers(cut.indices), dict: cut.shapes });
    for (const leaf of leaves) {
      columns.set(leaf.col, withStatistics(leaf, encodePlain(leaf, known)));
      known.push(leaf);
    }
  }
};

/** Returns the leaves with the numbers of their columns. Undefined if there are not enough numbers. */
const numbered = ({ columns }: CutPart, paths: PathNumbers): PlainColumn[] | undefined => {
  const cols = paths.reserve(columns.map(({ name }) => name));
  return (
    cols &&
    columns.map(({ kind, isSingle, values }, index) => ({
      col: cols[index]!,
      isText: isTextLeaf({ kind }),
      isSingle,
      values,
    }))
  );
};

/** Number of values that the count of a different value must replace on average. */
const leastCounted = 16;

/** Adds what the whole block has of a slot. */
const withCounts = (slot: PlainColumn, column: BlockColumn): BlockColumn => {
  const frequencies = frequenciesOf(column, leastCounted);
  return { ...withStatistics(slot, column), ...(frequencies && { frequencies }) };
};

/** Adds the sums of numbers, by which searches skip blocks. */
const withStatistics = ({ isText, values }: PlainColumn, column: BlockColumn): BlockColumn =>
  isText || column.same !== undefined ? column : { ...column, statistics: statisticsOf(values as (number | null)[]) };

const statisticsOf = (values: readonly (number | null)[]): ColumnStatistics => {
  const statistics = { sum: 0, squares: 0, lowest: Number.POSITIVE_INFINITY, highest: Number.NEGATIVE_INFINITY };
  for (const value of values) {
    if (value === null) continue;
    statistics.sum += value;
    statistics.squares += value * value;
    if (value < statistics.lowest) statistics.lowest = value;
    if (value > statistics.highest) statistics.highest = value;
  }
  return statistics;
};
