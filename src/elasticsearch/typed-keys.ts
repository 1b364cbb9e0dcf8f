import { isRecord } from '#http/input.js';

/** Returns the kind of a field by its path; undefined if no record has the field. */
export type KindOf = (path: string) => string | undefined;

type Tree = Readonly<Record<string, unknown>>;

/**
 * Renames aggregations for `typed_keys` (`date_histogram#name`), so that a client knows how to read each.
 * @param requested the `aggs` of the query
 * @param answered the `aggregations` of its answer
 */
export const typedKeys = (requested: Tree, answered: Tree, kindOf: KindOf): Tree =>
  Object.fromEntries(
    Object.entries(answered).map(([name, answer]) => {
      const aggregation = requested[name];
      if (!isRecord(aggregation)) return [name, answer];
      const type = Object.keys(aggregation).find((key) => !besides.has(key)) ?? '';
      const inside = aggregation['aggs'] ?? aggregation['aggregations'];
      const typed = isRecord(inside) ? typedInside(inside, answer, kindOf) : answer;
      return [`${typeName(type, aggregation[type], kindOf)}#${name}`, typed];
    }),
  );

const besides = new Set(['aggs', 'aggregations', 'meta']);

/** Renames the aggregations in the buckets of an answer, or in the answer itself if it is a single bucket. */
const typedInside = (requested: Tree, answer: unknown, kindOf: KindOf): unknown => {
  if (!isRecord(answer)) return answer;
  const { buckets } = answer;
  const inBucket = (bucket: unknown) => (isRecord(bucket) ? renamed(requested, bucket, kindOf) : bucket);
  if (Array.isArray(buckets)) return { ...answer, buckets: buckets.map(inBucket) };
  if (!isRecord(buckets)) return inBucket(answer);
  const keyed = Object.entries(buckets).map(([key, bucket]) => [key, inBucket(bucket)]);
  return { ...answer, buckets: Object.fromEntries(keyed) as Tree };
};

const renamed = (requested: Tree, bucket: Tree, kindOf: KindOf): Tree => {
  const entries = Object.entries(bucket);
  const own = entries.filter(([name]) => !Object.hasOwn(requested, name));
  const inner = entries.filter(([name]) => Object.hasOwn(requested, name));
  return { ...Object.fromEntries(own), ...typedKeys(requested, Object.fromEntries(inner), kindOf) };
};

/** Types whose name in responses differs from that in queries. */
const names: Readonly<Record<string, string>> = {
  percentiles: 'tdigest_percentiles',
  percentile_ranks: 'tdigest_percentile_ranks',
  cumulative_sum: 'simple_value',
  serial_diff: 'simple_value',
  moving_fn: 'simple_value',
  bucket_script: 'simple_value',
  avg_bucket: 'simple_value',
  sum_bucket: 'simple_value',
  min_bucket: 'bucket_metric_value',
  max_bucket: 'bucket_metric_value',
};

const typeName = (type: string, body: unknown, kindOf: KindOf): string => {
  if (type === 'terms') return `${prefixOf(body, kindOf)}terms`;
  // For a field that no record has, the engines use the type of terms for rare terms.
  if (type === 'rare_terms')
    return kindOfField(body, kindOf) === undefined ? 'sterms' : `${prefixOf(body, kindOf)}rareterms`;
  if (isRecord(body) && body['hdr'] !== undefined) return `hdr_${type}`;
  return names[type] ?? type;
};

/**
 * Returns the prefix of terms: `l` for whole numbers (including dates and booleans), `d` for doubles, `s` for texts and
 * for fields that no record has.
 */
const prefixOf = (body: unknown, kindOf: KindOf): string => {
  switch (kindOfField(body, kindOf)) {
    case 'long':
    case 'date':
    case 'boolean':
      return 'l';
    case 'double':
      return 'd';
    default:
      return 's';
  }
};

const kindOfField = (body: unknown, kindOf: KindOf): string | undefined => {
  const field = isRecord(body) ? body['field'] : undefined;
  return typeof field === 'string' ? kindOf(field) : undefined;
};
