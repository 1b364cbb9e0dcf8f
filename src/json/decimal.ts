import { longestNumber } from './json.js';

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

/**
 * Returns a number, or the number of a text in JSON's notation (which may also have a plus sign and leading zeros);
 * undefined for everything else.
 */
export const decimalOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > longestNumber || !decimal.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
};

/** Returns a number like {@link decimalOf}, but whole numbers of a text with all their digits. */
export const exactOf = (value: unknown): number | bigint | undefined => {
  const number = decimalOf(value);
  if (number === undefined || typeof value !== 'string' || Number.isSafeInteger(number)) return number;
  return /^[+-]?\d+$/.test(value) ? BigInt(value.replace('+', '')) : number;
};

/** Whether a value is a number that may have lost digits when its JSON was parsed. */
export const isRounded = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;

/** Message about such a number. */
export const sendAsText = 'must be sent as text: a number beyond 2^53 - 1 loses digits';

/** Returns the key of the first such number inside a value; undefined if there is none. */
export const roundedIn = (value: unknown): string | undefined => {
  let found: string | undefined;
  JSON.stringify(value, (key, each: unknown) => {
    if (isRounded(each)) found ??= key;
    return each;
  });
  return found;
};
