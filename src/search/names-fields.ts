import type { Fields } from './field/field.js';
import { reservedFields } from './field/reserved.js';
import type { Query } from './query/query.js';
import type { SearchRequest } from './request.js';

/** Whether a query may name fields that products declare or records have. If not, {@link reservedOnly} binds it. */
export const namesFields = ({ query, postFilter, aggregations, sort, fields }: SearchRequest): boolean =>
  aggregations.length > 0 ||
  fields.length > 0 ||
  sort.some(({ field }) => field !== '_score' && !reservedFields.has(field)) ||
  [query, postFilter].some((one) => one !== undefined && asksFields(one));

/** Kinds of clauses that are not inspected count as naming such fields. */
const asksFields = (query: Query): boolean => {
  switch (query.kind) {
    case 'match_all':
    case 'match_none':
    case 'ids':
      return false;
    case 'named':
      return asksFields(query.of);
    case 'bool':
      return [query.must, query.filter, query.should, query.mustNot].some((clauses) => clauses.some(asksFields));
    case 'term':
    case 'terms':
    case 'range':
      return !reservedFields.has(query.field);
    default:
      return true;
  }
};

/** The fields that exist for every record, and no others. A request for another one is a bug in this service. */
export const reservedOnly: Fields = {
  find(path) {
    const field = reservedFields.get(path);
    if (field === undefined) throw new Error(`The field ${path} was not expected.`);
    return field;
  },
  kindOf: (path) => reservedFields.get(path)?.kind,
  paths: () => [...reservedFields.keys()],
  hasUnder: (path) => [...reservedFields.keys()].some((one) => one.startsWith(`${path}.`)),
  matching(pattern) {
    throw new Error(`The pattern ${pattern} was not expected.`);
  },
};
