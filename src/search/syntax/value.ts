import { longestNumber } from '../../json.js';
import { type Cause, illegalArgument, notOfKind, numberFormat, SearchFailure, WrongKind } from '../failure.js';
import type { Input } from './input.js';

/** Reads one value of a known shape, or fails at its place. */
export type Read<T> = (input: Input) => T;

/** The text of a string, number or boolean: what the engines take for one another. */
export const scalarText = ({ node }: Input): string | undefined => {
  if (node.kind === 'string' || node.kind === 'number') return node.text;
  return node.kind === 'literal' && node.value !== null ? `${node.value}` : undefined;
};

const numberPattern = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** Whether a text is a decimal number, of {@link longestNumber} characters at most. */
export const isNumber = (text: string): boolean => text.length <= longestNumber && numberPattern.test(text);

/** A text; numbers and booleans count as theirs. */
export const text: Read<string> = (input) => {
  const value = scalarText(input);
  if (value === undefined) throw wrongKind('a text', input);
  return value;
};

/** A text that came as one. */
export const string: Read<string> = (input) => {
  if (input.node.kind !== 'string') throw wrongKind('a text', input);
  return input.node.text;
};

/** A text or nothing. */
export const optionalString: Read<string | undefined> = (input) => (input.isNull ? undefined : string(input));

/** A finite number, or its text. */
export const number: Read<number> = (input) => {
  const value = scalarText(input);
  if (value === undefined || input.node.kind === 'literal') {
    throw wrongKind('a number', input);
  }
  if (!isNumber(value) || !Number.isFinite(Number(value))) throw failed(numberFormat(value), input);
  return Number(value);
};

/** A whole number, or its text; a fraction is cut off, as the engines do. */
export const integer: Read<number> = (input) => {
  const given = scalarText(input) ?? '';
  if (isNumber(given) && Math.abs(Number(given)) >= 2 ** 31 + 1) throw outOfRange('int', given, input);
  return Math.trunc(number(input));
};

/**
 * A whole number of 64 bits, as far as doubles tell such apart; of its text the engines complain otherwise than of that of an
 * {@link integer}.
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

/** A whole number of at least `least`; the engines' sentence otherwise. */
export const atLeast =
  (least: number, read: Read<number> = integer): Read<number> =>
  (input) => {
    const value = read(input);
    if (value >= least) return value;
    const bound = least === 1 ? 'must be greater than 0' : `must be greater than or equal to ${least}`;
    throw illegalArgument(`[${input.key}] ${bound}. Found [${value}]`, input);
  };

/** A number as the engines write a double in their sentences: `-1.0`. */
export const doubleText = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : `${value}`);

/** True or false, or its text. */
export const flag: Read<boolean> = (input) => {
  const value = input.node.kind === 'number' ? undefined : scalarText(input);
  if (value === undefined) throw wrongKind('true or false', input);
  // An empty text is what a client sends that has none.
  if (value === 'true' || value === 'false' || value === '') return value === 'true';
  throw illegalArgument(`Failed to parse value [${value}] as only [true] or [false] are allowed.`, input);
};

/** One of a few words, any case; a text, or what has one. */
export const word =
  <T extends string>(...words: readonly T[]): Read<T> =>
  (input) =>
    among(words, text(input), input);

/** One of a few words, any case; a text. */
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

/** An array of one shape, or a single item in place of it. */
export const listOf =
  <T>(read: Read<T>): Read<T[]> =>
  (input) =>
    input.items().map((item) => {
      if (input.isArray && item.isArray) throw nestedArray(item);
      return read(item);
    });

/** Like {@link listOf}, of objects: the engines pass over what is none where an object follows, but for what `also` is an item. */
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

/** An array, an object or `null` where the engines read a text without asking first what there is. */
export const noText = (input: Input) =>
  new SearchFailure(400, 'illegal_state_exception', `Can't get text on a ${kindOf(input)}`, input);

/** A text, read so. */
export const bareText: Read<string> = (input) => {
  const value = scalarText(input);
  if (value === undefined) throw noText(input);
  return value;
};

/** An array in an array, where the engines take none. */
export const nestedArray = (input: Input) =>
  new SearchFailure(400, 'illegal_state_exception', 'expected value but got [START_ARRAY]', input);

/** Like `read`, where the engines look at a value without asking first of what kind it is. */
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

/** A number of a list that the engines read as one, whatever it is. */
export const inNumbers: Read<number> = (input) => {
  try {
    return number(input);
  } catch (error) {
    if (error instanceof WrongKind) throw notOfKind(error.kind, error.reason, error.place);
    throw error;
  }
};

/** A value that is neither an array nor an object, to be read later. */
export const scalar: Read<Input> = (input) => {
  if (input.isObject || input.isArray) throw wrongKind('a value', input);
  return input;
};

/** The input as it is, to be read later when the type of its field is known. */
export const anything: Read<Input> = (input) => input;

/** What is accepted for the sake of the engines' clients and has no effect here. */
export const ignored: Read<undefined> = () => undefined;

/** How a fault names what it found. */
export const kindOf = ({ node }: Input): string => {
  if (node.kind === 'object') return 'START_OBJECT';
  if (node.kind === 'array') return 'START_ARRAY';
  if (node.kind === 'literal') return node.value === null ? 'VALUE_NULL' : 'VALUE_BOOLEAN';
  return node.kind === 'string' ? 'VALUE_STRING' : 'VALUE_NUMBER';
};

const wrongKind = (wanted: string, input: Input) =>
  new WrongKind(`[${input.key}] must be ${wanted}, but was ${kindOf(input)}`, input, kindOf(input));

const failed = (cause: Cause, input: Input) => illegalArgument(cause.reason, input, cause);
