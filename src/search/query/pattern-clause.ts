import { isStorable } from '#entities/storable.js';
import { illegalArgument, queryShard } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { anything, flag, ignored, integer, scalar, scalarText, text } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { type ParseClause, unchecked } from './clause.js';
import type { FieldClause } from './clause-node.js';
import { operatorsOf, parseRegexp } from './lucene/regexp.js';
import { wildcardParts } from './lucene/wildcard.js';
import { fieldOptions } from './option/field-option.js';
import { none, type Predicate, type TextPattern } from './predicate.js';

/** A clause over whole texts: `prefix`, `wildcard` or `regexp`. */
export interface PatternQuery extends FieldClause<'pattern'> {
  readonly clause: 'prefix' | 'wildcard' | 'regexp';
  readonly pattern: TextPattern;
  readonly caseInsensitive: boolean;
}

const patternClause =
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

export const prefix = patternClause('prefix', (value) => ({ kind: 'prefix', text: value }));

export const wildcard = patternClause('wildcard', (value) => ({ kind: 'wildcard', parts: wildcardParts(value) }));

const maxRegexp = 1000;

export const regexp = patternClause('regexp', (value, caseInsensitive, at, flags) => {
  if (value.length > maxRegexp) {
    throw illegalArgument(
      `The length of regex [${value.length}] used in the Regexp Query request has exceeded the allowed maximum of [${maxRegexp}].`,
      at,
    );
  }
  const given = flags && !flags.isNull ? text(flags) : undefined;
  const operators = given === undefined ? undefined : operatorsOf(given, flags!);
  if (value === '' && caseInsensitive) return { kind: 'wildcard', parts: [] };
  const expression = parseRegexp(value, at, operators);
  return { kind: 'regexp', text: value, ...(given !== undefined && { flags: given }), expression };
});
