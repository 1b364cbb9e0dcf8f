import { expect } from '@jest/globals';
import type { Fact } from './fact.js';

/** Counts, several queries in one call, fields, single documents and pages. */
export const doorFacts: readonly Fact[] = [
  { of: 'count/10_basic', title: 'counts all', path: '_count', answer: { count: 4, _shards: { failed: 0 } } },
  {
    of: 'count/10_basic',
    title: 'counts what a query finds',
    path: '_count',
    body: { query: { term: { 'data.k': 'b' } } },
    answer: { count: 2 },
  },
  {
    of: 'count/10_basic',
    title: 'refuses anything beside a query',
    path: '_count',
    body: { match: { 'data.k': 'b' } },
    error: ['parsing_exception', 'request does not support [match]'],
  },
  { of: 'count/20_query_string', title: 'counts what q finds', path: '_count?q=data.v:%3E10', answer: { count: 2 } },
  {
    of: 'msearch/10_basic',
    title: 'answers each query',
    path: '_msearch',
    body: [{}, { query: { term: { 'data.id': 1 } } }, {}, { query: { match_none: {} } }],
    answer: {
      responses: [
        { hits: { total: { value: 1 } }, status: 200 },
        { hits: { total: { value: 0 } }, status: 200 },
      ],
    },
  },
  {
    of: 'msearch/10_basic',
    title: 'lets a query fail alone',
    path: '_msearch',
    body: [{}, { sort: ['data.nope'] }, {}, {}],
    answer: { responses: [{ status: 400, error: { type: 'search_phase_execution_exception' } }, { status: 200 }] },
  },
  {
    of: 'msearch/10_basic',
    title: 'shows totals as numbers',
    path: '_msearch?rest_total_hits_as_int=true',
    body: [{}, { size: 0 }, {}, { size: 0, track_total_hits: false }],
    answer: { responses: [{ hits: { total: 4 } }, { hits: { total: -1 } }] },
  },
  {
    of: 'msearch/20_typed_keys',
    title: 'names the kinds of aggregations',
    path: '_msearch?typed_keys=true',
    body: [{}, { size: 0, aggs: { m: { max: { field: 'data.v' } }, t: { terms: { field: 'data.k' } } } }],
    answer: { responses: [{ aggregations: { 'max#m': { value: 42 }, 'sterms#t': {} } }] },
  },
  {
    of: 'field_caps/10_basic',
    title: 'lists fields and the objects around them',
    path: '_field_caps?fields=data.o*,data.k',
    answer: {
      fields: {
        'data.k': { keyword: { type: 'keyword', searchable: true, aggregatable: true } },
        data: { object: { type: 'object', searchable: false, aggregatable: false } },
        'data.o': { object: { type: 'object', searchable: false, aggregatable: false } },
        'data.o.x': { double: { type: 'double', searchable: true, aggregatable: true } },
      },
    },
  },
  {
    of: 'field_caps/10_basic',
    title: 'lists nothing where no field fits',
    path: '_field_caps?fields=nope*',
    answer: { fields: {} },
  },
  {
    of: 'field_caps/10_basic',
    title: 'asks for the names of fields',
    path: '_field_caps',
    error: ['illegal_argument_exception', "specified fields can't be null or empty"],
  },
  {
    of: 'get/80_missing',
    title: 'says that the source of a document is missing',
    method: 'GET',
    path: '_source/nope',
    status: 404,
  },
  {
    of: 'get/15_default_values',
    title: 'says that a document is missing',
    method: 'GET',
    path: '_doc/nope',
    status: 404,
    answer: { _id: 'nope', found: false },
  },
  {
    of: 'scroll/10_basic',
    title: 'begins a scroll with the total and the first page',
    path: '_search?scroll=1m',
    body: { size: 1, sort: [{ 'data.id': 'desc' }] },
    answer: { _scroll_id: expect.any(String), hits: { total: { value: 4 }, hits: [{ _source: { data: { id: 4 } } }] } },
  },
  {
    of: 'scroll/20_keep_alive',
    title: 'refuses a scroll that shall be kept for longer than a day',
    path: '_search?scroll=2d',
    error: ['illegal_argument_exception', 'Keep alive for'],
  },
  {
    of: 'scroll/10_basic',
    title: 'refuses a scroll without hits',
    path: '_search?scroll=1m',
    body: { size: 0 },
    error: ['action_request_validation_exception', '[size] cannot be [0] in a scroll context'],
  },
  {
    of: 'scroll/10_basic',
    title: 'refuses a scroll that does not count',
    path: '_search?scroll=1m',
    body: { track_total_hits: false },
    error: ['action_request_validation_exception', 'disabling [track_total_hits] is not allowed in a scroll context'],
  },
];
