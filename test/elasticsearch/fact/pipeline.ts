import { beside, byTen, inBuckets, of, v } from './body.js';
import { type Fact, gives, over } from './fact.js';

const execution = 'aggregation_execution_exception';
const noNumber = 'buckets_path must reference either a number value or a single value numeric metric aggregation';

/** Pipelines. */
export const pipelineFacts: readonly Fact[] = [
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
    error: [execution, `${noNumber}, but [s] contains multiple values. Please specify which to use.`],
    engineStatus: 500,
  },
  ...(
    [
      ['texts', { terms: { field: 'data.k' } }, 'StringTerms'],
      ['whole numbers', { terms: { field: 'data.n' } }, 'LongTerms'],
      ['fractions', { terms: v }, 'DoubleTerms'],
      ['booleans', { terms: { field: 'data.on' } }, 'LongTerms'],
      ['a field that nothing has', { terms: { field: 'data.nope' } }, 'UnmappedTerms'],
      ['rare whole numbers', { rare_terms: { field: 'data.n' } }, 'LongRareTerms'],
      ['a histogram', { histogram: { field: 'data.n', interval: 5 } }, 'InternalHistogram'],
      ['ranges', { range: { field: 'data.n', ranges: [{ to: 3 }] } }, 'InternalRange'],
      ['one bucket', { filter: { match_all: {} } }, 'InternalFilter'],
      ['records', { top_hits: {} }, 'InternalTopHits'],
    ] as const
  ).map(
    ([what, inner, ofClass]): Fact => ({
      of: of('300_pipeline'),
      title: `names the class of an answer that is no number: of ${what}`,
      body: inBuckets({ b: inner }, 'c>b'),
      error: [execution, `${noNumber}, got: [${ofClass}] at aggregation [b]`],
      engineStatus: 500,
    }),
  ),
  {
    of: of('300_pipeline'),
    title: 'names the class of an answer that a pipeline in its buckets reads',
    body: over({ ...byTen, aggs: { b: { terms: v }, d: { derivative: { buckets_path: 'b' } } } }),
    error: [execution, `${noNumber}, got: [DoubleTerms] at aggregation [b]`],
    engineStatus: 500,
  },
  {
    of: of('300_pipeline'),
    title: 'needs to know which percentile',
    body: inBuckets({ b: { percentiles: v } }, 'c>b'),
    error: [execution, `${noNumber}, but [b] contains multiple values. Please specify which to use.`],
    engineStatus: 500,
  },
  {
    of: of('300_pipeline'),
    title: 'takes no list of values for a number',
    body: inBuckets({ b: { terms: { field: 'data.k' }, aggs: { v: { sum: v } } } }, 'c>b>v'),
    error: [execution, `${noNumber}, got: [Object[]] at aggregation [b]`],
    engineStatus: 500,
  },
  {
    of: of('300_pipeline'),
    title: 'names what a metric has not: a statistic',
    body: inBuckets({ b: { stats: v } }, 'c>b.nope'),
    error: ['illegal_argument_exception', 'InternalStats.Metrics.nope'],
  },
  {
    of: of('300_pipeline'),
    title: 'names what a metric has not: a second value',
    body: inBuckets({ b: { sum: v } }, 'c>b.nope'),
    error: ['illegal_argument_exception', 'path not supported for [b]: [nope]'],
  },
  {
    of: of('300_pipeline'),
    title: 'reads the bucket of a key',
    body: inBuckets({ b: { terms: { field: 'data.k' }, aggs: { v: { stats: v } } } }, "c>b['b']>v.max"),
    answer: gives({ value: 42, keys: ['30.0'] }),
  },
  {
    of: of('300_pipeline'),
    title: 'finds nothing in the bucket of a key that there is not',
    body: inBuckets({ b: { terms: { field: 'data.k' } } }, "c>b['z']>_count"),
    answer: gives({ value: null, keys: [] }),
  },
  {
    of: of('300_pipeline'),
    title: 'takes no bucket for a number',
    body: inBuckets({ b: { terms: { field: 'data.k' } } }, "c>b['a']"),
    error: [execution, `${noNumber}, got: [Bucket] at aggregation [b]`],
    engineStatus: 500,
  },
  {
    of: of('300_pipeline'),
    title: 'takes no bucket of a key beside it',
    body: beside({ max_bucket: { buckets_path: "c['0.0']>v" } }),
    error: ['action_request_validation_exception', "aggregation does not exist for aggregation [a]: c['0.0']>v"],
  },
  {
    of: of('300_pipeline'),
    title: 'changes by the bucket of a key where both buckets have it',
    body: over({
      ...byTen,
      aggs: { b: { terms: { field: 'data.k' } }, d: { cumulative_sum: { buckets_path: "b['b']>_count" } } },
    }),
    answer: gives({ buckets: [{ d: { value: 1 } }, { d: { value: 1 } }, { d: { value: 1 } }, { d: { value: 2 } }] }),
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
