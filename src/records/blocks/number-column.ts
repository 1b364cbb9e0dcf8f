import { type BlockColumn, type Cells, cellAt, type Frequencies } from './block-column.js';

/** Powers of ten that doubles hold exactly, as far as scaled integers need them. */
export const powers = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15] as const;

/** Widths of integers in bytes, with the number of values that each holds. */
const widths = [
  { count: 2 ** 8, create: (length: number) => new Int8Array(length) },
  { count: 2 ** 16, create: (length: number) => new Int16Array(length) },
  { count: 2 ** 32, create: (length: number) => new Int32Array(length) },
];

/**
 * Encodes numbers as integers, scaled by the least power of ten that restores each double, in the narrowest type. If
 * there is no such power (-0, 1e308, a third), or the integers span more than 32 bits, all are kept as doubles.
 */
export const encodeNumbers = (values: readonly (number | null)[]): BlockColumn => {
  const scale = scaleOf(values);
  if (scale === undefined) return doubles(values);
  const power = powers[scale]!;
  const scaled = scale === 0 ? values : values.map((value) => (value === null ? null : Math.round(value * power)));
  return encodeIntegers(scaled, scale);
};

/** Encodes safe integers, which are values times `10 ** scale`, in the narrowest type; else the values as doubles. */
export const encodeIntegers = (values: readonly (number | null)[], scale = 0): BlockColumn => {
  let [n, lowest, highest] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value === null) continue;
    n++;
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  if (n === 0) return { n, base: 0, scale, cells: new Int8Array(values.length), absent: absentOf(values) };
  if (n === values.length && lowest === highest) return { n, base: lowest, scale };
  const width = widths.find(({ count }) => highest - lowest < count);
  // The lowest value becomes the lowest of the type, unless the values fit as they are.
  const half = (width?.count ?? 0) / 2;
  const base = lowest >= -half && highest < half ? 0 : lowest + half;
  if (width === undefined || !Number.isSafeInteger(base))
    return doubles(values.map((value) => (value === null ? null : value / powers[scale]!)));
  const cells = width.create(values.length);
  for (const [index, value] of values.entries()) if (value !== null) cells[index] = value - base;
  return { n, base, scale, cells, ...gaps(values, n) };
};

const doubles = (values: readonly (number | null)[]): BlockColumn => {
  const n = values.reduce<number>((sum, value) => sum + Number(value !== null), 0);
  return { n, cells: Float64Array.from(values, (value) => value ?? 0), ...gaps(values, n) };
};

const gaps = (values: readonly unknown[], n: number): { absent?: Uint8Array } =>
  n === values.length ? {} : { absent: absentOf(values) };

const absentOf = (values: readonly unknown[]): Uint8Array => Uint8Array.from(values, (value) => Number(value === null));

/** Returns the least power of ten that makes integers of all values, which divided by it are the values again. */
const scaleOf = (values: readonly (number | null)[]): number | undefined => {
  let scale = 0;
  let power: number = powers[scale]!;
  for (const value of values) {
    if (value === null) continue;
    if (value === 0 && Object.is(value, -0)) return undefined;
    for (;;) {
      const scaled = Math.round(value * power);
      if (scaled / power === value && Number.isSafeInteger(scaled)) break;
      if (++scale === powers.length) return undefined;
      power = powers[scale]!;
    }
  }
  // The final power must also restore the values that a lower one restored.
  for (const value of values) {
    if (value === null) continue;
    const scaled = Math.round(value * power);
    if (scaled / power !== value || !Number.isSafeInteger(scaled)) return undefined;
  }
  return scale;
};

/** Returns the values of an encoded column with `length` cells. */
export const decodeNumbers = (column: BlockColumn, length: number): (number | null)[] => {
  const { base, scale = 0, cells, absent } = column;
  if (base === undefined) return Array.from({ length }, (_, index) => cellAt(column, index));
  const power = powers[scale]!;
  if (cells === undefined) return Array.from<number>({ length }).fill(base / power);
  const values: (number | null)[] = [];
  for (let index = 0; index < length; index++)
    values.push(absent?.[index] === 1 ? null : (base + cells[index]!) / power);
  return values;
};

/** Maximum number of different values that are counted. */
const mostDifferent = 512;

/**
 * Counts how often each cell occurs. Undefined if there are too many different ones.
 * @param least number of values that a count must replace on average
 */
export const frequenciesOf = ({ n, base, cells, absent, raw }: BlockColumn, least: number): Frequencies | undefined => {
  if (base === undefined || raw || cells === undefined || absent !== undefined) return undefined;
  const limit = Math.min(mostDifferent, Math.floor(n / least));
  const sorted = (cells as Exclude<Cells, Float64Array>).toSorted();
  const values: number[] = [];
  const hits: number[] = [];
  for (const cell of sorted) {
    if (cell === values.at(-1)) hits[hits.length - 1]!++;
    else {
      if (values.length === limit) return undefined;
      values.push(cell);
      hits.push(1);
    }
  }
  return { values: Int32Array.from(values), hits: Int32Array.from(hits) };
};
