import type { PlainJson } from '../../json.js';

/**
 * How a value of the index is read: `n` a number, `b` a boolean as 0 and 1, `l` a whole number that may lie beyond 2^53, `k`
 * text. It says the same of a record's JSON as PostgreSQL does (`records/postgres/search/sql/stored-field.ts`).
 */
export type PlaceKind = 'n' | 'b' | 'l' | 'k';

/** A value in its place. Whole numbers beyond 2^53 are decimal text. */
export type PlaceValue = number | string;

const decimal = /^-?\d{1,40}(\.\d{1,40})?$/;

/** A scalar of a record whose product does not declare its path, read as a kind; undefined where it has none of that kind. */
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

/** A number as PostgreSQL writes that of a jsonb: never with an exponent. */
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

/** The digits of a whole number beyond what a double holds, where a record's JSON has them. */
export const exactDigits = (value: PlainJson | undefined): string | undefined => {
  if (Array.isArray(value)) return value.map(exactDigits).find((digits) => digits !== undefined);
  if (typeof value === 'number') return decimalText(value);
  return typeof value === 'string' && /^[+-]?\d+$/.test(value) ? value.replace('+', '') : undefined;
};
