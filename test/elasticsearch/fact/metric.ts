import { of, v } from './body.js';
import { type Fact, gives, over } from './fact.js';

/** Metrics. */
export const metricFacts: readonly Fact[] = [
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
    of: of('130_sum_metric'),
    title: 'writes the sum of no values by its format',
    body: over({ sum: { field: 'data.nope', format: '#,##0.0' } }),
    answer: gives({ value: 0, value_as_string: '0.0' }),
  },
  {
    of: of('130_sum_metric'),
    title: 'writes the sum of no values as a time by value_type',
    body: over({ sum: { field: 'data.nope', value_type: 'date', format: 'yyyy' } }),
    answer: gives({ value: 0, value_as_string: '1970' }),
  },
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
