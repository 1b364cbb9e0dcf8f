import { illegalArgument } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { anything, flag, ignored, integer, scalar, scalarText, text } from '../syntax/value.js';
import { type ParseQuery, unchecked } from './clause.js';
import type { TextPattern, WildcardPart } from './predicate.js';
import type { PatternQuery } from './query.js';
import { operatorsOf, translateRegexp } from './regexp.js';
import { fieldOptions } from './term-level.js';

const maxRegexp = 1000;

const patternClause =
  (
    clause: PatternQuery['clause'],
    read: (value: string, caseInsensitive: boolean, at: Input, flags?: Input) => TextPattern,
  ): ParseQuery =>
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

export const prefix = patternClause('prefix', (value) => ({ kind: 'prefix', text: value }));

export const wildcard = patternClause('wildcard', (value) => ({ kind: 'wildcard', parts: wildcardParts(value) }));

export const regexp = patternClause('regexp', (value, caseInsensitive, at, flags) => {
  if (value.length > maxRegexp) {
    throw illegalArgument(
      `The length of regex [${value.length}] used in the Regexp Query request has exceeded the allowed maximum of [${maxRegexp}].`,
      at,
    );
  }
  const operators = flags && !flags.isNull ? operatorsOf(text(flags), flags) : undefined;
  if (value === '' && caseInsensitive) return { kind: 'wildcard', parts: [] };
  return { kind: 'regexp', expression: translateRegexp(value, caseInsensitive, at, operators) };
});

/** The parts of a wildcard; a backslash makes the next character a plain one. */
export const wildcardParts = (pattern: string): WildcardPart[] => {
  const parts: WildcardPart[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') parts.push({ text: plain });
    plain = '';
  };
  const characters = [...pattern];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index]!;
    if (character === '*' || character === '?') {
      flush();
      parts.push(character);
    } else if (character === '\\' && index + 1 < characters.length) plain += characters[(index += 1)]!;
    else plain += character;
  }
  flush();
  return parts;
};
