import { bindQuery } from '../query/bind.js';
import { type Binding, findField } from '../query/binding.js';
import { all, and, none, not, type Predicate } from '../query/predicate.js';
import type { Aggregation } from './aggregation.js';
import type { FilterAggregation, MissingAggregation } from './filters.js';

/** Builds the predicate of the records in a `filter` bucket. */
export const recordsMatching = ({ filter: query }: FilterAggregation, binding: Binding): Predicate =>
  bindQuery(query, binding);

/** Builds the predicate of the records in a `missing` bucket. */
export const recordsWithout = (
  { field: path, missing: instead, at }: MissingAggregation,
  { fields }: Binding,
): Predicate => {
  const field = findField(fields, path, at);
  if (instead !== undefined) return none;
  return field === undefined ? all : not({ kind: 'exists', field });
};

/**
 * Returns, for each `auto_date_histogram`, the records whose time span determines its width: those of the enclosing
 * single buckets. Inside several buckets all of them get the same width.
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
