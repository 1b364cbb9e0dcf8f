import { orderOf } from '#records/answer/bucket-order.js';
import { writtenKey } from '#records/answer/key.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import { printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import type { RareTermsAggregation } from '#search/aggregation/rare-terms.js';
import { chain } from '#search/pace.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import { comparableKeys, orderInSql, valueKey } from './bucket/bucket-key.js';
import { fieldOrMissing } from './value/missing-value.js';

const everything = 65_535;

/** Plans a bucket for each value that few records have, the rarest first. */
export const rareTerms = (aggregation: WithChildren<RareTermsAggregation>, context: AggregationContext): Planned => {
  const { at, missing, format, maxDocCount } = aggregation;
  const field = fieldOrMissing('keyword', aggregation, at, context);
  if (field === undefined) {
    context.planEmpty(aggregation);
    return { read: () => ({ buckets: [] }) };
  }
  if (field.kind !== 'keyword' && field.kind !== 'long' && field.kind !== 'boolean' && field.kind !== 'date')
    throw unsupported(field, 'rare_terms', at);
  const depth = context.query.depth;
  const inner = context.inside([valueKey(field, missing, depth, context.planning, aggregation)], {
    cut: {
      size: everything,
      minDocCount: 1,
      maxDocCount,
      order: () => orderInSql(order, comparableKeys([field], depth)),
    },
  });
  const children = inner.planAll(aggregation);
  const order = orderOf([{ path: '_count', descending: false, at }], children);
  const count = inner.count();
  const print = printOf(field, format);
  return {
    keyKind: field.kind,
    read: (around) => {
      const buckets = inner.rows.bucketsOf(around);
      context.planning.made(buckets.length);
      return chain(
        children.readAll(buckets, (bucket) => [
          { ...writtenKey(field, inner.rows.keysOf(bucket.row!)[0], print), doc_count: count(bucket) },
          bucket,
        ]),
        (answers) => ({ buckets: answers }),
      );
    },
  };
};
