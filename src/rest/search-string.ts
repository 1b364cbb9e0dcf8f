import { parse } from 'qs';
import type { Fault } from '#common/errors.js';
import { fault, isRecord } from '#http/input.js';
import { readQueryString } from '#http/query-string.js';
import { JsonSyntaxError, type LocatedJson, locate } from '#json/json.js';
import { parseJson } from '#json/reader.js';

/** One argument of a search with its value. */
interface Member {
  key: string;
  value: LocatedJson;
}

/** Whether an address has a query string with at least one parameter. */
export const hasParameters = (url: string): boolean => readQueryString(url).size > 0;

/**
 * Reads the arguments of a search from a query string. A value is JSON (`ts={"gte":1}`) or in brackets (`ts[gte]=1`),
 * where every value is a text. Numbers outside the query itself are parsed from such texts; a query accepts numbers as
 * texts.
 */
export const readSearchString = (url: string, faults: Fault[]): Member[] => {
  readQueryString(url);
  const start = url.indexOf('?');
  const values = start < 0 ? {} : parse(url.slice(start + 1), rules);
  return Object.entries(values).flatMap(([key, value]) => {
    const read = typeof value === 'string' ? parseText(key, value, faults) : locate(withTypes(key, value));
    return read === undefined ? [] : [{ key, value: read }];
  });
};

const rules = {
  depth: 64,
  arrayLimit: 10_000,
  parameterLimit: 10_000,
  plainObjects: true,
  allowEmptyArrays: true,
} as const;

const parseText = (key: string, text: string, faults: Fault[]): LocatedJson | undefined => {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return fault(faults, key, `is not JSON: ${error.message}`);
    throw error;
  }
};

/** Restores what brackets cannot express: numbers, and arrays with a single value. */
const withTypes = (key: string, value: unknown): unknown => {
  if (key === 'ts') return withNumbers(value);
  return key === 'queries' && Array.isArray(value) ? value.map(withArrays) : value;
};

/** Keys of a query whose value is an array. */
const arrays = new Set(['products', 'includes', 'search_after', 'fields', 'docvalue_fields']);

const withArrays = (query: unknown): unknown =>
  isRecord(query)
    ? Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, arrays.has(name) ? withItems(name, value) : value]),
      )
    : query;

/** Restores an array. An empty text is no product: `products=` has no other way to write an empty list. */
const withItems = (name: string, value: unknown): unknown => {
  const items = typeof value === 'string' ? [value] : value;
  return name === 'products' && Array.isArray(items) ? items.filter((id) => id !== '') : items;
};

/** Parses the bounds of the time range that are numbers. */
const withNumbers = (value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, text]) => [
          name,
          typeof text === 'string' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text,
        ]),
      )
    : value;
