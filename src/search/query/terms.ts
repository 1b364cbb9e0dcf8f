import { illegalArgument, parsing } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { anything, type Read, text } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { handWritten, loosely, type ParseClause } from './clause.js';
import type { FieldClause } from './clause-node.js';
import { given, notFor, onlyField } from './option/field-option.js';
import { during } from './option/instant.js';
import { none, or, type Predicate } from './predicate.js';
import { coerce } from './value-of.js';

export interface TermsQuery extends FieldClause<'terms'> {
  readonly values: readonly Input[];
}

/** Maximum number of values of `terms`. */
const maxTerms = 65_536;

export const terms: ParseClause<TermsQuery> = (at) => {
  const fields = at.members().filter(({ key }) => !Object.hasOwn(loosely, key));
  handWritten('terms', { ...loosely, ...Object.fromEntries(fields.map(({ key }) => [key, anything])) })(at);
  if (fields.length === 0) throw parsing('[terms] query requires a field name, followed by array of terms', at);
  const { key, input } = onlyField('terms', at, Object.keys(loosely));
  if (input.isObject) refuseLookup(input);
  if (!input.isArray) throw parsing(`[terms] query does not support [${key}]`, input);
  const values = input.items();
  if (values.length > maxTerms) {
    throw illegalArgument(
      `The number of terms [${values.length}] used in the Terms Query request has exceeded the allowed maximum of [${maxTerms}].`,
      input,
    );
  }
  return { kind: 'terms', at, field: key, values: values.map(listed) };
};

const listed: Read<Input> = (value) => {
  if (value.isNull) throw parsing('No value specified for terms query', value);
  return given('terms', value, value);
};

/**
 * Refuses the terms of another document, after the same checks as the engines: records cannot be looked up as
 * documents.
 */
const refuseLookup = (input: Input): never => {
  const { index, id, path } = object('terms_lookup', { index: text, id: text, path: text, routing: text })(input);
  if (index === undefined || id === undefined || path === undefined)
    throw illegalArgument('Required [index, id, path]', input);
  throw parsing('[terms] of another document are not supported', input);
};

export const bindTerms = ({ field: path, values, at }: TermsQuery, binding: Binding): Predicate => {
  const field = findField(binding.fields, path, at);
  if (field === undefined || values.length === 0) return none;
  if (field.kind === 'geo_point') throw notFor(field, 'terms', at);
  if (field.kind === 'date') return or(values.map((value) => during(field, value, binding)));
  const found = values
    .map((value) => coerce(field, value))
    .flatMap((coerced) => (coerced === 'none' ? [] : [coerced.value]));
  return found.length === 0 ? none : { kind: 'in', field, values: found };
};
