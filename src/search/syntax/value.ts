import { longestNumber } from '#json/json.js';
import { type Cause, illegalArgument, notOfKind, numberFormat, SearchFailure, WrongKind } from '../search-failure.js';
import type { Input } from './input.js';

/** Parses one value of a known shape, or throws at its position. */
export type Read<T> = (input: Input) => T;

/** Returns the text of a string, number or boolean, which the engines treat alike. */
export const scalarText = ({ node }: Input): string | undefined => {
  if (node.kind === 'string' || node.kind === 'number') return node.text;
  return node.kind === 'literal' && node.value !== null ? `${node.value}` : undefined;
};

const numberPattern = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** Whether a text is a decimal number, of at most {@link longestNumber} characters. */
export const isNumber = (text: string): boolean => text.length <= longestNumber && numberPattern.test(text);

/** Parses a text. Numbers and booleans are accepted as texts. */
export const text: Read<string> = (input) => {
  const value = scalarText(input);
  if (value === undefined) throw wrongKind('a text', input);
  return value;
};

/** Parses a text. Rejects numbers and booleans. */
export const string: Read<string> = (input) => {
  if (input.node.kind !== 'string') throw wrongKind('a text', input);
  return input.node.text;
};

/** Parses a text or null. */
export const optionalString: Read<string | undefined> = (input) => (input.isNull ? undefined : string(input));

/** Parses a finite number, or its text. */
export const number: Read<number> = (input) => {
  const value = scalarText(input);
  if (value === undefined || input.node.kind === 'literal') {
    throw wrongKind('a number', input);
  }
  if (!isNumber(value) || !Number.isFinite(Number(value))) throw failed(numberFormat(value), input);
  return Number(value);
};

/** Parses a whole number, or its text. A fraction is truncated, as in the engines. */
export const integer: Read<number> = (input) => {
  const given = scalarText(input) ?? '';
  if (isNumber(given) && Math.abs(Number(given)) >= 2 ** 31 + 1) throw outOfRange('int', given, input);
  return Math.trunc(number(input));
};

/**
 * Parses a whole number of 64 bits, within the precision of doubles. Its errors for texts differ from those of {@link
 * integer}, as in the engines.
 */
export const long: Read<number> = (input) => {
  const given = scalarText(input) ?? '';
  if (input.node.kind === 'string' && (!isNumber(given) || given !== given.trim()))
    throw illegalArgument(`For input string: "${given}"`, input);
  if (input.node.kind !== 'literal' && Math.abs(Number(given)) > 2 ** 63) throw outOfRange('long', given, input);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(number(input))));
};

const outOfRange = (type: 'int' | 'long', given: string, input: Input): SearchFailure =>
  input.node.kind === 'string'
    ? illegalArgument(`Value [${given}] is out of range for ${type === 'int' ? 'an integer' : 'a long'}`, input)
    : new SearchFailure(400, 'input_coercion_exception', `Numeric value (${given}) out of range of ${type}`, input);

/** Parses a whole number of at least `least`, with the engines' error message. */
export const atLeast =
  (least: number, read: Read<number> = integer): Read<number> =>
  (input) => {
    const value = read(input);
    if (value >= least) return value;
    const bound = least === 1 ? 'must be greater than 0' : `must be greater than or equal to ${least}`;
    throw illegalArgument(`[${input.key}] ${bound}. Found [${value}]`, input);
  };

/** Formats a number as the engines write a double in their messages: `-1.0`. */
export const doubleText = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : `${value}`);

/** Parses true or false, or their texts. */
export const flag: Read<boolean> = (input) => {
  const value = input.node.kind === 'number' ? undefined : scalarText(input);
  if (value === undefined) throw wrongKind('true or false', input);
  // Clients send an empty text for a parameter without a value.
  if (value === 'true' || value === 'false' || value === '') return value === 'true';
  throw illegalArgument(`Failed to parse value [${value}] as only [true] or [false] are allowed.`, input);
};

/** Parses one of several words in any case, from a text, number or boolean. */
export const word =
  <T extends string>(...words: readonly T[]): Read<T> =>
  (input) =>
    among(words, text(input), input);

/** Parses one of several words in any case, from a text. */
export const oneOf =
  <T extends string>(...words: readonly T[]): Read<T> =>
  (input) =>
    among(words, string(input), input);

const among = <T extends string>(words: readonly T[], given: string, input: Input): T => {
  const value = given.toLowerCase();
  const found = words.find((candidate) => candidate.toLowerCase() === value);
  if (found === undefined)
    throw illegalArgument(`Unknown ${input.key} [${value}], expected one of [${words.join(', ')}]`, input);
  return found;
};

/** Parses an array of one shape, or a single item. */
export const listOf =
  <T>(read: Read<T>): Read<T[]> =>
  (input) =>
    input.items().map((item) => {
      if (input.isArray && item.isArray) throw nestedArray(item);
      return read(item);
    });

/**
 * Works like {@link listOf} for objects. As in the engines, a value that is not an object is skipped if an object
 * follows, unless `also` accepts it as an item.
 */
export const objectsOf =
  <T>(read: Read<T>, also: (item: Input) => boolean = () => false): Read<T[]> =>
  (input) => {
    if (!input.isObject && !input.isArray) throw wrongKind('an array', input);
    const items = input.items();
    return items
      .filter((item, index) => item.isObject || item.isArray || also(item) || !items[index + 1]?.isObject)
      .map((item) => {
        if (input.isArray && item.isArray) throw nestedArray(item);
        return read(item);
      });
  };

/** Creates the error of an array, an object or `null` where the engines read a text without checking the kind first. */
export const noText = (input: Input) =>
  new SearchFailure(400, 'illegal_state_exception', `Can't get text on a ${kindOf(input)}`, input);

/** Parses a text with the error {@link noText}. */
export const bareText: Read<string> = (input) => {
  const value = scalarText(input);
  if (value === undefined) throw noText(input);
  return value;
};

/** Creates the error of an array inside an array. */
export const nestedArray = (input: Input) =>
  new SearchFailure(400, 'illegal_state_exception', 'expected value but got [START_ARRAY]', input);

/** Wraps a reader for values that the engines read without checking the kind first. */
export const byHand =
  <T>(read: Read<T>): Read<T> =>
  (input) => {
    try {
      return read(input);
    } catch (error) {
      if (!(error instanceof WrongKind) || !error.kind.startsWith('VALUE_')) throw error;
      throw notOfKind(error.kind, error.reason, error.place);
    }
  };

/** Parses a number of a list whose items the engines all read as numbers. */
export const inNumbers: Read<number> = (input) => {
  try {
    return number(input);
  } catch (error) {
    if (error instanceof WrongKind) throw notOfKind(error.kind, error.reason, error.place);
    throw error;
  }
};

/** Returns a value that is neither an array nor an object, to be parsed later. */
export const scalar: Read<Input> = (input) => {
  if (input.isObject || input.isArray) throw wrongKind('a value', input);
  return input;
};

/** Returns the input unchanged, to be parsed later when the type of its field is known. */
export const anything: Read<Input> = (input) => input;

/** Accepts an option of the engines' clients that has no effect here. */
export const ignored: Read<undefined> = () => undefined;

/** Returns the engines' name of a kind of value, for errors. */
export const kindOf = ({ node }: Input): string => {
  if (node.kind === 'object') return 'START_OBJECT';
  if (node.kind === 'array') return 'START_ARRAY';
  if (node.kind === 'literal') return node.value === null ? 'VALUE_NULL' : 'VALUE_BOOLEAN';
  return node.kind === 'string' ? 'VALUE_STRING' : 'VALUE_NUMBER';
};

const wrongKind = (wanted: string, input: Input) =>
  new WrongKind(`[${input.key}] must be ${wanted}, but was ${kindOf(input)}`, input, kindOf(input));

const failed = (cause: Cause, input: Input) => illegalArgument(cause.reason, input, cause);
