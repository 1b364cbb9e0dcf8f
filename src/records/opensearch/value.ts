import type { PlainJson } from '#json/json.js';

/**
 * Kinds of values in the index: `n` number, `b` boolean as 0 and 1, `l` whole number that may lie beyond 2^53, `k`
 * text. They read a record's JSON as PostgreSQL does (`records/postgres/search/sql/stored-field.ts`).
 */
export type PlaceKind = 'n' | 'b' | 'l' | 'k';

/** An indexed value. Whole numbers beyond 2^53 are decimal text. */
export type PlaceValue = number | string;

const decimal = /^-?\d{1,40}(\.\d{1,40})?$/;

/**
 * Reads a scalar whose path the record's product does not declare as a kind. Returns undefined if it has no value of
 * that kind.
 */
export const scalarOf = (kind: PlaceKind, value: PlainJson): PlaceValue | undefined => {
  if (value === null || typeof value === 'object') return undefined;
  switch (kind) {
    case 'k':
      return typeof value === 'number' ? decimalText(value) : String(value);
    case 'b':
      return value === true || value === 'true' ? 1 : value === false || value === 'false' ? 0 : undefined;
    case 'n':
      return numberOf(value);
    case 'l': {
      const number = numberOf(value);
      return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
    }
  }
};

const numberOf = (value: string | number | boolean): number | undefined => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && decimal.test(value) ? Number(value) : undefined;
};

/** Writes a number as PostgreSQL writes that of a jsonb: never with an exponent. */
const decimalText = (value: number): string => {
  const text = JSON.stringify(value);
  const [, sign = '', whole = '', fraction = '', exponent = ''] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === '') return text;
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return digits.length <= point
    ? `${sign}${digits}${'0'.repeat(point - digits.length)}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
};

/** Returns the digits of a whole number, which may exceed what a double holds, from a record's JSON. */
export const exactDigits = (value: PlainJson | undefined): string | undefined => {
  if (Array.isArray(value)) return value.map(exactDigits).find((digits) => digits !== undefined);
  if (typeof value === 'number') return decimalText(value);
  return typeof value === 'string' && /^[+-]?\d+$/.test(value) ? value.replace('+', '') : undefined;
};
