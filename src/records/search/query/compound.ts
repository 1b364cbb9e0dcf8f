import { illegalArgument } from '../failure.js';
import { object } from '../syntax/object.js';
import { ignored, text } from '../syntax/value.js';
import { clauses, common, type ParseQuery } from './clause.js';

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
  const { filter } = object('constant_score', { filter: inner, ...common })(at);
  if (filter === undefined) throw illegalArgument("[constant_score] requires a 'filter' element", at);
  return filter;
};
