import type { Aggregation } from './aggregation/aggregation.js';
import { timedBy } from './aggregation/selection.js';
import type { Fields } from './field/field.js';
import { type BoundKey, bindSort } from './hits/bound-sort.js';
import { type Cursor, readCursor } from './hits/search-after.js';
import { bindShownFields, type ShownField } from './hits/shown-field.js';
import { bindQuery } from './query/bind.js';
import type { NamedPredicates } from './query/named.js';
import { all, type Predicate } from './query/predicate.js';
import type { SearchRequest } from './request.js';

/** A query bound to its fields. */
export interface BoundRequest {
  readonly request: SearchRequest;
  readonly query: Predicate;
  /** Predicates that hits must match: the query and the post filter. */
  readonly predicates: readonly [query: Predicate, postFilter: Predicate];
  /** Named clauses of both. */
  readonly named: NamedPredicates;
  readonly sort: readonly BoundKey[];
  readonly shown: readonly ShownField[];
  /** Beginning of the page. */
  readonly cursor?: Cursor;
  /** Aggregations whose width depends on the time span of their records, which is read first. */
  readonly timed: ReadonlyMap<Aggregation, Predicate>;
}

/**
 * Binds a query to fields.
 * @throws SearchFailure if it does not fit them
 */
export const bindRequest = (
  request: SearchRequest,
  { fields, now }: { readonly fields: Fields; readonly now: number },
): BoundRequest => {
  const binding = { fields, now };
  const named = new Map<string, Predicate>();
  const [query, postFilter] = [request.query, request.postFilter].map((one) =>
    one === undefined ? all : bindQuery(one, { ...binding, named }),
  ) as [Predicate, Predicate];
  const sort = bindSort(request.sort, binding);
  const cursor = request.searchAfter && readCursor(request.searchAfter, sort, now);
  const timed = timedBy(request.aggregations, query, binding);
  return {
    request,
    query,
    predicates: [query, postFilter],
    named,
    sort,
    shown: bindShownFields(request.fields, fields),
    ...(cursor && { cursor }),
    timed,
  };
};
