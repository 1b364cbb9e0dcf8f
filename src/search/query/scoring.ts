import { illegalArgument, notOfKind, parsing, unknownName } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { byHand, number, type Read, scalar, word } from '../syntax/value.js';
import type { BindInner, Binding } from './binding.js';
import { flattened, handWritten, loosely, type ParseInner, unchecked } from './clause.js';
import type { Clause } from './clause-node.js';
import { or, type Predicate } from './predicate.js';

/** A query whose `negative` clause only lowers scores, but must still fit its fields. */
export interface BoostingQuery<Q> extends Clause<'boosting'> {
  readonly positive: Q;
  readonly negative: Q;
}

/** Parses a boosting query. Apart from scores, it equals its positive clause. */
export const boosting = <Q>(at: Input, inner: ParseInner<Q>): BoostingQuery<Q> => {
  const found: { positive?: Q; negative?: Q } = {};
  let negativeBoost = -1;
  for (const { key, input } of flattened(at)) {
    if (input.isObject && (key === 'positive' || key === 'negative')) found[key] = inner(input);
    else if (!input.isObject && key === 'negative_boost') negativeBoost = byHand(number)(input);
    else if (!input.isObject && key === 'boost') byHand(loosely.boost)(input);
    else if (input.isObject || key !== '_name') throw parsing(`[boosting] query does not support [${key}]`, input);
  }
  const { positive, negative } = found;
  if (positive === undefined) throw parsing("[boosting] query requires 'positive' query to be set'", at);
  if (negative === undefined) throw parsing("[boosting] query requires 'negative' query to be set'", at);
  if (negativeBoost < 0)
    throw parsing("[boosting] query requires 'negative_boost' to be set to be a positive value'", at);
  return { kind: 'boosting', at, positive, negative };
};

export const bindBoosting = <Q>(
  { positive, negative }: BoostingQuery<Q>,
  _binding: Binding,
  inner: BindInner<Q>,
): Predicate => {
  const predicate = inner(positive);
  inner(negative);
  return predicate;
};

export const constantScore = <Q>(at: Input, inner: ParseInner<Q>): Q => {
  const { filter } = handWritten('constant_score', { filter: inner, ...loosely })(at);
  if (filter === undefined) throw parsing("[constant_score] requires a 'filter' element", at);
  return filter;
};

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

const scoreMode = word('multiply', 'sum', 'avg', 'first', 'max', 'min');

const boostMode = word('multiply', 'replace', 'sum', 'avg', 'max', 'min');

/** Parses a `function_score` query, which equals its query without the functions. */
export const functionScore = <Q>(at: Input, inner: ParseInner<Q>): Q | Clause<'match_all'> => {
  let query: Q | undefined;
  const values: Readonly<Record<string, Read<unknown>>> = {
    ...unchecked,
    score_mode: scoreMode,
    boost_mode: boostMode,
    max_boost: number,
    min_score: refuseScore,
  };
  for (const { key, input } of at.members()) {
    if (input.isNull) continue;
    if (key === 'query' && input.isObject) query = inner(input);
    else if (input.isObject) throw unknownName(`[function_score] unknown function [${key}]`, key, input);
    else if (input.isArray && key !== 'functions')
      throw parsing(`failed to parse [function_score] query. array [${key}] is not supported`, input);
    else if (input.isArray && input.items().length > 0)
      throw parsing('[function_score] functions are not supported: records have no scores', at);
    else if (!input.isArray) {
      const read = Object.hasOwn(values, key) ? values[key] : undefined;
      if (read === undefined) throw parsing(`[function_score] query does not support [${key}]`, input);
      byHand(read)(input);
    }
  }
  return query ?? { kind: 'match_all', at };
};

function refuseScore(at: Input): never {
  throw parsing('[function_score] min_score is not supported: records have no scores', at);
}
