import { parsing } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { bareText, flag, number, type Read, text } from '../syntax/value.js';
import type { Binding } from './binding.js';
import { handWritten, type ParseClause } from './clause.js';
import type { Clause } from './node.js';
import { expand, matching } from './option/field-match.js';
import { analysis, given, matchType, present, withoutBoost } from './option/full-text.js';
import { or, type Predicate } from './predicate.js';

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
