import type { BlockColumn } from './block-column.js';
import type { LeafColumn } from './json-column.js';
import type { LeafValue } from './json-shape.js';
import { decodeNumbers, encodeNumbers } from './number-column.js';
import { decodeTexts, encodeTexts } from './text-column.js';

/** Values of a column before they are encoded. */
export interface PlainColumn {
  col: number;
  isText: boolean;
  /** Whether there is one value per record. */
  isSingle: boolean;
  values: readonly (LeafValue | null)[];
}

/** Whether a leaf's values are texts: `%` are the digits of numbers. */
export const isTextLeaf = ({ kind }: Pick<LeafColumn, 'kind'>): boolean => kind === '$' || kind === '%';

/** Encodes a column, as an alias if one of the columns before has the same values. */
export const encodePlain = (column: PlainColumn, before: readonly PlainColumn[]): BlockColumn => {
  const { values, isText } = column;
  const twin = before.find((other) => isSame(column, other));
  if (twin) return { n: values.reduce<number>((sum, value) => sum + Number(value !== null), 0), same: twin.col };
  return isText ? encodeTexts(values as (string | null)[]) : encodeNumbers(values as (number | null)[]);
};

const isSame = (one: PlainColumn, other: PlainColumn): boolean =>
  one.isText === other.isText &&
  one.isSingle === other.isSingle &&
  one.values.length === other.values.length &&
  one.values.every((value, index) => Object.is(value, other.values[index]));

/** Returns the values of an encoded column with `length` cells. */
export const decodePlain = (
  { isText }: Pick<PlainColumn, 'isText'>,
  column: BlockColumn,
  length: number,
): (LeafValue | null)[] => (isText ? decodeTexts(column, length) : decodeNumbers(column, length));
