import { type Fault, invalid } from '#common/errors.js';
import { isId, nilId } from '#entities/id.js';
import type { LocatedJson } from '#json/json.js';
import { microsecondsOf } from './hits/bound-sort.js';
import { Input } from './syntax/input.js';
import { isNumber } from './syntax/value.js';

/** Time range of all queries of a call, both ends included, as timestamps' texts. */
export interface TimeRange {
  readonly from: string;
  readonly to: string;
  /** The range in milliseconds. */
  readonly fromMillis: number;
  readonly toMillis: number;
}

/**
 * A call with its parsed time range, whose faults fail the whole call. The queries are parsed later, because a wrong
 * query fails alone.
 */
export interface Envelope {
  readonly range: TimeRange;
  readonly queries: readonly { readonly products: readonly string[]; readonly input: Input }[];
}

const maxQueries = 100;

/**
 * Parses the parts that concern the call as a whole.
 * @throws ApiError 422 that names each fault; nothing is searched then
 */
export const parseEnvelope = (ts: LocatedJson | undefined, queries: LocatedJson | undefined): Envelope => {
  const faults: Fault[] = [];
  const fail = (path: string, message: string) => faults.push({ path, message });
  const end = (key: 'gte' | 'lte'): string => {
    const value = ts?.kind === 'object' ? ts.get(key) : undefined;
    if (value?.kind === 'number' && isNumber(value.text)) return value.text;
    fail(`ts.${key}`, 'A Unix time in seconds is required, as a number.');
    return '0';
  };
  if (ts !== undefined && ts.kind !== 'object') fail('ts', 'An object with gte and lte is required.');
  for (const { key } of ts?.kind === 'object' ? ts.members : []) {
    if (key !== 'gte' && key !== 'lte') fail(`ts.${key}`, 'There is no such field.');
  }
  const [from, to] = [end('gte'), end('lte')];
  if (queries?.kind !== 'array') fail('queries', 'An array of queries is required.');
  else if (queries.items.length > maxQueries) fail('queries', `At most ${maxQueries} queries are allowed in one call.`);
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

/** Time range of all possible records. */
const always: TimeRange = timeRangeOf('0', '8640000000');

/**
 * Parses the body of a multi-search as engines' clients send it: pairs of lines, each a header (which is ignored) and a
 * query. The queries themselves restrict the time.
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
    throw invalid([{ path: '', message: `At most ${maxQueries} queries are allowed in one call.` }]);
  return { range: always, queries: bodies.map((input) => ({ input, products: [] })) };
};

/**
 * Returns the valid product identifiers of a query. A list of invalid ones matches nothing, like the nil identifier
 * that replaces it.
 */
export const productIds = (products: readonly string[]): string[] => {
  const ids = products.filter(isId);
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
