import { type Cause, parsing, SearchFailure, WrongKind, xContent } from '../failure.js';
import type { Entry } from './input.js';
import { suggestion } from './suggest.js';
import { kindOf, type Read } from './value.js';

/** The keys that an object may have, each with what reads it. */
export type Shape = Readonly<Record<string, Read<unknown>>>;

/** What an object of a shape reads into: each key's value where the key came. */
export type Shaped<S extends Shape> = { [K in keyof S]?: ReturnType<S[K]> };

/**
 * A parser of one kind of object, from a table of its keys. An unknown key, or one whose value cannot be read, fails with
 * the engines' sentence (`[1:41] [terms] unknown field [sizee] did you mean [size]?`).
 */
export const object =
  <S extends Shape>(name: string, shape: S): Read<Shaped<S>> =>
  (input) => {
    if (!input.isObject) throw parsing(`[${name}] must be an object, but was ${kindOf(input)}`, input);
    const values: Partial<Record<string, unknown>> = {};
    for (const entry of input.members()) {
      const read = Object.hasOwn(shape, entry.key) ? shape[entry.key] : undefined;
      if (read === undefined) throw unknownKey(name, entry, Object.keys(shape));
      values[entry.key] = within(name, entry, read);
    }
    return values as Shaped<S>;
  };

/** A key that its object does not know. */
export const unknownKey = (name: string, entry: Entry, known: readonly string[]): SearchFailure =>
  xContent(`[${name}] unknown field [${entry.key}]${suggestion(entry.key, known)}`, entry.place);

const within = (name: string, { key, input }: Entry, read: Read<unknown>): unknown => {
  try {
    return read(input);
  } catch (error) {
    if (error instanceof WrongKind)
      throw xContent(`[${name}] ${key} doesn't support values of type: ${error.kind}`, error.place ?? input);
    if (!(error instanceof SearchFailure) || error.type !== 'illegal_argument_exception') throw error;
    const cause: Cause = error.causedBy ?? { type: error.type, reason: error.reason };
    throw xContent(`[${name}] failed to parse field [${key}]`, error.place ?? input, cause);
  }
};
