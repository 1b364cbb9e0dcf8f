import { illegalArgument, notOfKind, parsing, WrongKind } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { type KeyReaders, object, type RefuseKind, type Shaped } from '../syntax/object.js';
import { ignored, kindOf, nestedArray, number, type Read, string, text } from '../syntax/value.js';

/** Parses the body of a clause. */
export type ParseClause<N> = (input: Input) => N;

/** Parses a nested clause. */
export type ParseInner<Q> = (input: Input) => Q;

/** Parses a boost. It would change scores, which records do not have. */
const boost: Read<number> = (input) => {
  const value = number(input);
  if (value < 0) throw illegalArgument(`negative [boost] are not allowed, found [${value}]`, input);
  return value;
};

/** Options of every clause. */
export const common = { boost, _name: string } as const;

/** The common options where the engines accept numbers as texts. */
export const loosely = { boost, _name: text } as const;

/** The common options where the engines accept any value as a name. */
export const unchecked = { boost, _name: ignored } as const;

/** Parses one clause or several: `filter` may be an object or an array. */
export const clauses =
  <Q>(inner: ParseInner<Q>) =>
  (input: Input): Q[] => {
    if (input.isNull) return [];
    if (!input.isObject && !input.isArray)
      throw new WrongKind(`[bool] query malformed, unexpected [${kindOf(input)}]`, input, kindOf(input));
    return input.items().map((item) => {
      if (item.isArray) throw nestedArray(item);
      return inner(item);
    });
  };

/**
 * Creates a parser that refuses unknown keys. The engines' parsers of most clauses are written by hand, and report a
 * wrong key or kind in sentences of their own.
 */
const byHand =
  (refuse: RefuseKind) =>
  <S extends KeyReaders>(name: string, shape: S) =>
  (input: Input): Shaped<S> => {
    const unknown = input.members().find(({ key }) => !Object.hasOwn(shape, key));
    if (unknown !== undefined) throw parsing(`[${name}] query does not support [${unknown.key}]`, unknown.input);
    return object(name, shape, refuse)(input);
  };

/** Works like {@link object}, for clauses that check first whether there is a value at all. */
export const handWritten = byHand((name, { key, input }, { kind, reason, place }) =>
  kind.startsWith('VALUE_') && kind !== 'VALUE_NULL'
    ? notOfKind(kind, reason, place)
    : parsing(`[${name}] unknown token [${kind}] after [${key}]`, place ?? input),
);

/** Works like {@link object}, for parsers that refuse everything unexpected in the same sentence. */
export const strict = byHand((name, { key, input }, { kind, place }) =>
  parsing(`Unexpected token ${kind} [${key}] in [${name}]`, place ?? input),
);

/** Works like {@link object}, for clauses that accept any token as a value. */
export const trusting = byHand((_name, _entry, { kind, reason, place }) => notOfKind(kind, reason, place));

/** Returns the values of a clause whose parser descends into arrays and skips `null`. */
export const flattened = (at: Input): { key: string; input: Input }[] =>
  at.members().flatMap(({ key, input }) =>
    input
      .items()
      .filter((item) => !item.isNull && !item.isArray)
      .map((item) => ({ key, input: item })),
  );
