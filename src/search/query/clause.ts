import { illegalArgument, notOfKind, parsing, WrongKind } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { object, type RefuseKind, type Shape, type Shaped } from '../syntax/object.js';
import { ignored, kindOf, nestedArray, number, type Read, string, text } from '../syntax/value.js';

/** Reads the body of a clause. */
export type ParseClause<N> = (input: Input) => N;

/** Reads a clause inside another. */
export type ParseInner<Q> = (input: Input) => Q;

/** A boost changes scores, of which we have none. */
const boost: Read<number> = (input) => {
  const value = number(input);
  if (value < 0) throw illegalArgument(`negative [boost] are not allowed, found [${value}]`, input);
  return value;
};

/** What every clause may carry; a name comes back in no answer of ours. */
export const common = { boost, _name: string } as const;

/** The same where the engines take numbers for texts. */
export const loosely = { boost, _name: text } as const;

/** The same where the engines take anything for a name. */
export const unchecked = { boost, _name: ignored } as const;

/** Reads one clause or several: `filter` may be an object or an array. */
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

/** The engines wrote the parsers of most clauses by hand: they name a wrong key or kind in sentences of their own. */
const byHand =
  (refuse: RefuseKind) =>
  <S extends Shape>(name: string, shape: S) =>
  (input: Input): Shaped<S> => {
    const unknown = input.members().find(({ key }) => !Object.hasOwn(shape, key));
    if (unknown !== undefined) throw parsing(`[${name}] query does not support [${unknown.key}]`, unknown.input);
    return object(name, shape, refuse)(input);
  };

/** Like {@link object}, for clauses that ask first whether there is a value at all. */
export const handWritten = byHand((name, { key, input }, { kind, reason, place }) =>
  kind.startsWith('VALUE_') && kind !== 'VALUE_NULL'
    ? notOfKind(kind, reason, place)
    : parsing(`[${name}] unknown token [${kind}] after [${key}]`, place ?? input),
);

/** Like {@link object}, for what refuses all that is not expected in one sentence. */
export const strict = byHand((name, { key, input }, { kind, place }) =>
  parsing(`Unexpected token ${kind} [${key}] in [${name}]`, place ?? input),
);

/** Like {@link object}, for clauses that take whatever comes for a value. */
export const trusting = byHand((_name, _entry, { kind, reason, place }) => notOfKind(kind, reason, place));

/** The values of a clause whose parser goes into arrays, and over `null`, as if they were not there. */
export const flattened = (at: Input): { key: string; input: Input }[] =>
  at.members().flatMap(({ key, input }) =>
    input
      .items()
      .filter((item) => !item.isNull && !item.isArray)
      .map((item) => ({ key, input: item })),
  );
