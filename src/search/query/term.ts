import { queryShard } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { anything, flag } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { type ParseClause, unchecked } from './clause.js';
import type { FieldClause } from './clause-node.js';
import { fieldOptions, given, notFor } from './option/field-option.js';
import { during } from './option/instant.js';
import { none, type Predicate } from './predicate.js';
import { coerce } from './value-of.js';

export interface TermQuery extends FieldClause<'term'> {
  readonly value: Input;
  readonly caseInsensitive: boolean;
  /** Time zone of dates; only written queries have one. */
  readonly timeZone?: Input;
}

export const term: ParseClause<TermQuery> = (at) => {
  const { field, options } = fieldOptions(
    'term',
    at,
    { value: anything, term: anything, case_insensitive: flag, ...unchecked },
    'value',
  );
  return {
    kind: 'term',
    at,
    field,
    value: given('term', options.value ?? options.term, at),
    caseInsensitive: options.case_insensitive ?? false,
  };
};

export const bindTerm = (
  { field: path, value, caseInsensitive, timeZone, at }: TermQuery,
  binding: Binding,
): Predicate => {
  const field = findField(binding.fields, path, at);
  if (field === undefined) return none;
  if (field.kind === 'geo_point') throw notFor(field, 'term', at);
  if (field.kind === 'date') return during(field, value, binding, timeZone);
  const coerced = coerce(field, value);
  if (coerced === 'none') return none;
  if (!caseInsensitive) return { kind: 'in', field, values: [coerced.value] };
  if (field.kind !== 'keyword') {
    throw queryShard(
      `[${field.path}] field which is of type [${field.kind}], does not support case insensitive term queries`,
      at,
    );
  }
  if (coerced.value === '') return none;
  return { kind: 'pattern', field, pattern: { kind: 'equal', text: `${coerced.value}` }, caseInsensitive };
};
