import { gives, over } from './fact.js';

/** The file of aggregations in OpenSearch's own REST tests. */
export const of = (file: string) => `search.aggregation/${file}`;

export const v = { field: 'data.v' };

/** An answer of buckets with these keys and counts. */
export const keys = (...pairs: [unknown, number][]) =>
  gives({ buckets: pairs.map(([key, doc_count]) => ({ key, doc_count })) });

/** A histogram whose second and third buckets are empty. */
export const byTen = { histogram: { field: 'data.n', interval: 10 }, aggs: { v: { sum: v }, s: { stats: v } } };

/** A query of one pipeline `a` beside that histogram. */
export const beside = (pipeline: object) => ({ size: 0, aggs: { c: byTen, a: pipeline } });

/** A query of one pipeline `a` over what stands in the buckets of a histogram. */
export const inBuckets = (aggs: object, buckets_path: string) => ({
  size: 0,
  aggs: { c: { ...byTen, aggs }, a: { max_bucket: { buckets_path } } },
});

/** A query for the terms of a field that nothing has. */
export const standIn = (value_type: string, missing: unknown) =>
  over({ terms: { field: 'data.nope', value_type, missing } });
