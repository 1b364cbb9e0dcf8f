import { type Cause, illegalArgument, numberFormat, WrongKind } from '../failure.js';
import type { Input } from './input.js';

/** Reads one value of a known shape, or fails at its place. */
export type Read<T> = (input: Input) => T;

/** The text of a string, number or boolean: what the engines take for one another. */
export const scalarText = ({ node }: Input): string | undefined => {
  if (node.kind === 'string' || node.kind === 'number') return node.text;
  return node.kind === 'literal' && node.value !== null ? `${node.value}` : undefined;
};

const numberPattern = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** Whether a text is a decimal number. */
export const isNumber = (text: string): boolean => numberPattern.test(text);

/** A text; numbers and booleans count as theirs. */
export const text: Read<string> = (input) => {
  const value = scalarText(input);
  if (value === undefined) throw wrongKind('a text', input);
  return value;
};

/** A text or nothing. */
export const optionalText: Read<string | undefined> = (input) => (input.isNull ? undefined : text(input));

/** A finite number, or its text. */
export const number: Read<number> = (input) => {
  const value = scalarText(input);
  if (value === undefined || input.node.kind === 'literal') {
    throw wrongKind('a number', input);
  }
  if (!isNumber(value) || !Number.isFinite(Number(value))) throw failed(numberFormat(value), input);
  return Number(value);
};

/** A whole number, or its text. The fraction of one that has a fraction is a fault. */
export const integer: Read<number> = (input) => {
  const value = number(input);
  if (!Number.isSafeInteger(value))
    throw illegalArgument(`${value} cannot be converted to Integer without data loss`, input);
  return value;
};

/** A whole number of at least `least`; the engines' sentence otherwise. */
export const atLeast =
  (least: number): Read<number> =>
  (input) => {
    const value = integer(input);
    if (value >= least) return value;
    const bound = least === 1 ? 'must be greater than 0' : `must be greater than or equal to ${least}`;
    throw illegalArgument(`[${input.key}] ${bound}. Found [${value}]`, input);
  };

/** True or false, or its text. */
export const flag: Read<boolean> = (input) => {
  const value = scalarText(input);
  if (value === 'true' || value === 'false') return value === 'true';
  throw illegalArgument(
    `Failed to parse value [${value ?? kindOf(input)}] as only [true] or [false] are allowed.`,
    input,
  );
};

/** One of a few words, any case. */
export const word =
  <T extends string>(...words: readonly T[]): Read<T> =>
  (input) => {
    const value = text(input).toLowerCase();
    const found = words.find((candidate) => candidate.toLowerCase() === value);
    if (found === undefined)
      throw illegalArgument(`Unknown ${input.key} [${value}], expected one of [${words.join(', ')}]`, input);
    return found;
  };

/** An array of one shape, or a single item in place of it. */
export const listOf =
  <T>(read: Read<T>): Read<T[]> =>
  (input) =>
    input.items().map(read);

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
