import { illegalArgument, parsing } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { anything, ignored, listOf, number, text } from '../syntax/value.js';
import { clauses, common, type ParseQuery } from './clause.js';
import { handWritten } from './term-level.js';

export const bool: ParseQuery = (at, inner) => {
  const many = clauses(inner);
  const parsed = object('bool', {
    must: many,
    filter: many,
    should: many,
    must_not: many,
    mustNot: many,
    minimum_should_match: text,
    adjust_pure_negative: ignored,
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
  const { filter } = handWritten('constant_score', { filter: inner, ...common })(at);
  if (filter === undefined) throw illegalArgument("[constant_score] requires a 'filter' element", at);
  return filter;
};

const listed =
  (name: string): ParseQuery =>
  (at, inner) => {
    const { queries } = handWritten(name, { queries: clauses(inner), tie_breaker: number, ...common })(at);
    if (queries === undefined || queries.length === 0)
      throw parsing(`[${name}] requires 'queries' field with at least one clause`, at);
    return { kind: 'or', at, queries };
  };

/** Scores apart, the union of its clauses. */
export const disMax = listed('dis_max');

/** Scores apart, its positive clause. */
export const boosting: ParseQuery = (at, inner) => {
  const { positive, negative } = handWritten('boosting', {
    positive: inner,
    negative: inner,
    negative_boost: number,
    ...common,
  })(at);
  if (positive === undefined) throw parsing("[boosting] query requires 'positive' query to be set'", at);
  if (negative === undefined) throw parsing("[boosting] query requires 'negative' query to be set'", at);
  return { kind: 'boosting', at, positive, negative };
};

/** Without functions, its query. */
export const functionScore: ParseQuery = (at, inner) => {
  const { query, functions } = handWritten('function_score', {
    query: inner,
    functions: listOf(anything),
    boost_mode: ignored,
    score_mode: ignored,
    max_boost: number,
    min_score: refuseScore,
    ...common,
  })(at);
  if ((functions ?? []).length > 0)
    throw parsing('[function_score] functions are not supported: records have no scores', at);
  return query ?? { kind: 'match_all', at };
};

function refuseScore(at: Input): never {
  throw parsing('[function_score] min_score is not supported: records have no scores', at);
}
