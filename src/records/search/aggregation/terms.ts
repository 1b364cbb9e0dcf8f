import type { TermsAggregation } from './aggregation.js';
import { valueKey, writtenKey } from './bucket-key.js';
import { printOf } from './format.js';
import type { Bucket } from './level.js';
import { unsupported } from './number-of.js';
import { orderInSql, orderOf } from './order.js';
import { type Answer, type Planned, readAll, type Stage } from './stage.js';

/** One bucket for each value of a field, the most frequent first unless another order is asked for. */
export const terms = (aggregation: TermsAggregation, stage: Stage): Planned => {
  const { at, missing, format, size, minDocCount } = aggregation;
  const field = stage.field(aggregation.field, at);
  if (field === undefined) return { read: () => answer(0, []) };
  if (field.kind === 'geo_point') throw unsupported(field, 'terms', at);
  const depth = stage.level.depth;
  const order = () => orderInSql(orderOf(asked, children), depth, field.kind === 'keyword');
  const inner = stage.inside([valueKey(field, missing, depth, stage.planning)], { size, minDocCount, order });
  const children = inner.planAll(aggregation.children);
  const asked = aggregation.order.length > 0 ? aggregation.order : [{ path: '_count', descending: true, at }];
  orderOf(asked, children);
  const print = printOf(field, format);
  const count = inner.count();
  const written = (bucket: Bucket): Answer => ({
    ...writtenKey(field, inner.level.keysOf(bucket.row!)[0], print),
    doc_count: count(bucket),
    ...(aggregation.showErrors && { doc_count_error_upper_bound: 0 }),
    ...readAll(children, bucket),
  });
  return {
    read: (around) => {
      const buckets = inner.level.bucketsOf(around);
      stage.planning.made(buckets.length);
      const shown = buckets.reduce((sum, bucket) => sum + count(bucket), 0);
      const all = buckets[0] === undefined ? 0 : inner.level.total(buckets[0]);
      return answer(all - shown, buckets.map(written));
    },
  };
};

const answer = (others: number, buckets: readonly Answer[]): Answer => ({
  doc_count_error_upper_bound: 0,
  sum_other_doc_count: others,
  buckets,
});
