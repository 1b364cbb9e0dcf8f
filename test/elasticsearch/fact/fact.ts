/** What a request to the door of engines' clients is answered, there and by an engine with the same documents. */
export interface Fact {
  /** The folder and file of OpenSearch's own REST tests whose subject it is. */
  readonly of: string;
  readonly title: string;
  readonly method?: 'GET' | 'POST';
  /** Behind the index, with its parameters; `_search` unless it is given. */
  readonly path?: string;
  /** An object is sent as JSON, a list as lines of JSON. */
  readonly body?: object | readonly object[];
  /** A part of the answer; unless there is an error. */
  readonly answer?: object;
  /** Type and reason of the innermost cause. */
  readonly error?: readonly [type: string, reason: string];
  /** 200, or 400 with an error, unless it is given. */
  readonly status?: number;
  /** The engine's, where it is another one. */
  readonly engineStatus?: number;
  /** What an answer must not have, by path. */
  readonly absent?: readonly string[];
}

const day = 86_400_000;
/** When the first document was measured, in milliseconds. */
export const begin = Date.UTC(2026, 9, 5);

/** The documents, by their number `data.id`. */
export const documents = [
  { id: 1, n: 1, v: 3, k: 'a', d: '9', on: true, at: 0, o: { x: 1 } },
  { id: 2, n: 2, v: 18, k: 'b', d: '10', on: false, at: 1, many: [1, 5] },
  { id: 3, n: 30, v: 42, k: 'b', on: true, at: 1 },
  { id: 4, n: 31, v: 5, k: 'c', at: 3, o: { x: 7, y: 'z' } },
].map(({ at, ...data }) => ({ ts: begin + at * day, data }));

/** The types of the fields, in the engines' words. */
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

/** A query of one aggregation `a` and no hits. */
export const over = (aggregation: object, query?: object): object => ({
  size: 0,
  aggs: { a: aggregation },
  ...(query && { query }),
});

/** An answer of such a query. */
export const gives = (a: object): object => ({ aggregations: { a } });
