import { isId, nilId } from '../entities/id.js';
import { type Fault, invalid } from '../errors.js';
import type { LocatedJson } from '../json.js';
import { microsecondsOf } from './hits/bound-sort.js';
import { Input } from './syntax/input.js';
import { isNumber } from './syntax/value.js';

/** The time that all queries of a call look at, both ends included, as timestamps' texts. */
export interface TimeRange {
  readonly from: string;
  readonly to: string;
  /** The same in milliseconds. */
  readonly fromMillis: number;
  readonly toMillis: number;
}

/** A call, read as far as it fails as a whole: its time and its queries, each still to be parsed. */
export interface Envelope {
  readonly range: TimeRange;
  readonly queries: readonly { readonly products: readonly string[]; readonly input: Input }[];
}

const maxQueries = 100;

/**
 * Reads what belongs to the call as a whole.
 * @throws ApiError VALIDATION_FAILED naming each fault: nothing is searched then.
 */
export const parseEnvelope = (ts: LocatedJson | undefined, queries: LocatedJson | undefined): Envelope => {
  const faults: Fault[] = [];
  const fail = (path: string, message: string) => faults.push({ path, message });
  const end = (key: 'gte' | 'lte'): string => {
    const value = ts?.kind === 'object' ? ts.get(key) : undefined;
    if (value?.kind === 'number' && isNumber(value.text)) return value.text;
    fail(`ts.${key}`, 'A Unix time in seconds is required, a number.');
    return '0';
  };
  if (ts !== undefined && ts.kind !== 'object') fail('ts', 'An object with gte and lte is required.');
  for (const { key } of ts?.kind === 'object' ? ts.members : []) {
    if (key !== 'gte' && key !== 'lte') fail(`ts.${key}`, 'There is no such field.');
  }
  const [from, to] = [end('gte'), end('lte')];
  if (queries?.kind !== 'array') fail('queries', 'An array of queries is required.');
  else if (queries.items.length > maxQueries) fail('queries', `At most ${maxQueries} queries are taken in one call.`);
  const items =
    queries?.kind === 'array' && queries.items.length <= maxQueries ? new Input(queries, 'queries').items() : [];
  const parsed = items.map((input) => {
    const products = input.get('products');
    if (!input.isObject) fail(input.path, 'A query must be an object.');
    else if (products === undefined)
      fail(`${input.path}.products`, 'A list of product ids is required; an empty one means every record.');
    else if (!products.isArray || products.items().some(({ node }) => node.kind !== 'string')) {
      fail(`${input.path}.products`, 'A list of product ids is required.');
    }
    return { input, products: (products?.items() ?? []).map(({ node }) => (node.kind === 'string' ? node.text : '')) };
  });
  if (faults.length > 0) throw invalid(faults);
  return { range: timeRangeOf(from, to), queries: parsed };
};

/** All time that records can be in. */
const always: TimeRange = timeRangeOf('0', '8640000000');

/**
 * Reads the body of a multi-search as engines' clients send it: lines in pairs, a header that we have no use for and a
 * query. The time is what the queries themselves restrict it to.
 */
export const parseMultiSearch = (lines: LocatedJson): Envelope => {
  if (lines.kind !== 'array' || lines.items.length % 2 === 1) {
    throw invalid([{ path: '', message: 'Send pairs of lines: a header, and a query.' }]);
  }
  const items = new Input(lines, 'queries').items();
  const faults = items.flatMap(({ node }, index) =>
    node.kind === 'fault' && index % 2 === 0 ? [{ path: `${index}`, message: node.message }] : [],
  );
  if (faults.length > 0) throw invalid(faults);
  const bodies = items.filter((_, index) => index % 2 === 1);
  if (bodies.length > maxQueries)
    throw invalid([{ path: '', message: `At most ${maxQueries} queries are taken in one call.` }]);
  return { range: always, queries: bodies.map((input) => ({ input, products: [] })) };
};

/**
 * Product ids of a query that can be ids at all; a list of others matches nothing, which the nil id does too.
 * An empty text is no product: brackets in a query string can write an empty list no other way.
 */
export const productIds = (given: readonly string[]): string[] => {
  const products = given.filter((id) => id !== '');
  const ids = products.map((id) => id.toLowerCase()).filter(isId);
  return products.length > 0 && ids.length === 0 ? [nilId] : [...new Set(ids)];
};

function timeRangeOf(from: string, to: string): TimeRange {
  return {
    from: microsecondsOf(from),
    to: microsecondsOf(to),
    fromMillis: millisOf(from),
    toMillis: millisOf(to),
  };
}

function millisOf(text: string): number {
  return Math.abs(Number(text)) >= 1e11 ? Number(text) : Number(text) * 1000;
}
