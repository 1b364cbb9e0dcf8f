import { comparing, orderOf } from '#records/answer/bucket-order.js';
import { termsAnswer } from '#records/answer/key.js';
import { compareAll, multiTermsHead, notFound } from '#records/answer/multi-terms.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { MultiTermsAggregation } from '#search/aggregation/multi-terms.js';
import { unsupported } from '#search/aggregation/number-of.js';
import { chain } from '#search/pace.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import { allKeys } from './bucket/all-terms.js';
import { type Bucket, gap, noRecords } from './bucket/bucket.js';
import { comparableKeys, orderInSql, valueKey } from './bucket/bucket-key.js';
import { fieldOrMissing } from './value/missing-value.js';

interface KeyedBucket extends Bucket {
  readonly keys: readonly unknown[];
}

/** Plans a bucket for each combination of values of several fields. */
export const multiTerms = (aggregation: WithChildren<MultiTermsAggregation>, context: AggregationContext): Planned => {
  const { at, size, minDocCount } = aggregation;
  const depth = context.query.depth;
  const fields = aggregation.terms.map((term) => fieldOrMissing('keyword', term, at, context));
  const bound = fields.filter((field) => field !== undefined);
  if (bound.length < fields.length) {
    orderOf(aggregation.order, context.planEmpty(aggregation));
    return { read: () => termsAnswer(0, []) };
  }
  const wrong = bound.find(({ kind }) => kind === 'geo_point');
  if (wrong !== undefined) throw unsupported(wrong, 'multi_terms', at);
  const keysFrom = (from: number) =>
    bound.map((field, index) => valueKey(field, aggregation.terms[index]!.missing, from + index, context.planning));
  const wantedOrder = aggregation.order.length > 0 ? aggregation.order : [{ path: '_count', descending: true, at }];
  // Combinations without records of the query only join once all are known, so nothing can be cut before.
  const withEmpty = minDocCount === 0;
  const cut = { size, minDocCount, order: () => orderInSql(order, comparableKeys(bound, depth)) };
  const inner = context.inside(keysFrom(depth), withEmpty ? {} : { cut });
  const children = inner.planAll(aggregation);
  const order = orderOf(wantedOrder, children);
  const count = inner.count();
  const all = withEmpty ? allKeys(keysFrom(0), context) : undefined;
  const head = multiTermsHead(aggregation, bound);
  const compare = comparing(order, count, (a: KeyedBucket, b: KeyedBucket) => compareAll(bound)(a.keys, b.keys));

  const found = (around: Bucket): KeyedBucket[] =>
    inner.rows.bucketsOf(around).map((bucket) => ({ ...bucket, keys: inner.rows.keysOf(bucket.row!) }));
  const withAll = (around: Bucket): KeyedBucket[] => {
    const some = found(around);
    const others = around.id === gap.id ? [] : notFound(some, all!());
    return [...some, ...others.map((keys) => ({ ...noRecords, keys }))].sort(compare);
  };
  const sum = (some: readonly Bucket[]) => some.reduce((total, bucket) => total + count(bucket), 0);
  return {
    read: (around) => {
      const every = withEmpty ? withAll(around) : found(around);
      const buckets = every.slice(0, size);
      context.planning.made(buckets.length);
      const total = withEmpty || buckets[0] === undefined ? sum(every) : inner.rows.total(buckets[0]);
      return chain(
        children.readAll(buckets, (bucket) => [head(bucket.keys, count(bucket)), bucket]),
        (answers) => termsAnswer(total - sum(buckets), answers),
      );
    },
  };
};
