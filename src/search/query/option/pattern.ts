import { isStorable } from '../../../entities/storable.js';
import { illegalArgument, queryShard } from '../../failure.js';
import type { Input } from '../../syntax/input.js';
import { anything, flag, ignored, integer, scalar, scalarText } from '../../syntax/value.js';
import { type Binding, findField } from '../binding.js';
import { type ParseClause, unchecked } from '../clause.js';
import type { FieldClause } from '../node.js';
import { none, type Predicate, type TextPattern } from '../predicate.js';
import { fieldOptions } from './field.js';

/** A clause over whole texts: `prefix`, `wildcard` or `regexp`. */
export interface PatternQuery extends FieldClause<'pattern'> {
  readonly clause: 'prefix' | 'wildcard' | 'regexp';
  readonly pattern: TextPattern;
  readonly caseInsensitive: boolean;
}

export const patternClause =
  (
    clause: PatternQuery['clause'],
    read: (value: string, caseInsensitive: boolean, at: Input, flags?: Input) => TextPattern,
  ): ParseClause<PatternQuery> =>
  (at) => {
    const shape = {
      value: scalar,
      [clause]: scalar,
      case_insensitive: flag,
      rewrite: ignored,
      flags: anything,
      flags_value: integer,
      max_determinized_states: integer,
      ...unchecked,
    };
    const { field, options } = fieldOptions(clause, at, shape, 'value');
    const given = options.value ?? ((options as Record<string, unknown>)[clause] as Input | undefined);
    const value = given && scalarText(given);
    if (value === undefined) throw illegalArgument('value cannot be null', at);
    const caseInsensitive = options.case_insensitive ?? false;
    return {
      kind: 'pattern',
      clause,
      at,
      field,
      pattern: read(value, caseInsensitive, at, options.flags),
      caseInsensitive,
    };
  };

export const bindPattern = (
  { clause, field: path, pattern, caseInsensitive, at }: PatternQuery,
  { fields }: Binding,
): Predicate => {
  const field = findField(fields, path, at);
  if (field === undefined) return none;
  if (field.kind !== 'keyword') {
    throw queryShard(
      `Can only use ${clause} queries on keyword, text and wildcard fields - not on [${path}] which is of type [${field.kind}]`,
      at,
    );
  }
  // The engines' automaton of an empty pattern matches no text, not even the empty one.
  if (pattern.kind === 'wildcard' && pattern.parts.length === 0) return none;
  return isStorable(textOf(pattern)) ? { kind: 'pattern', field, pattern, caseInsensitive } : none;
};

const textOf = (pattern: PatternQuery['pattern']): string => {
  if (pattern.kind !== 'wildcard') return pattern.text;
  return pattern.parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
};
