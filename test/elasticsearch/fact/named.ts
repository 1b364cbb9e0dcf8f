import { expect } from '@jest/globals';
import type { Fact } from './fact.js';

const of = 'search/350_matched_queries';
const sort = [{ 'data.id': 'asc' }];
const named = (name: string, key: string, value: unknown) => ({ term: { [`data.${key}`]: { value, _name: name } } });

/** Hits with these names in alphabetical order; other hits have none. */
const matched = (...each: (readonly string[])[]) => ({
  hits: {
    hits: each.map((some) =>
      some.length === 0
        ? expect.not.objectContaining({ matched_queries: expect.anything() })
        : { matched_queries: some.toSorted() },
    ),
  },
});

const all = { match_all: {} };
const should = (...clauses: object[]) => ({ bool: { should: [all, ...clauses] } });

/** Named clauses, and the hits that match them. */
export const namedFacts: readonly Fact[] = [
  {
    of,
    title: 'names the clauses that a hit matches',
    body: { query: should(named('a', 'k', 'a'), named('true', 'on', true)), sort },
    answer: matched(['a', 'true'], [], ['true'], []),
  },
  {
    of,
    title: 'shows them without a source, too',
    body: { query: should(named('a', 'k', 'a')), sort, _source: false, size: 1 },
    answer: matched(['a']),
  },
  {
    of,
    title: 'shows them in top_hits',
    body: { query: should(named('a', 'k', 'a')), size: 0, aggs: { a: { top_hits: { size: 2, sort } } } },
    answer: { aggregations: { a: matched(['a'], []) } },
  },
  {
    of,
    title: 'names clauses of a post filter',
    body: { query: should(named('a', 'k', 'a')), post_filter: named('first', 'n', 1), sort },
    answer: matched(['a', 'first']),
  },
  {
    of,
    title: 'names what lowers scores',
    body: { query: { boosting: { positive: all, negative: named('low', 'k', 'b'), negative_boost: 0.5 } }, sort },
    answer: matched([], ['low'], ['low'], []),
  },
  {
    of,
    title: 'names no excluded clause, which no hit matches',
    body: { query: { bool: { must_not: [named('not', 'k', 'b')] } }, sort },
    answer: matched([], []),
  },
  {
    of,
    title: 'names an excluded clause of a hit that another clause finds',
    body: { query: should({ bool: { must_not: [named('not', 'k', 'b')] } }), sort },
    answer: matched([], ['not'], ['not'], []),
  },
  {
    of,
    title: 'names no clause of an aggregation',
    body: {
      query: all,
      size: 1,
      sort,
      aggs: { a: { filter: named('in', 'k', 'a'), aggs: { b: { top_hits: { size: 1, sort } } } } },
    },
    answer: { ...matched([]), aggregations: { a: { b: matched([]) } } },
  },
  {
    of,
    title: 'lets the last clause of a query have a name that several have',
    body: { query: { bool: { filter: [named('same', 'n', 1)], must: [named('same', 'k', 'a')] } }, sort },
    answer: matched(['same']),
  },
  {
    of,
    title: 'gives a name to the filter rather than to should',
    body: { query: { bool: { filter: [named('same', 'k', 'b')], should: [named('same', 'n', 2)] } }, sort },
    answer: matched(['same'], ['same']),
  },
  {
    of,
    title: 'gives a name to the outer clause rather than to the inner',
    body: { query: { bool: { should: [named('same', 'k', 'a'), all], _name: 'same' } }, sort },
    answer: matched(['same'], ['same'], ['same'], ['same']),
  },
  {
    of,
    title: 'names clauses around others',
    body: {
      query: {
        constant_score: {
          _name: 'around',
          filter: { dis_max: { _name: 'any', queries: [named('a', 'k', 'a'), named('b', 'k', 'b')] } },
        },
      },
      sort,
    },
    answer: matched(['around', 'any', 'a'], ['around', 'any', 'b'], ['around', 'any', 'b']),
  },
  {
    of,
    title: 'takes a name of each clause where its options are',
    body: {
      query: should(
        { terms: { 'data.k': ['a'], _name: 'terms' } },
        { range: { 'data.n': { lt: 2, _name: 'range' } } },
        { exists: { field: 'data.o.x', _name: 'exists' } },
        { prefix: { 'data.k': { value: 'a', _name: 'prefix' } } },
        { wildcard: { 'data.k': { value: 'a*', _name: 'wildcard' } } },
        { regexp: { 'data.k': { value: 'a', _name: 'regexp' } } },
        { match: { 'data.k': { query: 'a', _name: 'match' } } },
        { multi_match: { query: 'a', fields: ['data.k'], _name: 'multi_match' } },
        { query_string: { query: 'data.k:a', _name: 'query_string' } },
        { simple_query_string: { query: 'a', fields: ['data.k'], _name: 'simple_query_string' } },
        { match_none: { _name: 'none' } },
      ),
      sort,
      size: 2,
    },
    answer: matched(
      ['terms', 'range', 'exists', 'prefix', 'wildcard', 'regexp', 'match', 'multi_match', 'query_string'].concat(
        'simple_query_string',
      ),
      [],
    ),
  },
  {
    of,
    title: 'takes a number for a name where a clause does',
    body: { query: should({ terms: { 'data.k': ['a'], _name: 5 } }), sort, size: 1 },
    answer: matched(['5']),
  },
  {
    of,
    title: 'takes an empty name',
    body: { query: { match_all: { _name: '' } }, sort, size: 1 },
    answer: matched(['']),
  },
  {
    of,
    title: 'names no clause on a field that nothing has',
    body: { query: should(named('none', 'nothing', 1)), sort, size: 1 },
    answer: matched([]),
  },
  {
    of,
    title: 'refuses a name beside the field of a range',
    body: { query: { range: { _name: 'x', 'data.n': { gt: 1 } } } },
    error: ['parsing_exception', '[range] query does not support [_name]'],
  },
  {
    of,
    title: 'refuses a name beside the field of a term',
    body: { query: { term: { _name: 'x', 'data.n': 1 } } },
    error: ['parsing_exception', "[term] query doesn't support multiple fields, found [_name] and [data.n]"],
  },
];
