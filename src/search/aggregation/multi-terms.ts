import { illegalArgument } from '../search-failure.js';
import { object } from '../syntax/object.js';
import { objectsOf } from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import type { BucketOrder } from './option/bucket-order.js';
import { counted } from './option/terms.js';
import { namedField, valueSource } from './option/value-source.js';

/** A bucket for each combination of values of several fields. */
export interface MultiTermsAggregation extends Node<'multi_terms'> {
  readonly terms: readonly FieldOptions[];
  readonly size: number;
  readonly minDocCount: number;
  readonly order: readonly BucketOrder[];
  readonly showErrors: boolean;
}

export const multiTerms: ParseAggregation<MultiTermsAggregation> = (at, frame) => {
  const options = object('multi_terms', {
    ...counted,
    terms: objectsOf((input) => namedField(object('multi_terms', valueSource)(input), input)),
  })(at);
  if ((options.terms ?? []).length < 2) {
    throw illegalArgument(
      `multi term aggregation must has at least 2 terms. Found [${options.terms?.length ?? 0}] in [${frame.name}]`,
      at,
    );
  }
  return {
    kind: 'multi_terms',
    ...aggregationBase(frame, at),
    terms: options.terms!,
    size: options.size ?? 10,
    minDocCount: options.min_doc_count ?? 1,
    order: options.order ?? [],
    showErrors: options.show_term_doc_count_error ?? false,
  };
};
