import { parsing, SearchFailure } from '../search-failure.js';
import { flag, integer, number, scalar, text } from '../syntax/value.js';
import { type Binding, dateReading } from './binding.js';
import { handWritten, type ParseClause } from './clause.js';
import type { Clause } from './clause-node.js';
import type { WrittenQuery } from './lucene/bind-expression.js';
import { parseClassic } from './lucene/classic.js';
import { matchType, withoutBoost } from './option/full-text.js';
import { bindWritten, shared } from './option/written.js';
import type { Predicate } from './predicate.js';

export interface QueryStringQuery extends Clause<'query_string'>, WrittenQuery {
  /** Whether `>10` and similar terms without a field are ranges. */
  readonly compares: boolean;
}

export const queryString: ParseClause<QueryStringQuery> = (at) => {
  const options = handWritten('query_string', {
    ...shared,
    default_field: text,
    allow_leading_wildcard: flag,
    quote_analyzer: text,
    enable_position_increments: flag,
    escape: flag,
    fuzziness: scalar,
    fuzzy_rewrite: text,
    max_determinized_states: integer,
    phrase_slop: integer,
    rewrite: text,
    tie_breaker: number,
    time_zone: scalar,
    type: matchType,
  })(at);
  if (options.query === undefined) throw parsing('[query_string] must be provided with a [query]', at);
  if ((options.fields ?? []).length > 0 && options.default_field !== undefined)
    throw new SearchFailure(
      400,
      'query_validation_exception',
      'Validation Failed: 1: [query_string] cannot use [fields] parameter in conjunction with [default_field];',
      at,
    );
  const named = options.fields?.length
    ? options.fields
    : options.default_field === undefined
      ? []
      : [options.default_field];
  return {
    kind: 'query_string',
    at,
    text: options.query,
    fields: named.map(withoutBoost),
    and: options.default_operator === 'and',
    compares: !options.fields?.length,
    prefix: options.type === 'bool_prefix',
    // A query without fields searches all fields, and values that do not fit one of them are no fault.
    lenient: options.lenient ?? (named.length === 0 || named.includes('*')),
    ...(options.minimum_should_match !== undefined && { minimumShouldMatch: options.minimum_should_match }),
    ...(options.time_zone && { timeZone: options.time_zone }),
  };
};

export const bindQueryString = (query: QueryStringQuery, binding: Binding): Predicate => {
  // An unknown time zone is a fault even if the query has no date.
  dateReading(binding.now, undefined, query.timeZone);
  return bindWritten(query, binding, () => parseClassic(query.text, query));
};
