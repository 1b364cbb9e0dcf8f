import { comparing, orderOf } from '#records/answer/bucket-order.js';
import { compareKeys, termsAnswer, writtenKey } from '#records/answer/key.js';
import type { EngineBucket } from '#records/opensearch/engine.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { Answer } from '#search/aggregation/aggregation-answer.js';
import { printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import type { TermsAggregation } from '#search/aggregation/terms.js';
import type { Field } from '#search/field/field.js';
import { type Awaitable, chain } from '#search/pace.js';
import { scalarText } from '#search/syntax/value.js';
import { textsOf } from '../device-value.js';
import type { AskedAggregations, Children, EngineAggregationContext, Planned } from './bucket/aggregation-context.js';
import { type Bucket, countOf, inside, noRecords } from './bucket/bucket.js';
import { deviceBuckets } from './bucket/device-key.js';
import { filtersOf, isLetIn, isOrdered, maxTerms, orderOfEngine, termKeyOf } from './bucket/term-key.js';
import { sourceOf } from './value/metric-source.js';

interface KeyedBucket extends Bucket {
  readonly key: unknown;
}

/** Buckets by the values of a field, before they are limited to the requested size. */
interface Terms {
  readonly asked: AskedAggregations;
  readonly children: Children;
  /** Returns the buckets inside another, and the number of records in buckets that the engine left out. */
  found(around: Bucket): { buckets: readonly KeyedBucket[]; others: number };
  /** Returns all keys in records of the scope; missing if only keys of matching records count. */
  all?(): readonly unknown[];
  /** Whether the engine has already sorted and cut the buckets. */
  readonly isCut: boolean;
}

/** Plans a bucket per value of a field, ordered by descending count by default. */
export const terms = (aggregation: WithChildren<TermsAggregation>, context: EngineAggregationContext): Planned => {
  const { at, format } = aggregation;
  const own = context.field(aggregation.field, at);
  const source = sourceOf('keyword', aggregation, at, context);
  if (source === undefined) {
    orderOf(aggregation.order, context.planEmpty(aggregation));
    return { asked: {}, read: () => termsAnswer(0, []) };
  }
  const { field } = source;
  if (field.kind === 'geo_point') throw unsupported(field, 'terms', at);
  const wantedOrder = aggregation.order.length > 0 ? aggregation.order : [{ path: '_count', descending: true, at }];
  const found = field.ofDevice ? ofDevices(aggregation, field, context) : ofRecords(aggregation, source, context);
  const { children } = found;
  const order = orderOf(wantedOrder, children);
  // A default for missing values is written unchanged if the field is unknown.
  const print = own === undefined && field.kind === 'keyword' ? undefined : printOf(field, format);
  const byKey = (a: KeyedBucket, b: KeyedBucket) => compareKeys(field.kind, a.key, b.key);

  const shown = (around: Bucket): { buckets: readonly KeyedBucket[]; others: number } => {
    const { buckets, others } = found.found(around);
    if (found.isCut) return { buckets, others };
    const known = new Set(buckets.map(({ key }) => key));
    const more = around.isGap ? [] : (found.all?.() ?? []).filter((key) => !known.has(key));
    const all = [...buckets, ...more.map((key) => ({ ...noRecords, key }))]
      .filter((bucket) => countOf(bucket) >= aggregation.minDocCount)
      .sort(comparing(order, countOf, byKey));
    const sum = all.slice(aggregation.size).reduce((total, bucket) => total + countOf(bucket), 0);
    return { buckets: all.slice(0, aggregation.size), others: others + sum };
  };
  const head = (bucket: KeyedBucket): Answer => ({
    ...writtenKey(field, bucket.key, print),
    doc_count: countOf(bucket),
    ...(aggregation.showErrors && { doc_count_error_upper_bound: 0 }),
  });
  const read = (around: Bucket): Awaitable<Answer> => {
    const { buckets, others } = shown(around);
    context.planning.made(buckets.length);
    const answers = children.readAll(buckets, (bucket) => [head(bucket), bucket]);
    return chain(answers, (done) => termsAnswer(others, done));
  };
  const visit = (around: Bucket) => {
    for (const bucket of shown(around).buckets) children.visit(bucket);
  };
  return { keyKind: field.kind, asked: found.asked, visit, read };
};

const ofRecords = (
  aggregation: WithChildren<TermsAggregation>,
  { field, body }: NonNullable<ReturnType<typeof sourceOf>>,
  context: EngineAggregationContext,
): Terms => {
  const { minDocCount, size, at } = aggregation;
  const children = context.planAll(aggregation);
  const wantedOrder = aggregation.order.length > 0 ? aggregation.order : [{ path: '_count', descending: true, at }];
  const order = orderOf(wantedOrder, children);
  // Terms without records of the query join only after all buckets are known, so the engine must not cut the list.
  const isCut = minDocCount > 0 && isOrdered(order);
  const count = isCut ? Math.min(size, maxTerms) : maxTerms;
  const keys = { ...body, ...filtersOf(field, aggregation, context) };
  const asked = {
    ...keys,
    size: count,
    shard_size: maxTerms,
    min_doc_count: Math.max(1, minDocCount),
    ...(isCut && { order: orderOfEngine(order) }),
  };
  const question = context.ask('terms', asked, { field, children });
  const found = (around: Bucket) => {
    const answer = question.answerIn(around);
    const buckets = (answer?.['buckets'] ?? []) as readonly EngineBucket[];
    return {
      buckets: buckets.map((bucket) => ({ ...inside(bucket, around), key: termKeyOf(bucket) })),
      others: Number(answer?.['sum_other_doc_count'] ?? 0),
    };
  };
  if (minDocCount > 0) return { asked: question.asked, children, found, isCut };
  return { asked: question.asked, children, found, isCut, all: allKeys(aggregation, field, keys, context) };
};

/**
 * Requests the keys that occur in any record of the scope. The engine's own `min_doc_count` of 0 would also return keys
 * of other organizations.
 */
const allKeys = (
  { missing, include, exclude }: TermsAggregation,
  field: Field,
  keys: Readonly<Record<string, unknown>>,
  { planning }: EngineAggregationContext,
): (() => readonly unknown[]) => {
  const name = planning.newName();
  const body = { ...keys, size: maxTerms, shard_size: maxTerms };
  const asked = { in: { filter: planning.scope, aggs: { keys: { terms: body } } } };
  const answer = planning.aside({ [name]: { global: {}, aggs: asked } });
  return () => {
    const scope = (answer()?.[name] as EngineBucket | undefined)?.['in'] as EngineBucket | undefined;
    const buckets = ((scope?.['keys'] as EngineBucket | undefined)?.['buckets'] ?? []) as readonly EngineBucket[];
    const found = buckets.map(termKeyOf);
    // The default for missing values is a key even if every record has a value.
    const instead = field.kind === 'keyword' && missing && !include && !exclude ? scalarText(missing) : undefined;
    return instead === undefined || found.includes(instead) ? found : [...found, instead];
  };
};

const ofDevices = (
  aggregation: WithChildren<TermsAggregation>,
  field: Field,
  context: EngineAggregationContext,
): Terms => {
  const isIn = isLetIn(field, aggregation);
  const instead = aggregation.missing && scalarText(aggregation.missing);
  const inner = deviceBuckets(
    aggregation,
    (device) => {
      const own = textsOf(field, device);
      return (own.length === 0 && instead !== undefined ? [instead] : own).filter(isIn);
    },
    context,
  );
  return {
    asked: inner.asked,
    children: inner.children,
    isCut: false,
    found: (around) => ({ buckets: inner.found(around).map(({ key, bucket }) => ({ ...bucket, key })), others: 0 }),
    ...(aggregation.minDocCount === 0 && { all: () => inner.keys }),
  };
};
