import { begin, type Fact } from './fact.js';

const hits = (...ids: number[]) => ({
  hits: { total: { value: ids.length }, hits: ids.map((id) => ({ _source: { data: { id } } })) },
});
const byId = { sort: [{ 'data.id': 'asc' }] };

/** Queries, hits and totals. */
export const searchFacts: readonly Fact[] = [
  {
    of: 'search/10_source_filtering',
    title: 'shows no source where it is false',
    body: { _source: false },
    absent: ['hits.hits.0._source'],
  },
  {
    of: 'search/10_source_filtering',
    title: 'shows the fields of the source that are named',
    body: { _source: { includes: ['data.n', 'data.v'], excludes: ['data.v'] }, ...byId },
    answer: { hits: { hits: [{ _source: { data: { n: 1 } } }, {}, {}, {}] } },
    absent: ['hits.hits.0._source.data.v', 'hits.hits.0._source.ts'],
  },
  {
    of: 'search/10_source_filtering',
    title: 'shows the fields that parameters name',
    path: '_search?_source_includes=data.k&q=data.id:1',
    answer: { hits: { hits: [{ _source: { data: { k: 'a' } } }] } },
    absent: ['hits.hits.0._source.data.n'],
  },
  {
    of: 'search/20_default_values',
    title: 'finds all without a body',
    answer: { hits: { total: { value: 4, relation: 'eq' } } },
  },
  {
    of: 'search/30_limits',
    title: 'refuses a window that is too large',
    body: { from: 10_000 },
    error: ['illegal_argument_exception', 'Result window is too large'],
  },
  { of: 'search/60_query_string', title: 'reads q', path: '_search?q=data.k:b&sort=data.id:asc', answer: hits(2, 3) },
  {
    of: 'search/60_query_string',
    title: 'joins by default_operator',
    path: '_search?q=data.k:b+data.on:true&default_operator=AND',
    answer: hits(3),
  },
  { of: 'search/60_query_string', title: 'looks in df', path: '_search?q=c&df=data.k', answer: hits(4) },
  {
    of: 'search/70_response_filtering',
    title: 'keeps what filter_path names',
    path: '_search?filter_path=hits.total',
    answer: { hits: { total: { value: 4 } } },
    absent: ['took', 'hits.hits'],
  },
  {
    of: 'search/90_search_after',
    title: 'goes on after sort values',
    body: { sort: [{ 'data.k': 'asc' }, { 'data.id': 'asc' }], search_after: ['b', 2] },
    answer: { hits: { total: { value: 4 }, hits: [{ sort: ['b', 3] }, { sort: ['c', 4] }] } },
  },
  {
    of: 'search/90_search_after',
    title: 'refuses another number of sort values',
    body: { ...byId, search_after: [1, 2] },
    error: ['illegal_argument_exception', 'search_after has 2 value(s) but sort has 1.'],
  },
  {
    of: 'search/100_stored_fields',
    title: 'hides identifiers and sources where no stored field is asked for',
    body: { stored_fields: '_none_' },
    answer: { hits: { total: { value: 4 } } },
    absent: ['hits.hits.0._id', 'hits.hits.0._source'],
  },
  {
    of: 'search/100_stored_fields',
    title: 'refuses _none_ beside other fields',
    body: { stored_fields: ['_none_', 'data.k'] },
    error: ['illegal_argument_exception', 'cannot combine _none_ with other fields'],
  },
  {
    of: 'search/100_stored_fields',
    title: 'refuses _none_ beside a source',
    body: { stored_fields: '_none_', _source: true },
    error: ['search_exception', '[stored_fields] cannot be disabled if [_source] is requested'],
    engineStatus: 500,
  },
  {
    of: 'search/160_exists_query',
    title: 'finds a field',
    body: { query: { exists: { field: 'data.on' } }, ...byId },
    answer: hits(1, 2, 3),
  },
  {
    of: 'search/160_exists_query',
    title: 'finds an object',
    body: { query: { exists: { field: 'data.o' } }, ...byId },
    answer: hits(1, 4),
  },
  {
    of: 'search/160_exists_query',
    title: 'refuses _source',
    body: { query: { exists: { field: '_source' } } },
    error: ['query_shard_exception', 'The _source field is not searchable'],
  },
  {
    of: 'search/170_terms_query',
    title: 'finds any of several values',
    body: { query: { terms: { 'data.k': ['a', 'c'] } }, ...byId },
    answer: hits(1, 4),
  },
  {
    of: 'search/220_total_hits_object',
    title: 'counts up to a limit',
    body: { track_total_hits: 2 },
    answer: { hits: { total: { value: 2, relation: 'gte' } } },
  },
  {
    of: 'search/220_total_hits_object',
    title: 'counts nothing where it is false',
    body: { track_total_hits: false },
    absent: ['hits.total'],
  },
  {
    of: 'search/220_total_hits_object',
    title: 'shows a total as a number',
    path: '_search?rest_total_hits_as_int=true',
    answer: { hits: { total: 4 } },
  },
  {
    of: 'search/220_total_hits_object',
    title: 'shows -1 for a total that is not counted',
    path: '_search?rest_total_hits_as_int=true',
    body: { track_total_hits: false },
    answer: { hits: { total: -1 } },
  },
  {
    of: 'search/220_total_hits_object',
    title: 'refuses a limit to the total beside a number',
    path: '_search?rest_total_hits_as_int=true&track_total_hits=100',
    error: [
      'illegal_argument_exception',
      '[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got 100',
    ],
  },
  {
    of: 'search/330_fetch_fields',
    title: 'shows fields by patterns',
    body: { query: { term: { 'data.id': 4 } }, fields: ['data.o.*'], _source: false },
    answer: { hits: { hits: [{ fields: { 'data.o.x': [7], 'data.o.y': ['z'] } }] } },
  },
  {
    of: 'search/10_source_filtering',
    title: 'finds ranges of dates',
    body: { query: { range: { ts: { gt: begin } } }, ...byId },
    answer: hits(2, 3, 4),
  },
  {
    of: 'search/260_parameter_validation',
    title: 'refuses a negative size',
    path: '_search?size=-2',
    error: ['illegal_argument_exception', '[size] parameter cannot be negative'],
  },
];
