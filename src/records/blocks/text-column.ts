import { type BlockColumn, cellAt } from './block-column.js';
import { decodeNumbers, encodeIntegers } from './number-column.js';

/**
 * Encodes texts as positions in a dictionary. If more than half are different, they are kept as bytes if all are
 * hexadecimal, else whole.
 */
export const encodeTexts = (values: readonly (string | null)[]): BlockColumn => {
  const n = values.reduce<number>((sum, value) => sum + Number(value !== null), 0);
  const places = new Map<string, number>();
  const positions: (number | null)[] = [];
  for (const value of values) {
    if (value === null) {
      positions.push(null);
      continue;
    }
    let place = places.get(value);
    if (place === undefined) {
      if (places.size >= Math.max(1, n / 2)) return hexadecimal(values) ?? { n, dict: values };
      place = places.size;
      places.set(value, place);
    }
    positions.push(place);
  }
  return { ...encodeIntegers(positions), dict: [...places.keys()] };
};

const hexadecimalText = /^(?:[\da-f]{2})*$/;

const hexadecimal = (values: readonly (string | null)[]): BlockColumn | undefined => {
  if (!values.every((value) => value === null || hexadecimalText.test(value))) return undefined;
  const lengths = encodeIntegers(values.map((value) => (value === null ? null : value.length / 2)));
  return { ...lengths, raw: Buffer.from(values.join(''), 'hex') };
};

/** Returns the texts of an encoded column with `length` cells. */
export const decodeTexts = (column: BlockColumn, length: number): (string | null)[] => {
  const { dict, raw, base } = column;
  if (raw !== undefined) {
    let at = 0;
    return decodeNumbers(column, length).map((bytes) =>
      bytes === null ? null : raw.toString('hex', at, (at += bytes)),
    );
  }
  if (base === undefined) return [...dict!];
  return Array.from({ length }, (_, index) => {
    const cell = cellAt(column, index);
    return cell === null ? null : dict![base + cell]!;
  });
};
