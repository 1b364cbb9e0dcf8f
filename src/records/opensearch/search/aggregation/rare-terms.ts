import { compareKeys, writtenKey } from '#records/answer/key.js';
import type { EngineBucket } from '#records/opensearch/engine.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import { printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import type { RareTermsAggregation } from '#search/aggregation/rare-terms.js';
import { chain } from '#search/pace.js';
import { type EngineAggregationContext, notOfDevices, type Planned } from './bucket/aggregation-context.js';
import { type Bucket, countOf, inside } from './bucket/bucket.js';
import { filtersOf, maxTerms, termKeyOf } from './bucket/term-key.js';
import { sourceOf } from './value/metric-source.js';

/** Plans a bucket per rare value, in ascending order of counts. */
export const rareTerms = (
  aggregation: WithChildren<RareTermsAggregation>,
  context: EngineAggregationContext,
): Planned => {
  const { at, format, maxDocCount } = aggregation;
  const source = sourceOf('keyword', aggregation, at, context);
  if (source === undefined) {
    context.planEmpty(aggregation);
    return { asked: {}, read: () => ({ buckets: [] }) };
  }
  const { field, body } = source;
  if (field.kind !== 'keyword' && field.kind !== 'long' && field.kind !== 'boolean' && field.kind !== 'date')
    throw unsupported(field, 'rare_terms', at);
  if (field.ofDevice) throw notOfDevices(field, 'rare_terms', at);
  const children = context.planAll(aggregation);
  const print = printOf(field, format);
  // The engine's own `rare_terms` only estimates.
  const rarest = { size: maxTerms, shard_size: maxTerms, order: [{ _count: 'asc' }, { _key: 'asc' }] };
  const question = context.ask(
    'terms',
    { ...body, ...filtersOf(field, aggregation, context), ...rarest },
    { field, children },
  );
  const found = (around: Bucket) => {
    const buckets = (question.answerIn(around)?.['buckets'] ?? []) as readonly EngineBucket[];
    return buckets
      .filter(({ doc_count: count = 0 }) => count <= maxDocCount)
      .map((bucket) => ({ ...inside(bucket, around), key: termKeyOf(bucket) }))
      .sort((a, b) => countOf(a) - countOf(b) || compareKeys(field.kind, a.key, b.key));
  };
  return {
    keyKind: field.kind,
    asked: question.asked,
    visit: (around) => {
      for (const bucket of found(around)) children.visit(bucket);
    },
    read: (around) => {
      const buckets = found(around);
      context.planning.made(buckets.length);
      return chain(
        children.readAll(buckets, (bucket) => [
          { ...writtenKey(field, bucket.key, print), doc_count: countOf(bucket) },
          bucket,
        ]),
        (answers) => ({ buckets: answers }),
      );
    },
  };
};
