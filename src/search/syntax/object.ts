import { type Cause, SearchFailure, WrongKind, xContent } from '../search-failure.js';
import type { Entry } from './input.js';
import { suggestion } from './suggest.js';
import { kindOf, type Read } from './value.js';

/** Accepted keys of an object, with the reader of each. */
export type KeyReaders = Readonly<Record<string, Read<unknown>>>;

/** Result of parsing an object of a shape: the values of the keys that are present. */
export type Shaped<S extends KeyReaders> = { [K in keyof S]?: ReturnType<S[K]> };

/**
 * Creates a parser of one kind of object from a table of its keys. An unknown key, or one whose value cannot be parsed,
 * fails with the engines' sentence (`[1:41] [terms] unknown field [sizee] did you mean [size]?`).
 */
export const object =
  <S extends KeyReaders>(name: string, shape: S, refuse: RefuseKind = refuseByTable): Read<Shaped<S>> =>
  (input) => {
    if (!input.isObject)
      throw new WrongKind(`[${name}] must be an object, but was ${kindOf(input)}`, input, kindOf(input));
    const values: Partial<Record<string, unknown>> = {};
    for (const entry of input.members()) {
      const read = Object.hasOwn(shape, entry.key) ? shape[entry.key] : undefined;
      if (read === undefined) throw unknownKey(name, entry, Object.keys(shape));
      values[entry.key] = within(name, entry, read, refuse);
    }
    return values as Shaped<S>;
  };

export const unknownKey = (name: string, entry: Entry, names: readonly string[]): SearchFailure =>
  xContent(`[${name}] unknown field [${entry.key}]${suggestion(entry.key, names)}`, entry.place);

/** Creates the error of a value of a kind that its key does not accept. */
export type RefuseKind = (name: string, entry: Entry, fault: WrongKind) => SearchFailure;

const refuseByTable: RefuseKind = (name, { key, input }, { kind, place }) =>
  xContent(`[${name}] ${key} doesn't support values of type: ${kind}`, place ?? input);

const within = (name: string, entry: Entry, read: Read<unknown>, refuse: RefuseKind): unknown => {
  const { key, input } = entry;
  try {
    return read(input);
  } catch (error) {
    if (error instanceof WrongKind) throw refuse(name, entry, error);
    if (!(error instanceof SearchFailure) || error.type !== 'illegal_argument_exception') throw error;
    const cause: Cause = error.causedBy ?? { type: error.type, reason: error.reason };
    throw xContent(`[${name}] failed to parse field [${key}]`, error.place ?? input, cause);
  }
};
