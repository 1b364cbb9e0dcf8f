import { histogramAnswer } from '#records/answer/histogram.js';
import type { EngineBucket } from '#records/opensearch/engine.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import { printOf } from '#search/aggregation/format.js';
import type { HistogramAggregation } from '#search/aggregation/histogram.js';
import type { EngineAggregationContext, Planned } from './bucket/aggregation-context.js';
import { type Bucket, countOf, gap, inside } from './bucket/bucket.js';
import { numbersOf } from './value/metric-source.js';

/** Plans a bucket per interval of numbers, including empty ones between others. */
export const histogram = (
  aggregation: WithChildren<HistogramAggregation>,
  context: EngineAggregationContext,
): Planned => {
  const { at, format, interval, offset } = aggregation;
  const source = numbersOf('histogram', aggregation, at, context);
  const children = source === undefined ? context.planEmpty(aggregation) : context.planAll(aggregation);
  // This process adds and counts empty buckets itself.
  const body = { ...source?.body, interval, offset, min_doc_count: 1 };
  const question = source && context.ask('histogram', body, { field: source.field, children });
  const found = (around: Bucket) =>
    ((question?.answerIn(around)?.['buckets'] ?? []) as readonly EngineBucket[]).map((bucket) => ({
      bucket: inside(bucket, around),
      key: Math.round((Number(bucket.key) - offset) / interval),
    }));
  const print = printOf(source?.field, format);
  const parts = { print, children, count: countOf, found, gap };
  return {
    asked: question?.asked ?? {},
    visit: (around) => {
      for (const { bucket } of found(around)) children.visit(bucket);
    },
    read: histogramAnswer(aggregation, parts, context.planning),
  };
};
