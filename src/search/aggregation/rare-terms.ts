import { illegalArgument } from '../search-failure.js';
import { object } from '../syntax/object.js';
import { atLeast, long, number } from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import { type KeyFilter, keyFilter, keyFilters } from './option/key-filter.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** A bucket for each value that few records have. */
export interface RareTermsAggregation extends Node<'rare_terms'>, FieldOptions {
  readonly maxDocCount: number;
  readonly include?: KeyFilter;
  readonly exclude?: KeyFilter;
}

export const rareTerms: ParseAggregation<RareTermsAggregation> = (at, frame) => {
  const options = object('rare_terms', {
    ...valueSource,
    max_doc_count: atLeast(1, long),
    precision: number,
    include: keyFilter,
    exclude: keyFilter,
  })(at);
  if ((options.max_doc_count ?? 1) > 100)
    throw illegalArgument(`[max_doc_count] must be smaller than 100 in [${frame.name}]`, at);
  return {
    kind: 'rare_terms',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    maxDocCount: options.max_doc_count ?? 1,
    ...keyFilters(options.include, options.exclude, at),
  };
};
