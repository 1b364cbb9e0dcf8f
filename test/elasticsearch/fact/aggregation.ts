import { begin, type Fact, gives, over } from './fact.js';

const of = (file: string) => `search.aggregation/${file}`;
const day = 86_400_000;
const v = { field: 'data.v' };
const keys = (...pairs: [unknown, number][]) =>
  gives({ buckets: pairs.map(([key, doc_count]) => ({ key, doc_count })) });
const byTen = { histogram: { field: 'data.n', interval: 10 }, aggs: { v: { sum: v }, s: { stats: v } } };
const beside = (pipeline: object) => ({ size: 0, aggs: { c: byTen, a: pipeline } });

/** Metrics. */
const metricFacts: readonly Fact[] = [
  { of: of('100_avg_metric'), title: 'averages', body: over({ avg: v }), answer: gives({ value: 17 }) },
  {
    of: of('100_avg_metric'),
    title: 'averages nothing',
    body: over({ avg: v }, { match_none: {} }),
    answer: gives({ value: null }),
  },
  { of: of('110_max_metric'), title: 'takes the largest', body: over({ max: v }), answer: gives({ value: 42 }) },
  { of: of('120_min_metric'), title: 'takes the smallest', body: over({ min: v }), answer: gives({ value: 3 }) },
  { of: of('130_sum_metric'), title: 'adds up', body: over({ sum: v }), answer: gives({ value: 68 }) },
  {
    of: of('140_value_count_metric'),
    title: 'counts values',
    body: over({ value_count: { field: 'data.many' } }),
    answer: gives({ value: 2 }),
  },
  {
    of: of('150_stats_metric'),
    title: 'tells several at once',
    body: over({ stats: v }),
    answer: gives({ count: 4, min: 3, max: 42, avg: 17, sum: 68 }),
  },
  {
    of: of('160_extended_stats_metric'),
    title: 'tells how values scatter',
    body: over({ extended_stats: v }),
    answer: gives({ count: 4, sum_of_squares: 2122, variance: 241.5 }),
  },
  {
    of: of('160_extended_stats_metric'),
    title: 'refuses a negative sigma',
    body: over({ extended_stats: { ...v, sigma: -1 } }),
    error: ['illegal_argument_exception', '[sigma] must be greater than or equal to 0. Found [-1.0] in [a]'],
  },
  {
    of: of('170_cardinality_metric'),
    title: 'counts distinct values',
    body: over({ cardinality: { field: 'data.k' } }),
    answer: gives({ value: 3 }),
  },
  {
    of: of('170_cardinality_metric'),
    title: 'refuses a negative precision_threshold',
    body: over({ cardinality: { field: 'data.k', precision_threshold: -1 } }),
    error: ['illegal_argument_exception', '[precisionThreshold] must be greater than or equal to 0. Found [-1] in [a]'],
  },
  {
    of: of('180_percentiles_tdigest_metric'),
    title: 'refuses a list of no percents',
    body: over({ percentiles: { ...v, percents: [] } }),
    error: ['illegal_argument_exception', '[percents] must not be empty: [a]'],
  },
  {
    of: of('180_percentiles_tdigest_metric'),
    title: 'refuses a negative compression',
    body: over({ percentiles: { ...v, tdigest: { compression: -1 } } }),
    error: ['illegal_argument_exception', '[compression] must be greater than or equal to 0. Found [-1.0]'],
  },
  {
    of: of('260_weighted_avg'),
    title: 'weighs',
    body: over({ weighted_avg: { value: v, weight: { field: 'data.id' } } }),
    answer: gives({ value: 18.5 }),
  },
  {
    of: of('270_median_absolute_deviation_metric'),
    title: 'refuses a compression of nothing',
    body: over({ median_absolute_deviation: { ...v, compression: 0 } }),
    error: ['illegal_argument_exception', '[compression] must be greater than 0. Found [0.0] in [a]'],
  },
];

/** Buckets. */
const bucketFacts: readonly Fact[] = [
  {
    of: of('10_histogram'),
    title: 'fills the gaps between buckets',
    body: over({ histogram: { field: 'data.n', interval: 10 } }),
    answer: keys([0, 2], [10, 0], [20, 0], [30, 2]),
  },
  {
    of: of('20_terms'),
    title: 'orders by count, then by key',
    body: over({ terms: { field: 'data.k' } }),
    answer: keys(['b', 2], ['a', 1], ['c', 1]),
  },
  {
    of: of('20_terms'),
    title: 'makes keys of booleans',
    body: over({ terms: { field: 'data.on' } }),
    answer: gives({
      buckets: [
        { key: 1, key_as_string: 'true', doc_count: 2 },
        { key: 0, key_as_string: 'false', doc_count: 1 },
      ],
    }),
  },
  {
    of: of('20_terms'),
    title: 'includes what is listed',
    body: over({ terms: { field: 'data.k', include: ['a', 'c'] } }),
    answer: keys(['a', 1], ['c', 1]),
  },
  {
    of: of('20_terms'),
    title: 'orders by the count of a filter',
    body: over({
      terms: { field: 'data.k', order: { 'high.doc_count': 'desc' } },
      aggs: { high: { filter: { range: { 'data.v': { gt: 4 } } } } },
    }),
    answer: keys(['b', 2], ['c', 1], ['a', 1]),
  },
  {
    of: of('20_terms'),
    title: 'orders by no _count of a filter',
    body: over({
      terms: { field: 'data.k', order: { 'high._count': 'desc' } },
      aggs: { high: { filter: { match_all: {} } } },
    }),
    error: ['aggregation_execution_exception', 'Invalid aggregation order path [high._count].'],
    engineStatus: 500,
  },
  {
    of: of('40_range'),
    title: 'leaves the upper end out',
    body: over({ range: { ...v, ranges: [{ to: 5 }, { from: 5, to: 42 }, { from: 42 }] } }),
    answer: keys(['*-5.0', 1], ['5.0-42.0', 2], ['42.0-*', 1]),
  },
  {
    of: of('50_filter'),
    title: 'counts what a filter finds',
    body: over({ filter: { term: { 'data.k': 'b' } } }),
    answer: gives({ doc_count: 2 }),
  },
  {
    of: of('51_filters'),
    title: 'counts by named filters, and the others',
    body: over({ filters: { other_bucket: true, filters: { b: { term: { 'data.k': 'b' } } } } }),
    answer: gives({ buckets: { b: { doc_count: 2 }, _other_: { doc_count: 2 } } }),
  },
  {
    of: of('320_missing'),
    title: 'counts what has no value',
    body: over({ missing: { field: 'data.on' } }),
    answer: gives({ doc_count: 1 }),
  },
  {
    of: of('200_top_hits_metric'),
    title: 'shows the first hits of a bucket',
    body: over({ top_hits: { size: 1, sort: [{ 'data.id': 'desc' }], _source: ['data.k'] } }),
    answer: gives({ hits: { total: { value: 4 }, hits: [{ _source: { data: { k: 'c' } }, sort: [4] }] } }),
  },
  {
    of: of('230_composite'),
    title: 'goes on after a key',
    body: over({ composite: { size: 2, sources: [{ k: { terms: { field: 'data.k' } } }], after: { k: 'a' } } }),
    answer: gives({
      after_key: { k: 'c' },
      buckets: [
        { key: { k: 'b' }, doc_count: 2 },
        { key: { k: 'c' }, doc_count: 1 },
      ],
    }),
  },
  {
    of: of('230_composite'),
    title: 'needs sources',
    body: over({ composite: {} }),
    error: ['illegal_argument_exception', 'Required [sources]'],
  },
  {
    of: of('230_composite'),
    title: 'refuses a list of no sources',
    body: over({ composite: { sources: [] } }),
    error: ['illegal_argument_exception', 'Composite [sources] cannot be null or empty'],
  },
  {
    of: of('240_max_buckets'),
    title: 'refuses a page of more buckets than an answer may have',
    body: over({ composite: { size: 65_536, sources: [{ k: { terms: { field: 'data.k' } } }] } }),
    error: ['too_many_buckets_exception', 'Trying to create too many buckets.'],
    status: 503,
  },
  {
    of: of('360_date_histogram'),
    title: 'makes a bucket for each day',
    body: over({ date_histogram: { field: 'ts', calendar_interval: 'day' } }),
    answer: keys([begin, 1], [begin + day, 2], [begin + 2 * day, 0], [begin + 3 * day, 1]),
  },
  {
    of: of('370_multi_terms'),
    title: 'makes a bucket for each pair of values',
    body: over({ multi_terms: { terms: [{ field: 'data.k' }, { field: 'data.id' }], size: 2 } }),
    answer: gives({
      sum_other_doc_count: 2,
      buckets: [
        { key: ['a', 1], key_as_string: 'a|1' },
        { key: ['b', 2], key_as_string: 'b|2' },
      ],
    }),
  },
];

/** Pipelines. */
const pipelineFacts: readonly Fact[] = [
  {
    of: of('300_pipeline'),
    title: 'averages the values of buckets',
    body: beside({ avg_bucket: { buckets_path: 'c>v' } }),
    answer: gives({ value: 34 }),
  },
  {
    of: of('300_pipeline'),
    title: 'takes a dot for the step into buckets',
    body: beside({ avg_bucket: { buckets_path: 'c.v' } }),
    answer: gives({ value: 34 }),
  },
  {
    of: of('300_pipeline'),
    title: 'takes a dot for the step to a count',
    body: beside({ sum_bucket: { buckets_path: 'c._count' } }),
    answer: gives({ value: 4 }),
  },
  {
    of: of('300_pipeline'),
    title: 'finds nothing behind a dot',
    body: beside({ avg_bucket: { buckets_path: 'c.nope' } }),
    answer: gives({ value: null }),
  },
  {
    of: of('300_pipeline'),
    title: 'takes no second dot',
    body: beside({ avg_bucket: { buckets_path: 'c.s.max' } }),
    error: ['action_request_validation_exception', 'Validation Failed: 1: No aggregation found for path [c.s.max];'],
  },
  {
    of: of('300_pipeline'),
    title: 'needs one number of each bucket',
    body: beside({ max_bucket: { buckets_path: 'c>s' } }),
    error: [
      'aggregation_execution_exception',
      'buckets_path must reference either a number value or a single value numeric metric aggregation, but [s] contains multiple values. Please specify which to use.',
    ],
    engineStatus: 500,
  },
  {
    of: of('250_moving_fn'),
    title: 'needs a window of at least one bucket',
    body: over({
      ...byTen,
      aggs: { m: { moving_fn: { buckets_path: '_count', window: -1, script: 'MovingFunctions.max(values)' } } },
    }),
    error: ['illegal_argument_exception', '[window] must be a positive, non-zero integer.'],
  },
  {
    of: of('250_moving_fn'),
    title: 'needs buckets around it',
    body: over({ moving_fn: { buckets_path: '_count', window: 2, script: 'MovingFunctions.max(values)' } }),
    error: [
      'action_request_validation_exception',
      "Validation Failed: 1: moving_fn aggregation [a] must have a histogram, date_histogram or auto_date_histogram as parent but doesn't have a parent;",
    ],
  },
  {
    of: of('300_pipeline'),
    title: 'takes pipelines of one place in the order in which they are written: sorted, then changed',
    body: over({
      ...byTen,
      aggs: { s: { bucket_sort: { sort: [{ _key: 'desc' }] } }, d: { derivative: { buckets_path: '_count' } } },
    }),
    answer: gives({
      buckets: [{ key: 30 }, { key: 20, d: { value: -2 } }, { key: 10, d: { value: 0 } }, { key: 0, d: { value: 2 } }],
    }),
  },
  {
    of: of('300_pipeline'),
    title: 'takes pipelines of one place in the order in which they are written: changed, then sorted',
    body: over({
      ...byTen,
      aggs: { d: { derivative: { buckets_path: '_count' } }, s: { bucket_sort: { sort: [{ _key: 'desc' }] } } },
    }),
    answer: gives({
      buckets: [{ key: 30, d: { value: 2 } }, { key: 20, d: { value: 0 } }, { key: 10, d: { value: -2 } }, { key: 0 }],
    }),
  },
];

/** Aggregations. */
export const aggregationFacts: readonly Fact[] = [...metricFacts, ...bucketFacts, ...pipelineFacts];
