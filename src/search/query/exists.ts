import type { Field } from '../field/field.js';
import { illegalArgument, parsing, queryShard } from '../search-failure.js';
import { text } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { handWritten, loosely, type ParseClause } from './clause.js';
import type { FieldClause } from './clause-node.js';
import { all, none, or, type Predicate } from './predicate.js';

export interface ExistsQuery extends FieldClause<'exists'> {}

export const exists: ParseClause<ExistsQuery> = (at) => {
  const { field } = handWritten('exists', { field: text, ...loosely })(at);
  if (field === undefined) throw parsing('[exists] must be provided with a [field]', at);
  if (field === '') throw illegalArgument('field name is null or empty', at);
  return { kind: 'exists', at, field };
};

export const bindExists = ({ field: path, at }: ExistsQuery, { fields, lookups }: Binding): Predicate => {
  if (path === '_source') throw queryShard('The _source field is not searchable', at);
  if (path.includes('*')) {
    const found = fields.matching(path);
    lookups?.add(found.length, at);
    return anyExists(found);
  }
  const field = findField(fields, path, at);
  const [root, ...keys] = path.split('.');
  const inJson = root === 'data' || root === 'metadata';
  // The field is enough, unless some records have an object in its place.
  if (field !== undefined && !(inJson && fields.hasUnder(path))) return { kind: 'exists', field };
  if (inJson && !keys.includes('')) {
    const under: Predicate = { kind: 'existsUnder', root, keys };
    return field === undefined ? under : or([{ kind: 'exists', field }, under]);
  }
  if (field !== undefined) return { kind: 'exists', field };
  if (keys.includes('')) return none;
  return anyExists(fields.matching(`${path}.*`));
};

const anyExists = (fields: readonly Field[]): Predicate =>
  fields.some(({ always }) => always) ? all : or(fields.map((field) => ({ kind: 'exists', field })));
