import { dayMs } from '#common/time.js';
/**
 * A request to the Elasticsearch-compatible endpoint, and the answer expected from it and from OpenSearch with the same
 * documents.
 */
export interface Fact {
  /** The folder and file of OpenSearch's own REST test on this subject. */
  readonly of: string;
  readonly title: string;
  readonly method?: 'GET' | 'POST';
  /** Path after the index, with parameters; `_search` by default. */
  readonly path?: string;
  /** An object is sent as JSON, a list as NDJSON. */
  readonly body?: object | readonly object[];
  /** A part of the expected answer, when there is no error. */
  readonly answer?: object;
  /** Type and reason of the innermost cause. */
  readonly error?: readonly [type: string, reason: string];
  /** Defaults to 200, or to 400 with an error. */
  readonly status?: number;
  /** The status of OpenSearch, when it differs. */
  readonly engineStatus?: number;
  /** The reason why the answer of the 2.4.1 node on which the facts run differs. */
  readonly notOnNode?: string;
  /** Paths that the answer must not contain. */
  readonly absent?: readonly string[];
}

/** Time of the first document in milliseconds. */
export const begin = Date.UTC(2026, 9, 5);

/** The documents, by their number `data.id`. */
export const documents = [
  { id: 1, n: 1, v: 3, k: 'a', d: '9', on: true, at: 0, o: { x: 1 } },
  { id: 2, n: 2, v: 18, k: 'b', d: '10', on: false, at: 1, many: [1, 5] },
  { id: 3, n: 30, v: 42, k: 'b', on: true, at: 1 },
  { id: 4, n: 31, v: 5, k: 'c', at: 3, o: { x: 7, y: 'z' } },
].map(({ at, ...data }) => ({ ts: begin + at * dayMs, data }));

/** The field types in OpenSearch's terms. */
export const types = {
  id: 'long',
  n: 'long',
  v: 'double',
  k: 'keyword',
  d: 'keyword',
  on: 'boolean',
  many: 'double',
  o: { x: 'double', y: 'keyword' },
} as const;

/** Builds a query with one aggregation `a` and no hits. */
export const over = (aggregation: object, query?: object): object => ({
  size: 0,
  aggs: { a: aggregation },
  ...(query && { query }),
});

/** Builds the answer to such a query. */
export const gives = (a: object): object => ({ aggregations: { a } });
