import { parsing, queryShard } from '#search/search-failure.js';
import { bareText, flag, integer, type Read, text, word } from '#search/syntax/value.js';
import type { Binding } from '../binding.js';
import { loosely } from '../clause.js';
import { bindExpression, type WrittenQuery } from '../lucene/bind-expression.js';
import type { Expression } from '../lucene/expression.js';
import { LuceneSyntaxError } from '../lucene/syntax-error.js';
import type { Predicate } from '../predicate.js';

/** Parses the fields, which must be an array even for a single one. */
const names: Read<string[]> = (input) => {
  if (!input.isArray) throw parsing(`query does not support [${input.key}]`, input);
  return input.items().map(bareText);
};

export const shared = {
  query: text,
  fields: names,
  default_operator: word('and', 'or'),
  minimum_should_match: text,
  lenient: flag,
  analyzer: text,
  analyze_wildcard: flag,
  auto_generate_synonyms_phrase_query: flag,
  fuzzy_prefix_length: integer,
  fuzzy_max_expansions: integer,
  fuzzy_transpositions: flag,
  quote_field_suffix: text,
  ...loosely,
} as const;

export const bindWritten = (query: WrittenQuery, binding: Binding, parse: () => Expression): Predicate => {
  try {
    return bindExpression(parse(), query, binding, query.minimumShouldMatch);
  } catch (error) {
    if (!(error instanceof LuceneSyntaxError)) throw error;
    throw queryShard(`Failed to parse query [${query.text}]`, query.at, {
      type: 'parse_exception',
      reason: error.message,
      ...(error.lexical && { caused_by: { type: 'token_mgr_error', reason: error.message } }),
    });
  }
};
