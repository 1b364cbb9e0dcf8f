import { beside, byTen, of } from './body.js';
import { type Fact, gives, over } from './fact.js';

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
