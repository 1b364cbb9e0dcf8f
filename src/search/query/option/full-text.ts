import { parseFailure, parsing } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { flag, integer, number, type Read, scalar, text, word } from '#search/syntax/value.js';
import { loosely } from '../clause.js';

/** Options that only matter for analysed text, which does not exist here. */
export const analysis = {
  operator: word('and', 'or'),
  minimum_should_match: text,
  analyzer: text,
  fuzziness: scalar,
  prefix_length: integer,
  max_expansions: integer,
  fuzzy_rewrite: text,
  fuzzy_transpositions: flag,
  zero_terms_query: word('none', 'all'),
  auto_generate_synonyms_phrase_query: flag,
  cutoff_frequency: number,
  slop: integer,
  ...loosely,
} as const;

export const present: Read<Input> = (input) => {
  if (input.isNull) throw parsing(`unknown token [VALUE_NULL] after [${input.key}]`, input);
  return scalar(input);
};

const matchTypes = new Set(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix', 'bool_prefix']);

/** Parses the combination of the clauses of several fields. It only affects scores, except for `bool_prefix`. */
export const matchType: Read<string> = (input) => {
  const type = text(input).toLowerCase();
  if (!matchTypes.has(type))
    throw parseFailure(`failed to parse [multi_match] query type [${type}]. unknown type.`, input);
  return type;
};

/** Removes the boost after `^` from a field's name. */
export const withoutBoost = (field: string): string => field.replace(/\^[0-9.]+$/, '');

export const given = (name: string, value: Input | undefined, at: Input): Input => {
  if (value === undefined || value.isNull) throw parsing(`No text specified for ${name} query`, at);
  return value;
};
