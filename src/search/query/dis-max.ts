import { illegalArgument, notOfKind, parsing } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { number, type Read, scalar } from '../syntax/value.js';
import type { BindInner, Binding } from './binding.js';
import { handWritten, loosely, type ParseInner } from './clause.js';
import type { Clause } from './node.js';
import { or, type Predicate } from './predicate.js';

/** A query that matches what any of its clauses matches. */
export interface DisMaxQuery<Q> extends Clause<'dis_max'> {
  readonly queries: readonly Q[];
}

/** Parses a number in a clause that treats `null` as one. */
const present: Read<number> = (input) => {
  if (input.isNull) throw notOfKind('VALUE_NULL', `[${input.key}] must be a number`, input);
  return number(input);
};

/** Parses a `dis_max` query. Apart from scores, it is the union of its clauses. */
export const disMax = <Q>(at: Input, inner: ParseInner<Q>): DisMaxQuery<Q> => {
  const { queries, tie_breaker: tie } = handWritten('dis_max', {
    queries: (input) => {
      if (!input.isObject && !input.isArray) throw parsing('[dis_max] query does not support [queries]', input);
      return input.items().map(inner);
    },
    tie_breaker: present,
    boost: (input) => (input.isNull ? present(input) : loosely.boost(input)),
    _name: scalar,
  })(at);
  if (queries === undefined || queries.length === 0)
    throw parsing(`[dis_max] requires 'queries' field with at least one clause`, at);
  if (tie !== undefined && !(tie >= 0 && tie <= 1)) throw illegalArgument('tieBreakerMultiplier must be in [0, 1]', at);
  return { kind: 'dis_max', at, queries };
};

export const bindDisMax = <Q>({ queries }: DisMaxQuery<Q>, _binding: Binding, inner: BindInner<Q>): Predicate =>
  or(queries.map(inner));
