import { type BindInner, type Binding, LookupCount } from './binding.js';
import { bindBool } from './bool.js';
import { bindExists } from './exists.js';
import { bindGeoBox, bindGeoDistance } from './geo-clause.js';
import { bindIds } from './ids.js';
import { bindMatch, bindMultiMatch } from './match.js';
import { bindNamed } from './named.js';
import { bindPattern } from './pattern-clause.js';
import { all, none, type Predicate } from './predicate.js';
import type { Query } from './query.js';
import { bindQueryString } from './query-string.js';
import { bindRange } from './range-clause.js';
import { bindBoosting, bindDisMax } from './scoring.js';
import { bindSimpleQueryString } from './simple-query-string.js';
import { bindTerm } from './term.js';
import { bindTerms } from './terms.js';

type Bind = {
  readonly [K in Query['kind']]: (
    query: Extract<Query, { kind: K }>,
    binding: Binding,
    inner: BindInner<Query>,
  ) => Predicate;
};

const binders: Bind = {
  match_all: () => all,
  match_none: () => none,
  named: bindNamed,
  bool: bindBool,
  term: bindTerm,
  terms: bindTerms,
  range: bindRange,
  exists: bindExists,
  pattern: bindPattern,
  match: bindMatch,
  multi_match: bindMultiMatch,
  boosting: bindBoosting,
  dis_max: bindDisMax,
  query_string: bindQueryString,
  simple_query_string: bindSimpleQueryString,
  geo_distance: bindGeoDistance,
  geo_bounding_box: bindGeoBox,
  ids: bindIds,
};

/**
 * Binds a query to fields.
 * @throws SearchFailure if a clause does not fit the type of its field
 */
export const bindQuery = (query: Query, { lookups = new LookupCount(), ...given }: Binding): Predicate => {
  const binding = { ...given, lookups };
  const inner: BindInner<Query> = (one) => bindQuery(one, binding);
  return (binders[query.kind] as (query: Query, binding: Binding, inner: BindInner<Query>) => Predicate)(
    query,
    binding,
    inner,
  );
};
