import { dayMs } from '#common/time.js';
import { keys, of, standIn, v } from './body.js';
import { begin, type Fact, gives, over } from './fact.js';

/** Buckets. */
export const bucketFacts: readonly Fact[] = [
  {
    of: of('20_terms'),
    title: 'takes an unknown field for numbers by value_type',
    body: standIn('long', 3),
    answer: keys([3, 4]),
  },
  {
    of: of('20_terms'),
    title: 'takes an unknown field for fractions by value_type',
    body: standIn('double', 3.5),
    answer: keys([3.5, 4]),
  },
  {
    of: of('20_terms'),
    title: 'takes an unknown field for texts by value_type',
    body: standIn('string', 3),
    answer: keys(['3', 4]),
  },
  {
    of: of('20_terms'),
    title: 'takes an unknown field for booleans by value_type',
    body: standIn('boolean', true),
    answer: gives({ buckets: [{ key: 1, key_as_string: 'true', doc_count: 4 }] }),
  },
  {
    of: of('20_terms'),
    title: 'takes an unknown field for dates by value_type',
    body: standIn('date', '2020-01-01'),
    answer: gives({ buckets: [{ key: 1_577_836_800_000, key_as_string: '2020-01-01T00:00:00.000Z', doc_count: 4 }] }),
  },
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
    of: of('40_range'),
    title: 'takes no truth for the name of a range',
    body: over({ range: { ...v, ranges: [{ key: true }] } }),
    error: ['x_content_parse_exception', "[range] key doesn't support values of type: VALUE_BOOLEAN"],
  },
  {
    of: of('230_composite'),
    title: 'names the kind of a source that takes no text',
    body: over({ composite: { sources: [{ k: { histogram: { field: 'data.k', interval: 1 } } }] } }),
    error: [
      'illegal_argument_exception',
      'Field [data.k] of type [keyword] is not supported for aggregation [histogram]',
    ],
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
    answer: keys([begin, 1], [begin + dayMs, 2], [begin + 2 * dayMs, 0], [begin + 3 * dayMs, 1]),
  },
  {
    of: of('310_date_agg_per_day_of_week'),
    title: 'writes the day of the week',
    body: over({ date_histogram: { field: 'ts', calendar_interval: 'day', format: 'e', min_doc_count: 1 } }),
    answer: gives({ buckets: [{ key_as_string: '1' }, { key_as_string: '2' }, { key_as_string: '4' }] }),
    notOnNode: "weeks begin on Sunday without OpenSearch's own provider of locales",
  },
  {
    of: of('20_terms'),
    title: 'sorts texts of digits as texts where min_doc_count is 0',
    body: over({ terms: { field: 'data.d', min_doc_count: 0 } }, { term: { 'data.k': 'c' } }),
    answer: keys(['10', 0], ['9', 0]),
  },
  {
    of: of('370_multi_terms'),
    title: 'gives empty buckets where min_doc_count is 0',
    body: over(
      {
        multi_terms: { terms: [{ field: 'data.k' }, { field: 'data.on' }], min_doc_count: 0 },
        aggs: { v: { sum: v } },
      },
      { term: { 'data.k': 'a' } },
    ),
    answer: gives({
      sum_other_doc_count: 0,
      buckets: [
        { key: ['a', true], key_as_string: 'a|true', doc_count: 1, v: { value: 3 } },
        { key: ['b', false], key_as_string: 'b|false', doc_count: 0, v: { value: 0 } },
        { key: ['b', true], key_as_string: 'b|true', doc_count: 0, v: { value: 0 } },
      ],
    }),
  },
  {
    of: of('370_multi_terms'),
    title: 'cuts what it shows behind an order where min_doc_count is 0',
    body: over(
      {
        multi_terms: {
          terms: [{ field: 'data.k' }, { field: 'data.n' }],
          min_doc_count: 0,
          order: { _key: 'desc' },
          size: 3,
        },
      },
      { term: { 'data.k': 'a' } },
    ),
    answer: keys([['c', 31], 0], [['b', 30], 0], [['b', 2], 0]),
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
