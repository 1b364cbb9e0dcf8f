import { parsing, SearchFailure } from '../failure.js';
import { anything, flag, ignored, type Read, text, word } from '../syntax/value.js';
import { common, type ParseQuery } from './clause.js';
import { withoutBoost } from './full-text.js';
import { handWritten } from './term-level.js';

/** Fields come as an array, even where there is one. */
const names: Read<string[]> = (input) => {
  if (!input.isArray) throw parsing(`query does not support [${input.key}]`, input);
  return input.items().map(text);
};

const shared = {
  query: text,
  fields: names,
  default_operator: word('and', 'or'),
  minimum_should_match: text,
  lenient: flag,
  analyzer: ignored,
  analyze_wildcard: ignored,
  auto_generate_synonyms_phrase_query: ignored,
  fuzzy_prefix_length: ignored,
  fuzzy_max_expansions: ignored,
  fuzzy_transpositions: ignored,
  quote_field_suffix: ignored,
  ...common,
} as const;

export const queryString: ParseQuery = (at) => {
  const options = handWritten('query_string', {
    ...shared,
    default_field: text,
    allow_leading_wildcard: ignored,
    quote_analyzer: ignored,
    enable_position_increments: ignored,
    escape: ignored,
    fuzziness: ignored,
    fuzzy_rewrite: ignored,
    max_determinized_states: ignored,
    phrase_slop: ignored,
    rewrite: ignored,
    tie_breaker: ignored,
    time_zone: anything,
    type: ignored,
  })(at);
  if (options.query === undefined) throw parsing('[query_string] must be provided with a [query]', at);
  if (options.fields !== undefined && options.default_field !== undefined)
    throw new SearchFailure(
      400,
      'query_validation_exception',
      'Validation Failed: 1: [query_string] cannot use [fields] parameter in conjunction with [default_field];',
      at,
    );
  const named = options.fields ?? (options.default_field === undefined ? [] : [options.default_field]);
  return {
    kind: 'query_string',
    at,
    text: options.query,
    fields: named.map(withoutBoost),
    and: options.default_operator === 'and',
    // Without a field of its own a query goes over all fields, and what does not fit one of them is no fault.
    lenient: options.lenient ?? (named.length === 0 || named.includes('*')),
    ...(options.minimum_should_match !== undefined && { minimumShouldMatch: options.minimum_should_match }),
    ...(options.time_zone && { timeZone: options.time_zone }),
  };
};

export const simpleQueryString: ParseQuery = (at) => {
  const options = handWritten('simple_query_string', { ...shared, flags: text })(at);
  if (options.query === undefined) throw parsing('[simple_query_string] query text missing', at);
  const fields = (options.fields ?? []).map(withoutBoost);
  const flags = options.flags
    ?.toUpperCase()
    .split('|')
    .map((flagName) => flagName.trim());
  return {
    kind: 'simple_query_string',
    at,
    text: options.query,
    fields,
    and: options.default_operator === 'and',
    lenient: options.lenient ?? (fields.length === 0 || fields.includes('*')),
    ...(options.minimum_should_match !== undefined && { minimumShouldMatch: options.minimum_should_match }),
    ...(flags !== undefined && !flags.includes('ALL') && { flags: new Set(flags) }),
  };
};
