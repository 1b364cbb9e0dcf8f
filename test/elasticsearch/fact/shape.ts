import { keys, of, v } from './body.js';
import { type Fact, gives, over } from './fact.js';

const b = { term: { 'data.k': 'b' } };
const digits = (order: string) => ({ d: { terms: { field: 'data.d', order } } });
const typed = (aggs: object) => ({ size: 0, aggs: { a: { filters: { filters: { x: { match_all: {} } } }, aggs } } });

/** Other bucket kinds, empty buckets, and type names in answers. */
export const shapeFacts: readonly Fact[] = [
  {
    of: of('280_rare_terms'),
    title: 'shows terms of few documents',
    body: over({ rare_terms: { field: 'data.k', max_doc_count: 1 } }),
    answer: keys(['a', 1], ['c', 1]),
  },
  {
    of: of('280_rare_terms'),
    title: 'shows those that are included',
    body: over({ rare_terms: { field: 'data.k', max_doc_count: 1, include: ['a'] } }),
    answer: keys(['a', 1]),
  },
  {
    of: of('280_rare_terms'),
    title: 'hides those that are excluded',
    body: over({ rare_terms: { field: 'data.k', exclude: ['a'] } }),
    answer: keys(['c', 1]),
  },
  {
    of: of('280_rare_terms'),
    title: 'sorts texts of digits as texts',
    body: over({ rare_terms: { field: 'data.d' } }),
    answer: keys(['10', 1], ['9', 1]),
  },
  {
    of: of('230_composite'),
    title: 'sorts texts of digits as texts',
    body: over({ composite: { sources: [digits('asc')] } }),
    answer: keys([{ d: '10' }, 1], [{ d: '9' }, 1]),
  },
  {
    of: of('230_composite'),
    title: 'sorts texts of digits as texts from the last on',
    body: over({ composite: { sources: [digits('desc')] } }),
    answer: keys([{ d: '9' }, 1], [{ d: '10' }, 1]),
  },
  {
    of: of('230_composite'),
    title: 'goes on behind a text of digits',
    body: over({ composite: { sources: [digits('asc')], after: { d: '10' } } }),
    answer: keys([{ d: '9' }, 1]),
  },
  {
    of: of('330_auto_date_histogram'),
    title: 'takes a width that makes few enough buckets',
    body: over({ auto_date_histogram: { field: 'ts', buckets: 2 } }),
    answer: gives({ interval: '7d', buckets: [{ key_as_string: '2026-10-05T00:00:00.000Z', doc_count: 4 }] }),
  },
  {
    of: of('60_empty'),
    title: 'answers no buckets where nothing matches',
    body: over({ terms: { field: 'data.k' } }, { match_none: {} }),
    answer: gives({ sum_other_doc_count: 0, buckets: [] }),
  },
  {
    of: of('60_empty'),
    title: 'takes no aggregations',
    body: { size: 0, aggs: {} },
    answer: { hits: { total: { value: 4 } } },
    absent: ['aggregations.a'],
  },
  {
    of: of('60_empty'),
    title: 'takes no aggregations inside one',
    body: over({ terms: { field: 'data.k' }, aggs: {} }),
    answer: keys(['b', 2], ['a', 1], ['c', 1]),
  },
  {
    of: of('220_filters_bucket'),
    title: 'counts what each of several named filters finds',
    body: over({ filters: { filters: { x: b, y: { match_all: {} } } } }),
    answer: gives({ buckets: { x: { doc_count: 2 }, y: { doc_count: 4 } } }),
  },
  {
    of: of('220_filters_bucket'),
    title: 'counts the rest behind filters without names',
    body: over({ filters: { filters: [b], other_bucket: true } }),
    answer: gives({ buckets: [{ doc_count: 2 }, { doc_count: 2 }] }),
  },
  {
    of: of('40_range'),
    title: 'names ranges by their ends, or as they are called',
    body: over({ range: { field: 'data.n', keyed: true, ranges: [{ to: 2 }, { from: 2, to: 31, key: 'mid' }] } }),
    answer: gives({ buckets: { '*-2.0': { to: 2, doc_count: 1 }, mid: { from: 2, to: 31, doc_count: 2 } } }),
  },
  {
    of: of('40_range'),
    title: 'counts a range of time in a format',
    body: over({
      date_range: { field: 'ts', format: 'yyyy-MM-dd', ranges: [{ from: '2026-10-06', to: '2026-10-07' }] },
    }),
    answer: gives({
      buckets: [{ key: '2026-10-06-2026-10-07', from_as_string: '2026-10-06', doc_count: 2 }],
    }),
  },
  {
    of: of('40_range'),
    title: 'refuses no ranges',
    body: over({ range: { field: 'data.n', ranges: [] } }),
    error: ['illegal_argument_exception', 'No [ranges] specified for the [a] aggregation'],
  },
  {
    of: of('80_typed_keys'),
    title: 'names the kinds of aggregations inside buckets',
    path: '_search?typed_keys=true',
    body: typed({
      b: { date_histogram: { field: 'ts', calendar_interval: 'day' } },
      c: { terms: { field: 'data.n' } },
      d: { terms: { field: 'data.v' } },
      e: { avg: v },
    }),
    answer: {
      aggregations: {
        'filters#a': {
          buckets: { x: { 'date_histogram#b': {}, 'lterms#c': {}, 'dterms#d': {}, 'avg#e': { value: 17 } } },
        },
      },
    },
  },
  {
    of: of('190_percentiles_hdr_metric'),
    title: 'refuses more digits than a histogram has',
    body: over({ percentiles: { ...v, hdr: { number_of_significant_value_digits: 10 } } }),
    error: ['illegal_argument_exception', '[numberOfSignificantValueDigits] must be between 0 and 5'],
  },
];
