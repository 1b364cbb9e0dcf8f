import { describe, expect, it } from '@jest/globals';
import { send, useField } from './field.js';

/*
 * Answers of an OpenSearch 2.4.1 node to the same requests over an index with a keyword `label`, a double `float`, a
 * long `count`, a date `ts` and a geo_point `place`. They are recorded so that the tests need no engine.
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

/** The same aggregations inside the buckets of a date histogram. */
const namedInBuckets = [
  ['derivative', { derivative: { buckets_path: 'mean' } }],
  ['simple_value', { cumulative_sum: { buckets_path: 'mean' } }],
  ['simple_value', { serial_diff: { buckets_path: 'mean' } }],
] as const;

const illegal = 'illegal_argument_exception';
const invalid = 'action_request_validation_exception';
const parsing = 'parsing_exception';
const unterminated = 'The msearch request must be terminated by a newline [\n]';
const noTime = (name: string, value: string) =>
  `failed to parse setting [${name}] with value [${value}] as a time value: unit is missing or unrecognized`;

const tooLong = (days: string, kind = 'search') =>
  `Keep alive for request (${days}d) is too large. It must be less than (1d). This limit can be set by changing the [${kind}.max_keep_alive] cluster level setting.`;
const openPit = '/records/_search/point_in_time?keep_alive=';
const fractional = (value: string) => `failed to parse [${value}], fractional time values are not supported`;

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
  [
    'POST',
    '/records/_search/point_in_time',
    undefined,
    400,
    invalid,
    'Validation Failed: 1: keep alive not specified;',
  ],
  ['POST', `${openPit}25h`, undefined, 400, illegal, tooLong('1', 'point_in_time')],
  ['POST', `${openPit}2d`, undefined, 400, illegal, tooLong('2', 'point_in_time')],
  ['POST', `${openPit}1.5s`, undefined, 400, illegal, fractional('1.5s')],
  ['POST', `${openPit}1E3S`, undefined, 400, illegal, fractional('1E3S')],
  ['POST', `${openPit}1.5fs`, undefined, 400, illegal, fractional('1.5fs')],
  ['POST', `${openPit}9999999999999999999d`, undefined, 400, illegal, fractional('9999999999999999999d')],
  ['POST', `${openPit}1.5Es`, undefined, 400, illegal, 'failed to parse [1.5Es]'],
  ['POST', `${openPit}1,5s`, undefined, 400, illegal, 'failed to parse [1,5s]'],
  ['POST', `${openPit}s`, undefined, 400, illegal, 'failed to parse [s]'],
  ['POST', '/_search?scroll=1.5s', undefined, 400, illegal, fractional('1.5s')],
  ['POST', '/_search', { timeout: '0.5m' }, 400, illegal, fractional('0.5m')],
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
  ['POST', '/_msearch', '{}\n', 400, invalid, 'Validation Failed: 1: no requests added;'],
  ['POST', '/_msearch', '{}\n{"size":0}', 400, illegal, unterminated],
  ['POST', '/_msearch', '{}\n{"size":0}\n  ', 400, illegal, unterminated],
  ['POST', '/_count', '{"query":', 400, parsing, 'Failed to parse'],
  ['POST', '/_count', '{query:1}', 400, parsing, 'Failed to parse'],
  ['POST', '/_count', { query: {} }, 400, parsing, 'Failed to parse'],
  ['POST', '/_count', { query: [] }, 400, parsing, '[_na] query malformed, must start with start_object'],
  ['POST', '/_count', { query: 1 }, 400, parsing, '[_na] query malformed, must start with start_object'],
  ['POST', '/_count', [], 400, parsing, 'Expected [START_OBJECT] but found [START_ARRAY]'],
  ['POST', '/_count', { query: { foo: {} } }, 400, parsing, 'unknown query [foo]'],
  ['GET', '/_field_caps', undefined, 400, illegal, "specified fields can't be null or empty"],
  ['POST', '/_field_caps', { fields: [] }, 400, illegal, "specified fields can't be null or empty"],
] as const;

/** Bodies that end too early. OpenSearch's reason names its own stream, so the test compares only the type. */
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

  it.each(named)("returns the engine's name: %s, %j", async (name, aggregation) => {
    const body = { size: 0, aggs: { hours, x: aggregation } };
    const answer = await send(field, 'POST', '/_search?typed_keys', { body });
    expect([answer.status, namesOf(answer.body.aggregations)]).toEqual([200, [name]]);
  });

  it.each(namedInBuckets)("returns the engine's name inside buckets: %s, %j", async (name, aggregation) => {
    const aggs = { hours: { ...hours, aggs: { ...hours.aggs, x: aggregation } } };
    const { body } = await send(field, 'POST', '/_search?typed_keys', { body: { size: 0, aggs } });
    const buckets: object[] = body.aggregations['date_histogram#hours'].buckets;
    expect(new Set(buckets.flatMap(namesOf))).toEqual(new Set([name]));
  });
});

describe('error compared with OpenSearch', () => {
  it.each(refused)("has the engine's status, type and reason: %s %s %j", async (method, path, body, ...expected) => {
    const answer = await send(field, method, path, body === undefined ? {} : { body });
    const { type, reason } = answer.body.error;
    expect([answer.status, type, reason]).toEqual(expected);
  });

  it('wraps a query that cannot run in a search_phase_execution_exception with its shard', async () => {
    const body = { query: { range: { 'data.float': { gte: 'abc' } } } };
    const cause = { type: 'query_shard_exception', reason: 'failed to create query: For input string: "abc"' };
    const caused_by = { type: 'number_format_exception', reason: 'For input string: "abc"' };
    const lines = `{}\n${JSON.stringify(body)}\n`;
    const answers = [
      await send(field, 'POST', '/_count', { body }),
      await send(field, 'POST', '/_search', { body }),
      (await send(field, 'POST', '/_msearch', { body: lines })).body.responses[0],
    ];
    for (const { status, body: { error } = answers[2] } of answers) {
      expect([status, error.type, error.reason]).toEqual([
        400,
        'search_phase_execution_exception',
        'all shards failed',
      ]);
      expect(error).toMatchObject({ phase: 'query', grouped: true, root_cause: [{ ...cause, index: 'records' }] });
      expect(error.failed_shards).toEqual([
        { shard: 0, index: 'records', node: 'ddp', reason: { ...cause, index: 'records', caused_by } },
      ]);
    }
  });

  it('wraps a scroll or point in time of over a day in a search_phase_execution_exception', async () => {
    const scroll = (await send(field, 'POST', '/_search?scroll=1d&size=1')).body['_scroll_id'] as string;
    const pit = (await send(field, 'POST', `${openPit}1d`)).body['pit_id'] as string;
    const answers = [
      [await send(field, 'POST', '/_search?scroll=36h'), tooLong('1.5')],
      [await send(field, 'POST', '/_search/scroll', { body: { scroll: '25h', scroll_id: scroll } }), tooLong('1')],
      [await send(field, 'POST', `/_search/scroll?scroll=2d&scroll_id=${scroll}`), tooLong('2')],
      [
        await send(field, 'POST', '/_search', { body: { pit: { id: pit, keep_alive: '2d' } } }),
        tooLong('2', 'point_in_time'),
      ],
    ] as const;
    for (const [{ status, body }, reason] of answers) {
      expect([status, body.error.type, body.error.root_cause[0]]).toMatchObject([
        400,
        'search_phase_execution_exception',
        { type: illegal, reason },
      ]);
    }
    const goneOn = await send(field, 'POST', '/_search/scroll', { body: { scroll: '1d', scroll_id: scroll } });
    expect(goneOn.status).toBe(200);
  });

  it('contains position and cause of an invalid time in a body', async () => {
    const pit = (await send(field, 'POST', `${openPit}-1`)).body['pit_id'] as string;
    const body = { pit: { id: pit, keep_alive: '1.5s' } };
    const { error } = (await send(field, 'POST', '/_search', { body })).body;
    const { col } = { col: JSON.stringify(body).indexOf('"1.5s"') + 1 };
    expect(error).toMatchObject({
      type: 'x_content_parse_exception',
      reason: `[1:${col}] [pit] failed to parse field [keep_alive]`,
      caused_by: { type: illegal, reason: fractional('1.5s'), caused_by: { type: 'number_format_exception' } },
    });
    const counted = await send(field, 'POST', '/_search', { body: { pit: { id: pit, keep_alive: 12 } } });
    expect([counted.status, counted.body.error.type]).toEqual([400, 'x_content_parse_exception']);
    const scrolled = await send(field, 'POST', '/_search/scroll', { body: { scroll: 12, scroll_id: 'abc' } });
    expect([scrolled.status, scrolled.body.error.type]).toEqual([400, illegal]);
    const counting = await send(field, 'POST', '/_count', { body: '{\n "size": 1}' });
    expect(counting.body.error).toMatchObject({ line: 2, col: 2 });
  });

  it('ignores a trailing header without a query in _msearch', async () => {
    const { status, body } = await send(field, 'POST', '/_msearch', { body: '{}\n{"size":0}\n{}\n' });
    expect([status, body.responses.length]).toEqual([200, 1]);
  });

  it.each(cutOff)('distinguishes a truncated body from one that is not JSON: %s', async (body) => {
    const answer = await send(field, 'POST', '/_search', { body });
    expect([answer.status, answer.body.error.type]).toEqual([400, 'json_e_o_f_exception']);
  });
});
