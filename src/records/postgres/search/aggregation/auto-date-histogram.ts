import sql from 'sql-template-tag';
import { automaticAnswer, automaticBuckets } from '#records/answer/auto-date-histogram.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { AutoDateHistogramAggregation } from '#search/aggregation/auto-date-histogram.js';
import { instantText } from '#search/query/option/instant.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import { gap } from './bucket/bucket.js';

/** Plans a limited number of time buckets, whose width fits the records of the enclosing single buckets. */
export const autoDateHistogram = (
  aggregation: WithChildren<AutoDateHistogramAggregation>,
  context: AggregationContext,
): Planned => {
  const { planning } = context;
  const { now, found: spans } = planning;
  const field = context.field(aggregation.field, aggregation.at);
  const chosen = automaticBuckets(aggregation, { field, now, span: spans.get(aggregation) });
  if ('none' in chosen) {
    context.planEmpty(aggregation);
    return { read: () => chosen.none };
  }
  const starts = chosen.starts.map(instantText);
  const { field: time } = chosen;
  // `width_bucket` counts from 1.
  const place = sql`width_bucket(${time.value}, ${starts}::timestamptz[]) - 1`;
  const inner = context.inside([{ value: place, type: sql`int4`, fields: [time] }]);
  const children = inner.planAll(aggregation);
  const count = inner.count();
  return {
    read: (around) => {
      const buckets = inner.rows.bucketsOf(around);
      const filled = new Map(buckets.map((bucket) => [Number(inner.rows.keysOf(bucket.row!)[0]), bucket]));
      return automaticAnswer(chosen, { filled, gap, count, children }, planning);
    },
  };
};
