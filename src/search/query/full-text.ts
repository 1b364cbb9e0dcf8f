import { parseFailure, parsing } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { bareText, flag, integer, number, type Read, scalar, text, word } from '../syntax/value.js';
import { handWritten, loosely, type ParseQuery } from './clause.js';
import { fieldOptions } from './term-level.js';

/** Options that matter to analysed text only, which we have none of. */
const analysis = {
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

const present: Read<Input> = (input) => {
  if (input.isNull) throw parsing(`unknown token [VALUE_NULL] after [${input.key}]`, input);
  return scalar(input);
};

const names: Read<string[]> = (input) => {
  if (input.isObject || input.isNull) throw parsing('[multi_match] query does not support [fields]', input);
  return input.isArray ? input.items().map(bareText) : [text(input)];
};

const matchTypes = new Set(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix', 'bool_prefix']);

/** How the clauses of several fields are joined: of scores only, but for `bool_prefix`. */
export const matchType: Read<string> = (input) => {
  const type = text(input).toLowerCase();
  if (!matchTypes.has(type))
    throw parseFailure(`failed to parse [multi_match] query type [${type}]. unknown type.`, input);
  return type;
};

const single =
  (name: string, prefix: boolean): ParseQuery =>
  (at) => {
    const { field, options } = fieldOptions(
      name,
      at,
      { query: present, lenient: flag, ...analysis },
      'query',
      handWritten,
    );
    return {
      kind: 'match',
      at,
      field,
      value: given(name, options.query, at),
      lenient: options.lenient ?? false,
      prefix,
    };
  };

export const match = single('match', false);
export const matchPhrase = single('match_phrase', false);
export const matchBoolPrefix = single('match_bool_prefix', true);

export const multiMatch: ParseQuery = (at) => {
  const { query, fields, type, lenient } = handWritten('multi_match', {
    query: present,
    fields: names,
    type: matchType,
    tie_breaker: number,
    lenient: flag,
    ...analysis,
  })(at);
  return {
    kind: 'multi_match',
    at,
    value: given('multi_match', query, at),
    fields: (fields ?? []).map(withoutBoost),
    lenient: lenient ?? (fields === undefined || fields.length === 0),
    prefix: type === 'bool_prefix',
  };
};

/** A field's name without what follows `^`. */
export const withoutBoost = (field: string): string => field.replace(/\^[0-9.]+$/, '');

const given = (name: string, value: Input | undefined, at: Input): Input => {
  if (value === undefined || value.isNull) throw parsing(`No text specified for ${name} query`, at);
  return value;
};
