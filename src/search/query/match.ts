import { illegalArgument, parsing } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { bareText, flag, number, type Read, text } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { common, handWritten, loosely, type ParseClause } from './clause.js';
import type { Clause, FieldClause } from './clause-node.js';
import { expand, matching } from './option/field-match.js';
import { fieldOptions } from './option/field-option.js';
import { analysis, given, matchType, present, withoutBoost } from './option/full-text.js';
import { or, type Predicate } from './predicate.js';

export const matchAll: ParseClause<Clause<'match_all'>> = (at) => {
  object('match_all', common)(at);
  return { kind: 'match_all', at };
};

export const matchNone: ParseClause<Clause<'match_none'>> = (at) => {
  handWritten('match_none', loosely)(at);
  return { kind: 'match_none', at };
};

/** `match` and its variants. Our texts are keywords, so a text matches as a whole, or by its beginning. */
export interface MatchQuery extends FieldClause<'match'> {
  readonly value: Input;
  readonly lenient: boolean;
  readonly prefix: boolean;
}

const single =
  (name: string, prefix: boolean): ParseClause<MatchQuery> =>
  (at) => {
    const { field, options } = fieldOptions(
      name,
      at,
      { query: present, lenient: flag, ...analysis },
      'query',
      handWritten,
    );
    if (options.query === undefined && name !== 'match') throw illegalArgument(`[${name}] requires query value`, at);
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

export const bindMatch = ({ field, value, lenient, prefix, at }: MatchQuery, binding: Binding): Predicate =>
  matching(findField(binding.fields, field, at), value, { lenient, prefix, at }, binding);

export const matchPhrase = single('match_phrase', false);

export const matchBoolPrefix = single('match_bool_prefix', true);

export interface MultiMatchQuery extends Clause<'multi_match'> {
  /** Paths, or patterns with `*`; empty for all fields. */
  readonly fields: readonly string[];
  readonly value: Input;
  readonly lenient: boolean;
  readonly prefix: boolean;
}

const names: Read<string[]> = (input) => {
  if (input.isObject || input.isNull) throw parsing('[multi_match] query does not support [fields]', input);
  return input.isArray ? input.items().map(bareText) : [text(input)];
};

export const multiMatch: ParseClause<MultiMatchQuery> = (at) => {
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

export const bindMultiMatch = ({ fields, value, lenient, prefix, at }: MultiMatchQuery, binding: Binding): Predicate =>
  or(expand(fields, at, binding).map((field) => matching(field, value, { lenient, prefix, at }, binding)));
