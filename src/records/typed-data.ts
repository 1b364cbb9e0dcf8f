import type { VariableType } from '#entities/enums.js';
import { decimalOf } from '#json/decimal.js';
import type { PlainJson } from '#json/json.js';
import { valueOfName } from '#json/key-path.js';
import type { PlainObject } from './item.js';
import type { Slot } from './scope/slot.js';

/** The typed form of a record's data (see {@link Slot} for how to read it). Empty parts are absent. */
export interface TypedData {
  numbers?: (number | null)[];
  texts?: (string | null)[];
  many?: Record<string, (number | boolean | string)[]>;
  ignored?: string[];
}

/** A value that fits its variable: in the form of the slot, and in the variable's own type. */
interface Fitting {
  slot: number | string;
  own: number | boolean | string;
}

/**
 * Puts the values of declared variables into their slots. `ignored` names the values that do not fit their variables.
 */
export const typeData = (data: PlainObject, slots: readonly Slot[]): TypedData => {
  const typed: TypedData = {};
  for (const slot of slots) {
    const value = valueOfName(data, slot.name);
    if (value === undefined) continue;
    if (typeof value !== 'object') {
      const one = fits[slot.type](value);
      if (one) place(typed, slot, one.slot);
      else (typed.ignored ??= []).push(`data.${slot.name}`);
      continue;
    }
    const values = leaves(value);
    const fitting = values.map((inner) => fits[slot.type](inner)).filter((inner) => inner !== undefined);
    if (fitting.length < values.length) (typed.ignored ??= []).push(`data.${slot.name}`);
    if (fitting.length > 1) (typed.many ??= {})[slot.name] = fitting.map(({ own }) => own);
    else if (fitting[0]) place(typed, slot, fitting[0].slot);
  }
  return typed;
};

/** Converts a value, or an array of values, to its variable's type. Returns undefined if nothing in it fits. */
export const fittingValue = (type: VariableType, value: PlainJson): PlainJson | undefined => {
  if (typeof value !== 'object') return fits[type](value)?.own;
  const fitting = leaves(value).flatMap((inner) => fits[type](inner) ?? []);
  return fitting.length > 1 ? fitting.map(({ own }) => own) : fitting[0]?.own;
};

/** Returns the values of an array, including nested ones, without nulls; for other values, the value itself. */
const leaves = (value: PlainJson): PlainJson[] => {
  if (Array.isArray(value)) return value.flatMap(leaves);
  return value === null ? [] : [value];
};

const place = (typed: TypedData, { kind, slot }: Slot, value: number | string): void => {
  if (kind === 'number') fill((typed.numbers ??= []), slot, Number(value));
  else fill((typed.texts ??= []), slot, String(value));
};

const fill = <Value>(array: (Value | null)[], slot: number, value: Value): void => {
  while (array.length < slot - 1) array.push(null);
  array[slot - 1] = value;
};

const integer =
  (lowest: bigint, highest: bigint) =>
  (value: PlainJson): Fitting | undefined => {
    const number = decimalOf(value);
    if (number === undefined || !Number.isInteger(number)) return undefined;
    // Text keeps the digits that a double would lose.
    const exact =
      typeof value === 'string' && /^[+-]?\d+$/.test(value) ? BigInt(value.replace('+', '')) : BigInt(number);
    if (exact < lowest || exact > highest) return undefined;
    return { slot: number, own: Number.isSafeInteger(number) ? number : exact.toString() };
  };

const largestFloat32 = 3.4028234663852886e38;

const booleans = new Map<PlainJson, boolean>([
  [true, true],
  ['true', true],
  [1, true],
  ['1', true],
  [false, false],
  ['false', false],
  [0, false],
  ['0', false],
]);

const fits: Record<VariableType, (value: PlainJson) => Fitting | undefined> = {
  BOOL: (value) => {
    const own = booleans.get(value);
    return own === undefined ? undefined : { slot: own ? 1 : 0, own };
  },
  TXT: (value) => (typeof value === 'object' ? undefined : { slot: String(value), own: String(value) }),
  INT16: integer(-(2n ** 15n), 2n ** 15n - 1n),
  INT64: integer(-(2n ** 63n), 2n ** 63n - 1n),
  FLOAT32: (value) => {
    const number = decimalOf(value);
    return number === undefined || Math.abs(number) > largestFloat32 ? undefined : { slot: number, own: number };
  },
  UINT8: integer(0n, 2n ** 8n - 1n),
  UINT16: integer(0n, 2n ** 16n - 1n),
  UINT32: integer(0n, 2n ** 32n - 1n),
};
