import type { VariableType } from '#entities/enums.js';
import type { Reading } from './step.js';

/** Types with a fixed binary width. */
export type FixedType = Exclude<VariableType, VariableType.TXT>;

/** Number of bytes of a value in a binary frame. */
export const widths: Record<FixedType, number> = {
  BOOL: 1,
  INT16: 2,
  INT64: 8,
  FLOAT32: 4,
  UINT8: 1,
  UINT16: 2,
  UINT32: 4,
};

const readers: Record<FixedType, (bytes: Buffer, at: number) => Reading> = {
  BOOL: (bytes, at) => {
    const byte = bytes.readUInt8(at);
    return byte > 1 ? { warning: 'BAD_BOOL' } : { value: byte === 1 };
  },
  INT16: (bytes, at) => ({ value: bytes.readInt16BE(at) }),
  INT64: (bytes, at) => ({ value: exactInteger(bytes.readBigInt64BE(at)) }),
  FLOAT32: (bytes, at) => {
    const value = bytes.readFloatBE(at);
    return Number.isFinite(value) ? { value: shortestFloat32(value) } : { warning: 'NOT_FINITE' };
  },
  UINT8: (bytes, at) => ({ value: bytes.readUInt8(at) }),
  UINT16: (bytes, at) => ({ value: bytes.readUInt16BE(at) }),
  UINT32: (bytes, at) => ({ value: bytes.readUInt32BE(at) }),
};

/** Reads a big-endian value of fixed width. All of its bytes must exist. */
export const readFixed = (type: FixedType, bytes: Buffer, at: number): Reading => readers[type](bytes, at);

/** Returns an integer as a number if a double holds it exactly, else as decimal text. */
export const exactInteger = (value: bigint): number | string =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value.toString();

/**
 * Returns the double with the fewest decimal digits that reads back to the same float32: 0.1 for the float32 nearest to
 * 0.1, whose own double is 0.10000000149011612. Nine digits always suffice. Minus zero becomes zero, which is all that
 * JSON text keeps.
 */
export const shortestFloat32 = (value: number): number => {
  if (value === 0) return 0;
  for (let digits = 1; digits < 9; digits++) {
    const nearest = value.toExponential(digits - 1);
    const found = [Number(nearest), awayFromZero(nearest)].find((candidate) => Math.fround(candidate) === value);
    if (found !== undefined) return found;
  }
  return Number(value.toPrecision(9));
};

/**
 * Returns the next decimal with as many digits, away from zero. At a power of two the float32s below lie closer than
 * those above. A decimal above may then read back although the nearest one, below, does not: 2^-96, 2^87 and 2^90 need
 * eight digits, not nine.
 */
const awayFromZero = (exponential: string): number => {
  const [mantissa = '', exponent = ''] = exponential.split('e');
  const digits = mantissa.replace('.', '');
  const next = BigInt(digits) + (digits.startsWith('-') ? -1n : 1n);
  return Number(`${next}e${Number(exponent) - digits.replace('-', '').length + 1}`);
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads UTF-8 text. Invalid bytes, and NUL, which PostgreSQL cannot store, become U+FFFD. */
export const readText = (bytes: Buffer): Reading => {
  try {
    return { value: utf8.decode(bytes).replaceAll('\0', '\uFFFD') };
  } catch {
    return { value: bytes.toString('utf8').replaceAll('\0', '\uFFFD'), warning: 'BAD_UTF8' };
  }
};
