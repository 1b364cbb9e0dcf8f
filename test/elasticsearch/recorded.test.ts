import { describe, expect, it } from '@jest/globals';
import { send, useField } from './field.js';

/*
 * What an OpenSearch 2.4.1 node answered to the same requests over an index with a keyword `label`, a double `float`, a
 * long `count`, a date `ts` and a geo_point `place`: recorded, so that no engine is needed here.
 */

const field = useField();
const number = { field: 'data.float' };
const text = { field: 'data.label' };
const place = { field: 'device.location' };
const time = { field: 'ts' };

/** The engine's name under `typed_keys`, and the aggregation. */
const named: readonly (readonly [name: string, aggregation: object])[] = [
  ['avg', { avg: number }],
  ['sum', { sum: number }],
  ['min', { min: number }],
  ['max', { max: number }],
  ['value_count', { value_count: number }],
  ['cardinality', { cardinality: text }],
  ['stats', { stats: number }],
  ['extended_stats', { extended_stats: number }],
  ['tdigest_percentiles', { percentiles: number }],
  ['hdr_percentiles', { percentiles: { ...number, hdr: {} } }],
  ['tdigest_percentile_ranks', { percentile_ranks: { ...number, values: [1] } }],
  ['median_absolute_deviation', { median_absolute_deviation: number }],
  ['weighted_avg', { weighted_avg: { value: number, weight: { field: 'data.count' } } }],
  ['geo_bounds', { geo_bounds: place }],
  ['geo_centroid', { geo_centroid: place }],
  ['top_hits', { top_hits: { size: 1 } }],
  ['sterms', { terms: text }],
  ['lterms', { terms: { field: 'data.count' } }],
  ['lterms', { terms: time }],
  ['dterms', { terms: number }],
  ['sterms', { terms: { field: 'data.unheard' } }],
  ['srareterms', { rare_terms: text }],
  ['lrareterms', { rare_terms: { field: 'data.count' } }],
  ['lrareterms', { rare_terms: time }],
  ['sterms', { rare_terms: { field: 'data.unheard' } }],
  ['multi_terms', { multi_terms: { terms: [text, { field: 'data.count' }] } }],
  ['histogram', { histogram: { ...number, interval: 2 } }],
  ['date_histogram', { date_histogram: { ...time, fixed_interval: '1h' } }],
  ['auto_date_histogram', { auto_date_histogram: { ...time, buckets: 3 } }],
  ['range', { range: { ...number, ranges: [{ to: 3 }] } }],
  ['date_range', { date_range: { ...time, ranges: [{ to: '2024' }] } }],
  ['geo_distance', { geo_distance: { ...place, origin: '50,5', ranges: [{ to: 100 }] } }],
  ['geohash_grid', { geohash_grid: { ...place, precision: 2 } }],
  ['geotile_grid', { geotile_grid: { ...place, precision: 2 } }],
  ['filter', { filter: { match_all: {} } }],
  ['filters', { filters: { filters: { all: { match_all: {} } } } }],
  ['global', { global: {} }],
  ['missing', { missing: number }],
  ['composite', { composite: { sources: [{ label: { terms: text } }] } }],
  ['simple_value', { avg_bucket: { buckets_path: 'hours>mean' } }],
  ['simple_value', { sum_bucket: { buckets_path: 'hours>mean' } }],
  ['bucket_metric_value', { min_bucket: { buckets_path: 'hours>mean' } }],
  ['bucket_metric_value', { max_bucket: { buckets_path: 'hours>mean' } }],
  ['stats_bucket', { stats_bucket: { buckets_path: 'hours>mean' } }],
  ['extended_stats_bucket', { extended_stats_bucket: { buckets_path: 'hours>mean' } }],
  ['percentiles_bucket', { percentiles_bucket: { buckets_path: 'hours>mean' } }],
];

/** The same inside the buckets of a date histogram. */
const namedInBuckets = [
  ['derivative', { derivative: { buckets_path: 'mean' } }],
  ['simple_value', { cumulative_sum: { buckets_path: 'mean' } }],
  ['simple_value', { serial_diff: { buckets_path: 'mean' } }],
] as const;

const illegal = 'illegal_argument_exception';
const invalid = 'action_request_validation_exception';
const noTime = (name: string, value: string) =>
  `failed to parse setting [${name}] with value [${value}] as a time value: unit is missing or unrecognized`;

/** Method, path, body, and the engine's status, type and reason. */
const refused = [
  ['POST', '/_search', [], 400, 'parsing_exception', 'Expected [START_OBJECT] but found [START_ARRAY]'],
  ['POST', '/_search', { foo: 1 }, 400, 'parsing_exception', 'Unknown key for a VALUE_NUMBER in [foo].'],
  ['POST', '/_search', { query: { foo: {} } }, 400, 'parsing_exception', 'unknown query [foo]'],
  ['POST', '/_search', { aggs: { x: { foo: {} } } }, 400, 'parsing_exception', 'Unknown aggregation type [foo]'],
  [
    'POST',
    '/_search',
    { query: { term: { label: 'a' }, other: {} } },
    400,
    'parsing_exception',
    '[term] malformed query, expected [END_OBJECT] but found [FIELD_NAME]',
  ],
  ['POST', '/_count', { size: 1 }, 400, 'parsing_exception', 'request does not support [size]'],
  ['GET', '/records/_source/99', undefined, 404, 'resource_not_found_exception', 'Document not found [records]/[99]'],
  [
    'POST',
    '/_search?scroll=1m',
    { from: 1 },
    400,
    'action_request_validation_exception',
    'Validation Failed: 1: using [from] is not allowed in a scroll context;',
  ],
  ['POST', '/_search/scroll', { scroll_id: 'abc' }, 400, illegal, 'Cannot parse scroll id'],
  ['GET', '/_search/scroll/abc', undefined, 400, illegal, 'Cannot parse scroll id'],
  ['GET', '/_search/scroll', undefined, 400, invalid, 'Validation Failed: 1: scrollId is missing;'],
  ['POST', '/_search/scroll', '{', 400, illegal, 'Failed to parse request body'],
  ['DELETE', '/_search/scroll', { scroll_id: 'abc' }, 400, illegal, 'Cannot parse scroll id'],
  ['DELETE', '/_search/scroll', undefined, 400, invalid, 'Validation Failed: 1: no scroll ids specified;'],
  ['POST', '/_search', { pit: { id: 'abc' } }, 400, illegal, 'invalid id: [abc]'],
  ['DELETE', '/_search/point_in_time', {}, 400, invalid, 'Validation Failed: 1: no pit ids specified;'],
  ['GET', '/_search?scroll=x', undefined, 400, illegal, noTime('scroll', 'x')],
  ['GET', '/_search?scroll=', undefined, 400, illegal, noTime('scroll', '')],
  ['GET', '/_search?timeout=x', undefined, 400, illegal, noTime('timeout', 'x')],
  ['POST', '/_search', { timeout: 'x' }, 400, illegal, noTime('timeout', 'x')],
  ['POST', '/records/_search/point_in_time?keep_alive=x', undefined, 400, illegal, noTime('keep_alive', 'x')],
  ['GET', '/_search?size=x', undefined, 400, illegal, 'Failed to parse int parameter [size] with value [x]'],
  ['GET', '/_search?size=1.5', undefined, 400, illegal, 'Failed to parse int parameter [size] with value [1.5]'],
  ['GET', '/_search?from=', undefined, 400, illegal, 'Failed to parse int parameter [from] with value []'],
  [
    'GET',
    '/_search?size=2147483648',
    undefined,
    400,
    illegal,
    'Failed to parse int parameter [size] with value [2147483648]',
  ],
  ['GET', '/_msearch', undefined, 400, 'parse_exception', 'request body or source parameter is required'],
  ['POST', '/_msearch', '\n', 400, invalid, 'Validation Failed: 1: no requests added;'],
  ['GET', '/_field_caps', undefined, 400, illegal, "specified fields can't be null or empty"],
  ['POST', '/_field_caps', { fields: [] }, 400, illegal, "specified fields can't be null or empty"],
] as const;

/** Bodies that end too early; the engine's reason names its own stream, so only its type is held. */
const cutOff = [
  '{',
  '{"query":',
  '{"size":1',
  '{"query":{"match_all":{}}',
  '{"timeout":"10s',
  '{"timeout',
  '{"sort":["ts"',
];

describe('typed_keys', () => {
  const hours = {
    date_histogram: { ...time, fixed_interval: '1m', min_doc_count: 0 },
    aggs: { mean: { avg: number } },
  };
  const namesOf = (answer: object) =>
    Object.keys(answer)
      .filter((key) => key.endsWith('#x'))
      .map((key) => key.slice(0, -2));

  it.each(named)('names as the engine does: %s, %j', async (name, aggregation) => {
    const body = { size: 0, aggs: { hours, x: aggregation } };
    const answer = await send(field, 'POST', '/_search?typed_keys', { body });
    expect([answer.status, namesOf(answer.body.aggregations)]).toEqual([200, [name]]);
  });

  it.each(namedInBuckets)('names inside buckets as the engine does: %s, %j', async (name, aggregation) => {
    const aggs = { hours: { ...hours, aggs: { ...hours.aggs, x: aggregation } } };
    const { body } = await send(field, 'POST', '/_search?typed_keys', { body: { size: 0, aggs } });
    const buckets: object[] = body.aggregations['date_histogram#hours'].buckets;
    expect(new Set(buckets.flatMap(namesOf))).toEqual(new Set([name]));
  });
});

describe('a refusal', () => {
  it.each(refused)(
    'has the status, type and reason of the engine: %s %s %j',
    async (method, path, body, ...expected) => {
      const answer = await send(field, method, path, body === undefined ? {} : { body });
      const { type, reason } = answer.body.error;
      expect([answer.status, type, reason]).toEqual(expected);
    },
  );

  it.each(cutOff)('of a body that is cut off is told from one of a body that is no JSON: %s', async (body) => {
    const answer = await send(field, 'POST', '/_search', { body });
    expect([answer.status, answer.body.error.type]).toEqual([400, 'json_e_o_f_exception']);
  });
});
