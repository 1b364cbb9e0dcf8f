import { bindGeoBox, bindGeoDistance } from './bind-geo.js';
import { bindExists, bindRange, bindTerm, bindTerms } from './bind-term.js';
import { bindMatch, bindMultiMatch, bindPattern, bindQueryString, bindSimpleQueryString } from './bind-text.js';
import { type Binding, known, LookupCount } from './binding.js';
import { requiredOf } from './minimum-should-match.js';
import { all, and, atLeastOf, none, not, or, type Predicate } from './predicate.js';
import type { BoolQuery, Query } from './query.js';

type Bind = { [K in Query['kind']]: (query: Extract<Query, { kind: K }>, binding: Binding) => Predicate };

const binders: Bind = {
  match_all: () => all,
  match_none: () => none,
  bool: (query, binding) => bindBool(query, binding),
  term: bindTerm,
  terms: bindTerms,
  range: bindRange,
  exists: bindExists,
  pattern: bindPattern,
  match: bindMatch,
  multi_match: bindMultiMatch,
  boosting: ({ positive, negative }, binding) => {
    bindQuery(negative, binding);
    return bindQuery(positive, binding);
  },
  or: ({ queries }, binding) => or(queries.map((query) => bindQuery(query, binding))),
  query_string: bindQueryString,
  simple_query_string: bindSimpleQueryString,
  geo_distance: bindGeoDistance,
  geo_bounding_box: bindGeoBox,
  ids: ({ values, at }, { fields }) => ({ kind: 'in', field: known(fields, '_id', at)!, values }),
};

/** A query in terms of fields. @throws SearchFailure where a clause does not fit the type of its field. */
export const bindQuery = (query: Query, binding: Binding): Predicate => {
  const { fields, now, lookups = new LookupCount() } = binding;
  return (binders[query.kind] as (query: Query, binding: Binding) => Predicate)(query, { fields, now, lookups });
};

const bindBool = (
  { must, filter, should, mustNot, minimumShouldMatch, at }: BoolQuery,
  binding: Binding,
): Predicate => {
  const bind = (query: Query) => bindQuery(query, binding);
  const optional = should.map(bind);
  const alone = must.length === 0 && filter.length === 0;
  const isEmpty = alone && should.length === 0 && mustNot.length === 0;
  const asked =
    minimumShouldMatch === undefined || isEmpty ? undefined : requiredOf(minimumShouldMatch, should.length, at);
  // Without must and filter, one optional clause at least has to match, even where 0 was asked for.
  const required = should.length === 0 ? (alone ? 0 : (asked ?? 0)) : alone ? Math.max(1, asked ?? 1) : (asked ?? 0);
  return and([...must.map(bind), ...filter.map(bind), atLeastOf(required, optional), not(or(mustNot.map(bind)))]);
};
