import { illegalArgument, notOfKind, parsing, unknownName } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { byHand, flag, number, type Read, scalar, text, word } from '../syntax/value.js';
import { clauses, common, flattened, handWritten, loosely, type ParseQuery, unchecked } from './clause.js';
import type { Query } from './query.js';

export const matchAll: ParseQuery = (at) => {
  object('match_all', common)(at);
  return { kind: 'match_all', at };
};

export const matchNone: ParseQuery = (at) => {
  handWritten('match_none', loosely)(at);
  return { kind: 'match_none', at };
};

const orNull =
  <T>(read: Read<T>): Read<T | undefined> =>
  (input) =>
    input.isNull ? undefined : read(input);

export const bool: ParseQuery = (at, inner) => {
  const many = clauses(inner);
  const parsed = object('bool', {
    must: many,
    filter: many,
    should: many,
    must_not: many,
    mustNot: many,
    minimum_should_match: orNull(text),
    adjust_pure_negative: flag,
    ...common,
  })(at);
  return {
    kind: 'bool',
    at,
    must: parsed.must ?? [],
    filter: parsed.filter ?? [],
    should: parsed.should ?? [],
    mustNot: [...(parsed.must_not ?? []), ...(parsed.mustNot ?? [])],
    ...(parsed.minimum_should_match === undefined ? {} : { minimumShouldMatch: parsed.minimum_should_match }),
  };
};

export const constantScore: ParseQuery = (at, inner) => {
  const { filter } = handWritten('constant_score', { filter: inner, ...loosely })(at);
  if (filter === undefined) throw parsing("[constant_score] requires a 'filter' element", at);
  return filter;
};

/** A number of a clause that takes `null` for one. */
const present: Read<number> = (input) => {
  if (input.isNull) throw notOfKind('VALUE_NULL', `[${input.key}] must be a number`, input);
  return number(input);
};

/** Scores apart, the union of its clauses. */
export const disMax: ParseQuery = (at, inner) => {
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
  return { kind: 'or', at, queries };
};

/** Scores apart, its positive clause. */
export const boosting: ParseQuery = (at, inner) => {
  const found: { positive?: Query; negative?: Query } = {};
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

const scoreMode = word('multiply', 'sum', 'avg', 'first', 'max', 'min');
const boostMode = word('multiply', 'replace', 'sum', 'avg', 'max', 'min');

/** Without functions, its query. */
export const functionScore: ParseQuery = (at, inner) => {
  let query: Query | undefined;
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
