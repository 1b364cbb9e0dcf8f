import { illegalArgument, parsing, SearchFailure } from '../failure.js';
import { bareText, flag, integer, number, type Read, scalar, text, word } from '../syntax/value.js';
import { handWritten, loosely, type ParseQuery } from './clause.js';
import { matchType, withoutBoost } from './full-text.js';

/** Fields come as an array, even where there is one. */
const names: Read<string[]> = (input) => {
  if (!input.isArray) throw parsing(`query does not support [${input.key}]`, input);
  return input.items().map(bareText);
};

const shared = {
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

export const queryString: ParseQuery = (at) => {
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
    // Without a field of its own a query goes over all fields, and what does not fit one of them is no fault.
    lenient: options.lenient ?? (named.length === 0 || named.includes('*')),
    ...(options.minimum_should_match !== undefined && { minimumShouldMatch: options.minimum_should_match }),
    ...(options.time_zone && { timeZone: options.time_zone }),
  };
};

/** Operators of the simple syntax in the order of their bits. */
const operatorNames = ['AND', 'NOT', 'OR', 'PREFIX', 'PHRASE', 'PRECEDENCE', 'ESCAPE', 'WHITESPACE', 'FUZZY'];
const otherNames = new Set(['ALL', 'NONE', 'NEAR', 'SLOP']);

/** Names of operators joined by `|`, or their bits as a number. */
const operators: Read<string[]> = (input) => {
  if (input.node.kind === 'number') {
    const bits = integer(input);
    return bits < 0 ? ['ALL'] : operatorNames.filter((_, bit) => Math.floor(bits / 2 ** bit) % 2 === 1);
  }
  const names = text(input)
    .toUpperCase()
    .split('|')
    .filter((name) => name !== '');
  const unknown = names.find((name) => !operatorNames.includes(name) && !otherNames.has(name));
  if (unknown !== undefined) throw illegalArgument(`Unknown simple_query_string flag [${unknown}]`, input);
  return names;
};

export const simpleQueryString: ParseQuery = (at) => {
  const options = handWritten('simple_query_string', { ...shared, flags: operators })(at);
  if (options.query === undefined) throw parsing('[simple_query_string] query text missing', at);
  const fields = (options.fields ?? []).map(withoutBoost);
  const { flags } = options;
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
