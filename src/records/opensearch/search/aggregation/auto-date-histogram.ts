import { automaticAnswer, automaticBuckets } from '#records/answer/auto-date-histogram.js';
import type { EngineBucket } from '#records/opensearch/engine.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { AutoDateHistogramAggregation } from '#search/aggregation/auto-date-histogram.js';
import type { EngineAggregationContext, Planned } from './bucket/aggregation-context.js';
import { type Bucket, countOf, gap, inside } from './bucket/bucket.js';

/**
 * Plans an `auto_date_histogram`: time buckets up to a maximum number, with an interval that fits the records of the
 * enclosing single buckets.
 */
export const autoDateHistogram = (
  aggregation: WithChildren<AutoDateHistogramAggregation>,
  context: EngineAggregationContext,
): Planned => {
  const { planning } = context;
  const { now, found: spans } = planning;
  const field = context.field(aggregation.field, aggregation.at);
  const chosen = automaticBuckets(aggregation, { field, now, span: spans.get(aggregation) });
  if ('none' in chosen) {
    context.planEmpty(aggregation);
    return { asked: {}, read: () => chosen.none };
  }
  const { starts } = chosen;
  const children = context.planAll(aggregation);
  const ranges = starts.map((start, index) => ({
    key: `${index}`,
    from: start,
    ...(starts[index + 1] !== undefined && { to: starts[index + 1] }),
  }));
  const question = context.ask('date_range', { field: 'ts', format: 'epoch_millis', ranges }, { children });
  const filledIn = (around: Bucket): ReadonlyMap<number, Bucket> => {
    const buckets = (question.answerIn(around)?.['buckets'] ?? []) as readonly EngineBucket[];
    return new Map(
      buckets
        .filter(({ doc_count: count = 0 }) => count > 0)
        .map((bucket) => [Number(bucket.key), inside(bucket, around)]),
    );
  };
  return {
    asked: question.asked,
    visit: (around) => {
      for (const bucket of filledIn(around).values()) children.visit(bucket);
    },
    read: (around) => automaticAnswer(chosen, { filled: filledIn(around), gap, count: countOf, children }, planning),
  };
};
