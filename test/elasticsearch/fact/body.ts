import { gives, over } from './fact.js';

/** A file of the aggregation tests in OpenSearch's own REST tests. */
export const of = (file: string) => `search.aggregation/${file}`;

export const v = { field: 'data.v' };

/** Builds an answer with buckets of these keys and counts. */
export const keys = (...pairs: [unknown, number][]) =>
  gives({ buckets: pairs.map(([key, doc_count]) => ({ key, doc_count })) });

/** A histogram whose second and third buckets are empty. */
export const byTen = { histogram: { field: 'data.n', interval: 10 }, aggs: { v: { sum: v }, s: { stats: v } } };

/** Builds a query with one pipeline aggregation `a` beside that histogram. */
export const beside = (pipeline: object) => ({ size: 0, aggs: { c: byTen, a: pipeline } });

/** Builds a query with one pipeline aggregation `a` over the sub-aggregations of a histogram. */
export const inBuckets = (aggs: object, buckets_path: string) => ({
  size: 0,
  aggs: { c: { ...byTen, aggs }, a: { max_bucket: { buckets_path } } },
});

/** Builds a query for the terms of a field that no document has. */
export const standIn = (value_type: string, missing: unknown) =>
  over({ terms: { field: 'data.nope', value_type, missing } });
