import { bindQuery } from '../query/bind.js';
import { type Binding, findField } from '../query/binding.js';
import { all, and, none, not, type Predicate } from '../query/predicate.js';
import type { Aggregation } from './aggregation.js';
import type { FilterAggregation } from './filter.js';
import type { MissingAggregation } from './missing.js';

/** Which records the bucket of a `filter` has. */
export const recordsMatching = ({ filter: query }: FilterAggregation, binding: Binding): Predicate =>
  bindQuery(query, binding);

/** Which records the bucket of a `missing` has. */
export const recordsWithout = (
  { field: path, missing: instead, at }: MissingAggregation,
  { fields }: Binding,
): Predicate => {
  const field = findField(fields, path, at);
  if (instead !== undefined) return none;
  return field === undefined ? all : not({ kind: 'exists', field });
};

/**
 * Of each `auto_date_histogram` the records whose time gives it its width: those of the single buckets around it. Inside
 * several buckets all take one width.
 */
export const timedBy = (
  aggregations: readonly Aggregation[],
  query: Predicate,
  binding: Binding,
): Map<Aggregation, Predicate> => {
  const found = new Map<Aggregation, Predicate>();
  const collect = (inside: readonly Aggregation[], records: Predicate) => {
    for (const one of inside) {
      if (one.kind === 'auto_date_histogram') found.set(one, records);
      if ('children' in one && one.children.some(holdsTimed)) collect(one.children, within(one, records));
    }
  };
  const within = (one: Aggregation, records: Predicate): Predicate => {
    if (one.kind === 'global') return all;
    if (one.kind === 'filter') return and([records, recordsMatching(one, binding)]);
    return one.kind === 'missing' ? and([records, recordsWithout(one, binding)]) : records;
  };
  collect(aggregations, query);
  return found;
};

const holdsTimed = (one: Aggregation): boolean =>
  one.kind === 'auto_date_histogram' || ('children' in one && one.children.some(holdsTimed));
