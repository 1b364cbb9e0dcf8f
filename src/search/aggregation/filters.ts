import { strict } from '../query/clause.js';
import { parseQuery } from '../query/parse.js';
import type { Query } from '../query/query.js';
import { illegalArgument, parsing } from '../search-failure.js';
import { object } from '../syntax/object.js';
import { anything, flag, kindOf, string } from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** One bucket of the records that match a query. */
export interface FilterAggregation extends Node<'filter'> {
  readonly filter: Query;
}

export const filter: ParseAggregation<FilterAggregation> = (at, frame) => ({
  kind: 'filter',
  ...aggregationBase(frame, at),
  filter: parseQuery(at),
});

/** A bucket for each of several queries. */
export interface FiltersAggregation extends Node<'filters'> {
  /** An array of buckets if there are no names. */
  readonly filters: readonly { readonly name?: string; readonly query: Query }[];
  /** Name of the bucket of all other records. */
  readonly other?: string;
  readonly keyed: boolean;
}

export const filters: ParseAggregation<FiltersAggregation> = (at, frame) => {
  const options = strict('filters', { filters: anything, other_bucket: flag, other_bucket_key: string })(at);
  const given = options.filters;
  if (given === undefined) throw illegalArgument('[filters] cannot be empty', at);
  if (!given.isObject && !given.isArray) throw parsing(`Unknown key for a ${kindOf(given)} in [filters].`, given);
  const wantsOther = options.other_bucket ?? options.other_bucket_key !== undefined;
  const anonymous = given.isArray ? given.items().map((item) => ({ query: parseQuery(item) })) : [];
  // The engines return named buckets sorted by name.
  const byName = given
    .members()
    .map(({ key, input }) => ({ name: key, query: parseQuery(input) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const queries = given.isArray ? anonymous : byName;
  if (queries.length === 0) throw illegalArgument('[filters] cannot be empty', given);
  return {
    kind: 'filters',
    ...aggregationBase(frame, at),
    filters: queries,
    keyed: !given.isArray,
    ...(wantsOther && { other: options.other_bucket_key ?? '_other_' }),
  };
};

/** One bucket of the records without a value. */
export interface MissingAggregation extends Node<'missing'>, FieldOptions {}

export const missing: ParseAggregation<MissingAggregation> = (at, frame) => ({
  kind: 'missing',
  ...aggregationBase(frame, at),
  ...fieldOptions(object('missing', valueSource)(at), at),
});

/** One bucket of all records in scope, whatever the query. */
export interface GlobalAggregation extends Node<'global'> {}

export const global: ParseAggregation<GlobalAggregation> = (at, frame) => {
  const [first] = at.members();
  if (first !== undefined)
    throw parsing(
      `Expected [FIELD_NAME] under a [START_OBJECT], but got a [${kindOf(first.input)}] in [${frame.name}]`,
      first.input,
    );
  return { kind: 'global', ...aggregationBase(frame, at) };
};
