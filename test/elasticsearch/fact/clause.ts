import { dayMs } from '#common/time.js';
import { begin, type Fact } from './fact.js';

const hits = (...ids: number[]) => ({
  hits: { total: { value: ids.length }, hits: ids.map((id) => ({ _source: { data: { id } } })) },
});
const sorted = (...pairs: [id: number, value: unknown][]) => ({
  hits: { hits: pairs.map(([id, value]) => ({ _source: { data: { id } }, sort: [value, id] })) },
});
const byId = { sort: [{ 'data.id': 'asc' }] };
const by = (key: object) => ({ sort: [key, { 'data.id': 'asc' }] });

/** Query clauses and sorts by field type. */
export const clauseFacts: readonly Fact[] = [
  {
    of: 'search/260_sort_long',
    title: 'sorts whole numbers from the highest on',
    body: by({ 'data.n': 'desc' }),
    answer: sorted([4, 31], [3, 30], [2, 2], [1, 1]),
  },
  {
    of: 'search/260_sort_double',
    title: 'sorts numbers with fractions',
    body: by({ 'data.v': 'asc' }),
    answer: sorted([1, 3], [4, 5], [2, 18], [3, 42]),
  },
  {
    of: 'search/260_sort_double',
    title: 'puts documents without a value first where it is asked to',
    body: by({ 'data.many': { order: 'desc', missing: '_first' } }),
    answer: sorted([1, 'Infinity'], [3, 'Infinity'], [4, 'Infinity'], [2, 5]),
  },
  {
    of: 'search/260_sort_double',
    title: 'sorts by a number in the place of none',
    body: by({ 'data.many': { order: 'asc', missing: 3 } }),
    answer: sorted([2, 1], [1, 3], [3, 3], [4, 3]),
  },
  {
    of: 'search/330_distributed_sort',
    title: 'sorts by the largest of several values',
    body: by({ 'data.many': { order: 'asc', mode: 'max' } }),
    answer: sorted([2, 5], [1, 'Infinity'], [3, 'Infinity'], [4, 'Infinity']),
  },
  {
    of: 'search/240_date_nanos',
    title: 'sorts by time',
    body: { sort: [{ ts: 'desc' }, { 'data.id': 'asc' }] },
    answer: sorted([4, begin + 3 * dayMs], [2, begin + dayMs], [3, begin + dayMs], [1, begin]),
  },
  {
    of: 'search/350_number_field_term',
    title: 'finds a whole number that is written with a fraction of zero',
    body: { query: { term: { 'data.n': '2.0' } }, ...byId },
    answer: hits(2),
  },
  {
    of: 'search/350_number_field_term',
    title: 'finds no whole number by one with a fraction',
    body: { query: { term: { 'data.n': 2.5 } }, ...byId },
    answer: hits(),
  },
  {
    of: 'search/350_number_field_term',
    title: 'finds numbers with fractions by any of several',
    body: { query: { terms: { 'data.v': [18, '42'] } }, ...byId },
    answer: hits(2, 3),
  },
  {
    of: 'search/340_doc_values_field',
    title: 'finds any of several values of a document',
    body: { query: { terms: { 'data.many': [5, 7] } }, ...byId },
    answer: hits(2),
  },
  {
    of: 'search/340_doc_values_field',
    title: 'finds a boolean',
    body: { query: { term: { 'data.on': false } }, ...byId },
    answer: hits(2),
  },
  {
    of: 'search/340_doc_values_field',
    title: 'finds texts in a range',
    body: { query: { range: { 'data.k': { gte: 'a', lt: 'c' } } }, ...byId },
    answer: hits(1, 2, 3),
  },
  {
    of: 'search/340_keyword_doc_values',
    title: 'finds texts that begin so',
    body: { query: { prefix: { 'data.d': { value: '1' } } }, ...byId },
    answer: hits(2),
  },
  {
    of: 'search/290_long',
    title: 'finds whole numbers between two',
    body: { query: { range: { 'data.n': { gt: 1, lt: 31 } } }, ...byId },
    answer: hits(2, 3),
  },
  {
    of: 'search/290_long',
    title: 'refuses a whole number beyond a long',
    body: { query: { term: { 'data.n': '9223372036854775808' } } },
    error: ['illegal_argument_exception', 'out of range for a long'],
  },
  {
    of: 'search/370_approximate_range',
    title: 'finds a range of time',
    body: { query: { range: { ts: { gte: '2026-10-06', lt: '2026-10-06||+1d' } } }, ...byId },
    answer: hits(2, 3),
  },
  {
    of: 'search/270_wildcard_fieldtype_queries',
    title: 'finds by a pattern whatever the case of letters',
    body: { query: { wildcard: { 'data.k': { value: 'B*', case_insensitive: true } } }, ...byId },
    answer: hits(2, 3),
  },
  {
    of: 'search/270_wildcard_fieldtype_queries',
    title: 'finds by a regular expression',
    body: { query: { regexp: { 'data.k': { value: '[ab]' } } }, ...byId },
    answer: hits(1, 2, 3),
  },
  {
    of: 'search/270_wildcard_fieldtype_queries',
    title: 'finds a text whatever the case of its letters',
    body: { query: { term: { 'data.k': { value: 'C', case_insensitive: true } } }, ...byId },
    answer: hits(4),
  },
  {
    of: 'search/61_regex_query_field_alias',
    title: 'finds by a regular expression in q',
    path: '_search?q=data.k:%2F%5Bac%5D%2F&sort=data.id:asc',
    answer: hits(1, 4),
  },
  {
    of: 'search/310_match_bool_prefix',
    title: 'finds a text that begins so',
    body: { query: { match_bool_prefix: { 'data.d': '1' } }, ...byId },
    answer: hits(2),
  },
  {
    of: 'search/50_multi_match',
    title: 'finds a text in several fields',
    body: { query: { multi_match: { query: '9', fields: ['data.k', 'data.d'] } }, ...byId },
    answer: hits(1),
  },
  {
    of: 'search/360_from_and_size',
    title: 'begins behind as many hits as are asked for',
    path: '_search?from=2&size=1&sort=data.id:asc',
    answer: { hits: { total: { value: 4 }, hits: [{ _source: { data: { id: 3 } } }] } },
  },
  {
    of: 'search/400_max_score',
    title: 'has no score where hits are sorted',
    body: { ...byId, size: 1 },
    answer: { hits: { max_score: null, hits: [{ _score: null }] } },
  },
  {
    of: 'search/141_shard_info',
    title: 'says that its shards answered',
    body: { size: 0 },
    answer: { timed_out: false, _shards: { successful: 1, failed: 0 } },
  },
];
