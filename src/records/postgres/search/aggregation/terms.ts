import { comparing, orderOf } from '#records/answer/bucket-order.js';
import { compareKeys, termsAnswer, writtenKey } from '#records/answer/key.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { Answer } from '#search/aggregation/aggregation-answer.js';
import { printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import type { TermsAggregation } from '#search/aggregation/terms.js';
import { type Awaitable, chain } from '#search/pace.js';
import type { StoredField } from '../sql/stored-field.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import { allTerms } from './bucket/all-terms.js';
import { type Bucket, gap, noRecords } from './bucket/bucket.js';
import { comparableKeys, orderInSql, valueKey } from './bucket/bucket-key.js';
import { fieldOrMissing } from './value/missing-value.js';

/** Plans a bucket for each value of a field, by default the most frequent first. */
export const terms = (aggregation: WithChildren<TermsAggregation>, context: AggregationContext): Planned => {
  const { at, missing, format } = aggregation;
  const field = fieldOrMissing('keyword', aggregation, at, context);
  if (field === undefined) {
    orderOf(aggregation.order, context.planEmpty(aggregation));
    return { read: () => termsAnswer(0, []) };
  }
  if (field.kind === 'geo_point') throw unsupported(field, 'terms', at);
  const depth = context.query.depth;
  const wantedOrder = aggregation.order.length > 0 ? aggregation.order : [{ path: '_count', descending: true, at }];
  // Terms without records of the query only join once all are known, so nothing can be cut before.
  const withEmpty = aggregation.minDocCount === 0;
  const key = valueKey(field, missing, depth, context.planning, aggregation);
  const cut = {
    size: aggregation.size,
    minDocCount: aggregation.minDocCount,
    order: () => orderInSql(order, comparableKeys([field], depth)),
  };
  const inner = context.inside([key], withEmpty ? {} : { cut });
  const children = inner.planAll(aggregation);
  const order = orderOf(wantedOrder, children);
  const count = inner.count();
  const ownKey = (bucket: Bucket) => inner.rows.keysOf(bucket.row!)[0];
  const universe = withEmpty ? allTerms(field, aggregation, context) : undefined;
  // The default text of a missing field is written without a format.
  const isPlain = context.field(aggregation.field, at) === undefined && field.kind === 'keyword';
  const print = isPlain ? undefined : printOf(field, format);

  const found = (around: Bucket): KeyedBucket[] =>
    inner.rows.bucketsOf(around).map((bucket) => ({ ...bucket, key: ownKey(bucket) }));
  const withAll = (around: Bucket): KeyedBucket[] => {
    const some = found(around);
    const keys = new Set(some.map(({ key }) => key));
    const others = around.id === gap.id ? [] : universe!().filter((key) => !keys.has(key));
    const byKey = (a: Bucket, b: Bucket) => compareKeys(field.kind, (a as KeyedBucket).key, (b as KeyedBucket).key);
    return [...some, ...others.map((key) => ({ ...noRecords, key }))].sort(comparing(order, count, byKey));
  };
  const read = (around: Bucket): Awaitable<Answer> => {
    const all = withEmpty ? withAll(around) : found(around);
    const buckets = all.slice(0, aggregation.size);
    context.planning.made(buckets.length);
    const sum = (some: readonly Bucket[]) => some.reduce((total, bucket) => total + count(bucket), 0);
    const total = withEmpty || buckets[0] === undefined ? sum(all) : inner.rows.total(buckets[0]);
    const answers = children.readAll(buckets, (bucket) => [head(field, bucket), bucket]);
    return chain(answers, (done) => termsAnswer(total - sum(buckets), done));
  };
  const head = (of: StoredField, bucket: KeyedBucket): Answer => ({
    ...writtenKey(of, bucket.key, print),
    doc_count: count(bucket),
    ...(aggregation.showErrors && { doc_count_error_upper_bound: 0 }),
  });
  return { keyKind: field.kind, read };
};

interface KeyedBucket extends Bucket {
  readonly key: unknown;
}
