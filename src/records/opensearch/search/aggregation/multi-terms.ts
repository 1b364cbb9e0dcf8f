import { comparing, orderOf } from '#records/answer/bucket-order.js';
import { termsAnswer } from '#records/answer/key.js';
import { compareAll, multiTermsHead, notFound } from '#records/answer/multi-terms.js';
import type { EngineBucket } from '#records/opensearch/engine.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { MultiTermsAggregation } from '#search/aggregation/multi-terms.js';
import { unsupported } from '#search/aggregation/number-of.js';
import { chain } from '#search/pace.js';
import { type EngineAggregationContext, notOfDevices, type Planned } from './bucket/aggregation-context.js';
import { type Bucket, countOf, inside, noRecords } from './bucket/bucket.js';
import { isOrdered, maxTerms, orderOfEngine } from './bucket/term-key.js';
import { sourceOf } from './value/metric-source.js';

interface KeyedBucket extends Bucket {
  readonly keys: readonly unknown[];
}

/** Plans a bucket per combination of several fields' values. */
export const multiTerms = (
  aggregation: WithChildren<MultiTermsAggregation>,
  context: EngineAggregationContext,
): Planned => {
  const { at, size, minDocCount } = aggregation;
  const sources = aggregation.terms.map((term) => sourceOf('keyword', term, at, context));
  const known = sources.filter((source) => source !== undefined);
  if (known.length < sources.length) {
    orderOf(aggregation.order, context.planEmpty(aggregation));
    return { asked: {}, read: () => termsAnswer(0, []) };
  }
  const wrong = known.find(({ field: { kind } }) => kind === 'geo_point');
  if (wrong !== undefined) throw unsupported(wrong.field, 'multi_terms', at);
  const ofDevice = known.find(({ field }) => field.ofDevice);
  if (ofDevice !== undefined) throw notOfDevices(ofDevice.field, 'multi_terms', at);
  const wantedOrder = aggregation.order.length > 0 ? aggregation.order : [{ path: '_count', descending: true, at }];
  const children = context.planAll(aggregation);
  const order = orderOf(wantedOrder, children);
  const fields = known.map(({ field }) => field);
  const terms = known.map(({ field, body }) => ({
    ...body,
    value_type: body['value_type'] ?? typeNames[field.kind],
    ...(field.kind === 'date' && { format: 'epoch_millis' }),
  }));
  // Combinations without records of the query join only after all buckets are known, so the engine must not cut the
  // list.
  const withEmpty = minDocCount === 0;
  const isOrderedThere = isOrdered(order) || !withEmpty;
  const question = context.ask(
    'multi_terms',
    {
      terms,
      size: withEmpty ? maxTerms : Math.min(size, maxTerms),
      shard_size: maxTerms,
      min_doc_count: Math.max(1, minDocCount),
      ...(isOrderedThere && { order: orderOfEngine(order) }),
    },
    { children },
  );
  const head = multiTermsHead(aggregation, fields);
  const compare = comparing(order, countOf, (a: KeyedBucket, b: KeyedBucket) => compareAll(fields)(a.keys, b.keys));
  const keysOf = ({ key }: EngineBucket): readonly unknown[] =>
    (key as readonly unknown[]).map((one, index) => {
      if (typeof one === 'bigint') return `${one}`;
      return fields[index]!.kind === 'date' ? Number(one) : one;
    });
  const all = withEmpty ? allKeys(terms, context) : undefined;

  const shown = (around: Bucket): { buckets: readonly KeyedBucket[]; others: number } => {
    const answer = question.answerIn(around);
    const others = Number(answer?.['sum_other_doc_count'] ?? 0);
    const found = ((answer?.['buckets'] ?? []) as readonly EngineBucket[]).map((bucket) => ({
      ...inside(bucket, around),
      keys: keysOf(bucket),
    }));
    if (all === undefined) return { buckets: found, others };
    const more = around.isGap ? [] : notFound(found, all().map(keysOf));
    const sorted = [...found, ...more.map((keys) => ({ ...noRecords, keys }))].sort(compare);
    const sum = sorted.slice(size).reduce((total, bucket) => total + countOf(bucket), 0);
    return { buckets: sorted.slice(0, size), others: others + sum };
  };
  return {
    asked: question.asked,
    visit: (around) => {
      for (const bucket of shown(around).buckets) children.visit(bucket);
    },
    read: (around) => {
      const { buckets, others } = shown(around);
      context.planning.made(buckets.length);
      return chain(
        children.readAll(buckets, (bucket) => [head(bucket.keys, countOf(bucket)), bucket]),
        (answers) => termsAnswer(others, answers),
      );
    },
  };
};

/** Requests the combinations that occur in any record of the scope. */
const allKeys = (terms: readonly object[], { planning }: EngineAggregationContext): (() => readonly EngineBucket[]) => {
  const name = planning.newName();
  const asked = { in: { filter: planning.scope, aggs: { keys: { multi_terms: { terms, ...everything } } } } };
  const answer = planning.aside({ [name]: { global: {}, aggs: asked } });
  return () => {
    const scope = (answer()?.[name] as EngineBucket | undefined)?.['in'] as EngineBucket | undefined;
    return ((scope?.['keys'] as EngineBucket | undefined)?.['buckets'] ?? []) as readonly EngineBucket[];
  };
};

const everything = { size: maxTerms, shard_size: maxTerms };

const typeNames = {
  keyword: 'string',
  double: 'double',
  long: 'double',
  boolean: 'double',
  date: 'date',
  geo_point: 'string',
};
