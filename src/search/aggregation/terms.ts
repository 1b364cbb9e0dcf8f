import { object } from '../syntax/object.js';
import { string } from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import type { BucketOrder } from './option/bucket-order.js';
import { type KeyFilter, keyFilter, keyFilters } from './option/key-filter.js';
import { counted } from './option/terms.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** A bucket for each value of a field. */
export interface TermsAggregation extends Node<'terms'>, FieldOptions {
  readonly size: number;
  readonly minDocCount: number;
  readonly order: readonly BucketOrder[];
  readonly showErrors: boolean;
  readonly include?: KeyFilter;
  readonly exclude?: KeyFilter;
}

export const terms: ParseAggregation<TermsAggregation> = (at, frame) => {
  const options = object('terms', {
    ...valueSource,
    ...counted,
    execution_hint: string,
    include: keyFilter,
    exclude: keyFilter,
  })(at);
  return {
    kind: 'terms',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    size: options.size ?? 10,
    minDocCount: options.min_doc_count ?? 1,
    order: options.order ?? [],
    showErrors: options.show_term_doc_count_error ?? false,
    ...keyFilters(options.include, options.exclude, at),
  };
};
