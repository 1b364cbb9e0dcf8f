import type { Input } from '../syntax/input.js';
import { flag } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { handWritten, type ParseClause } from './clause.js';
import type { FieldClause } from './node.js';
import { fieldOptions } from './option/field.js';
import { matching } from './option/field-match.js';
import { analysis, given, present } from './option/full-text.js';
import type { Predicate } from './predicate.js';

/** `match` and its variants. Our texts are keywords, so a text matches as a whole, or by its beginning. */
export interface MatchQuery extends FieldClause<'match'> {
  readonly value: Input;
  readonly lenient: boolean;
  readonly prefix: boolean;
}

export const single =
  (name: string, prefix: boolean): ParseClause<MatchQuery> =>
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

export const bindMatch = ({ field, value, lenient, prefix, at }: MatchQuery, binding: Binding): Predicate =>
  matching(findField(binding.fields, field, at), value, { lenient, prefix, at }, binding);
