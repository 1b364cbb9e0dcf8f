import type { Plain } from './plain.js';
import { sortKeys } from './sort.js';

/** Converts the times of a query's cursor to milliseconds, since ours are in seconds. */
export const inMillis = (body: Plain): Plain => {
  const cursor = body['search_after'];
  if (!Array.isArray(cursor)) return body;
  const keys = sortKeys(body['sort']);
  return {
    ...body,
    search_after: cursor.map((value: unknown, at) =>
      keys[at] === 'ts' && typeof value === 'number' ? value * 1000 : value,
    ),
  };
};

/** Converts the times of hits to seconds: `_source.ts`, and sort values of `ts`. */
export const inSeconds = (body: Plain, answer: Plain): Plain => {
  const walk = (value: unknown, asked: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, asked));
    if (value === null || typeof value !== 'object') return value;
    const plain = value as Plain;
    if (typeof plain['_id'] === 'string') return hitInSeconds(plain, sortKeys((asked as Plain | undefined)?.['sort']));
    return Object.fromEntries(
      Object.entries(plain).map(([key, inner]) => [key, walk(inner, definitionOf(asked, key) ?? asked)]),
    );
  };
  return walk(answer, body) as Plain;
};

/** Returns the definition of a named aggregation inside another one. */
const definitionOf = (asked: unknown, name: string): unknown => {
  const around = asked as Plain | undefined;
  const own = ((around?.['aggs'] ?? around?.['aggregations']) as Plain | undefined)?.[name] as Plain | undefined;
  return own?.['top_hits'] ?? own;
};

const hitInSeconds = (hit: Plain, keys: readonly string[]): Plain => {
  const source = hit['_source'] as Plain | undefined;
  const sort = hit['sort'] as unknown[] | undefined;
  const seconds = (value: unknown) => (typeof value === 'number' ? value / 1000 : value);
  return {
    ...hit,
    ...(source?.['ts'] !== undefined && { _source: { ...source, ts: seconds(source['ts']) } }),
    ...(sort && { sort: sort.map((value, index) => (keys[index] === 'ts' ? seconds(value) : value)) }),
  };
};
