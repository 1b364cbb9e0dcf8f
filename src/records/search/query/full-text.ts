import { illegalArgument } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { anything, flag, ignored, listOf, text } from '../syntax/value.js';
import { common, type ParseQuery } from './clause.js';
import { fieldOptions, handWritten } from './term-level.js';

/** Options that matter to analysed text only, which we have none of. */
const analysis = {
  operator: text,
  minimum_should_match: text,
  analyzer: ignored,
  fuzziness: ignored,
  prefix_length: ignored,
  max_expansions: ignored,
  fuzzy_rewrite: ignored,
  fuzzy_transpositions: ignored,
  zero_terms_query: ignored,
  auto_generate_synonyms_phrase_query: ignored,
  cutoff_frequency: ignored,
  slop: ignored,
  ...common,
} as const;

const single =
  (name: string, prefix: boolean): ParseQuery =>
  (at) => {
    const { field, options } = fieldOptions(name, at, { query: anything, lenient: flag, ...analysis }, 'query');
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
    query: anything,
    fields: listOf(text),
    type: text,
    tie_breaker: ignored,
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
  if (value === undefined || value.isNull) throw illegalArgument(`[${name}] requires query value`, at);
  return value;
};
