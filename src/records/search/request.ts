import { isId } from '../../entities/id.js';
import { type Fault, invalid } from '../../errors.js';
import type { LocatedJson } from '../../json.js';
import type { Aggregation } from './aggregation/aggregation.js';
import { parseAggregations } from './aggregation/parse.js';
import { checkPipelines } from './aggregation/pipeline/place.js';
import { illegalArgument, parsing, SearchFailure } from './failure.js';
import { microsecondsOf } from './hits/order.js';
import { type AskedField, parseShownFields } from './hits/shown-field.js';
import { parseSort, type SortKey } from './hits/sort.js';
import { parseSourceFilter, type SourceFilter } from './hits/source-filter.js';
import { parseQuery } from './query/parse.js';
import type { Query } from './query/query.js';
import { durationOf } from './syntax/duration.js';
import { Input } from './syntax/input.js';
import { byHand, flag, integer, isNumber, kindOf, scalarText, text } from './syntax/value.js';

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

/** One query, parsed. */
export interface SearchRequest {
  readonly query?: Query;
  readonly postFilter?: Query;
  readonly aggregations: readonly Aggregation[];
  readonly size: number;
  readonly from: number;
  readonly sort: readonly SortKey[];
  readonly searchAfter?: Input;
  readonly source: SourceFilter;
  /** Counts to this number; false: no count. */
  readonly trackTotal: number | false;
  readonly timeoutMs?: number;
  /** Values to show beside the source. */
  readonly fields: readonly AskedField[];
}

const maxQueries = 100;
const maxWindow = 10_000;

/**
 * Reads what belongs to the call as a whole.
 * @throws ApiError VALIDATION_FAILED naming each fault: nothing is searched then.
 */
export const parseEnvelope = (ts: LocatedJson | undefined, queries: LocatedJson | undefined): Envelope => {
  const faults: Fault[] = [];
  const fail = (path: string, message: string) => faults.push({ path, message });
  const end = (key: 'gte' | 'lte'): string => {
    const value = ts?.kind === 'object' ? ts.get(key) : undefined;
    const read = value === undefined ? undefined : scalarText(new Input(value, key));
    if (value === undefined || value.kind === 'literal' || read === undefined || !isNumber(read)) {
      fail(`ts.${key}`, 'A Unix time in seconds is required.');
      return '0';
    }
    return read;
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
  return products.length > 0 && ids.length === 0 ? ['00000000-0000-0000-0000-000000000000'] : [...new Set(ids)];
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

/** Reads one query. @throws SearchFailure at the first fault. */
export const parseRequest = (input: Input): SearchRequest => {
  if (input.node.kind === 'fault') throw new SearchFailure(400, 'json_parse_exception', input.node.message, input);
  if (!input.isObject) throw parsing(`Expected [START_OBJECT] but found [${kindOf(input)}]`, input);
  let request: SearchRequest = {
    aggregations: [],
    size: 10,
    from: 0,
    sort: [],
    source: { includes: [], excludes: [] },
    trackTotal: 10_000,
    fields: [],
  };
  let stored: readonly string[] | undefined;
  let asksSource = false;
  for (const { key, input: at } of input.members()) {
    const read = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (read === undefined) throw parsing(`Unknown key for a ${kindOf(at)} in [${key}].`, at);
    const { fields = [], storedFields, ...part } = read(at);
    request = { ...request, ...part, fields: [...request.fields, ...fields] };
    stored = storedFields ?? stored;
    asksSource ||= part.source !== undefined;
  }
  // Nothing is stored beside the source: fields that are asked for as stored ones only hide it.
  if (stored !== undefined && !stored.includes('_source') && !asksSource) request = { ...request, source: false };
  const window = request.from + request.size;
  if (window > maxWindow) {
    throw illegalArgument(
      `Result window is too large, from + size must be less than or equal to: [${maxWindow}] but was [${window}].`,
      input.get('size') ?? input,
    );
  }
  if (request.searchAfter !== undefined && request.from > 0) {
    throw illegalArgument('`from` parameter must be set to 0 when `search_after` is used.', input.get('from'));
  }
  checkPipelines(request.aggregations);
  return request;
};

const nothing = () => ({});

/** Kinds of values, as the engines tell them apart where a key of a query stands. */
type Kind = 'value' | 'object' | 'array';
const kindHere = ({ isObject, isArray }: Input): Kind => (isObject ? 'object' : isArray ? 'array' : 'value');

type ReadKey = (at: Input) => Partial<SearchRequest> & { readonly storedFields?: readonly string[] };

/** A key that takes some kinds of values. `null` is as if the key did not come: so GraphQL's clients leave one out. */
const taking =
  (kinds: readonly Kind[], read: ReadKey): ReadKey =>
  (at) => {
    if (at.isNull) return {};
    if (!kinds.includes(kindHere(at))) throw parsing(`Unknown key for a ${kindOf(at)} in [${at.key}].`, at);
    return read(at);
  };

const value = (read: ReadKey) => taking(['value'], read);

/** A number of hits; -1 is the engines' way of saying that none is given. */
const count = (key: 'size' | 'from'): ReadKey =>
  value((at) => {
    const given = byHand(integer)(at);
    if (given < -1) throw illegalArgument(`[${key}] parameter cannot be negative, found [${given}]`, at);
    return given === -1 ? {} : { [key]: given };
  });

const switched = value((at) => {
  byHand(flag)(at);
  return {};
});

const emptyOnly: ReadKey = (at) => {
  if (at.members().length > 0) throw parsing(`[${at.key}] is not supported here`, at);
  return {};
};

const aggregations = taking(['object'], (at) => ({ aggregations: parseAggregations(at) }));
const shown = (indexed: boolean) => taking(['array'], (at) => ({ fields: parseShownFields(at, indexed) }));
const source = taking(['value', 'object', 'array'], (at) => ({ source: parseSourceFilter(at) }));

/** The keys of a query. */
const keys: Readonly<Record<string, ReadKey>> = {
  products: nothing,
  query: taking(['object'], (at) => ({ query: parseQuery(at) })),
  post_filter: taking(['object'], (at) => ({ postFilter: parseQuery(at) })),
  aggs: aggregations,
  aggregations,
  size: count('size'),
  from: count('from'),
  sort: taking(['value', 'object', 'array'], (at) => ({ sort: parseSort(at) })),
  search_after: taking(['array'], (at) => ({ searchAfter: at })),
  includes: source,
  _source: source,
  stored_fields: (at) => (at.isNull ? {} : { storedFields: storedFields(at) }),
  fields: shown(false),
  docvalue_fields: shown(true),
  track_total_hits: value((at) => ({ trackTotal: trackTotal(at) })),
  timeout: value((at) => timeout(durationOf(text(at), at))),
  highlight: taking(['object'], nothing),
  version: switched,
  track_scores: switched,
  script_fields: taking(['object'], emptyOnly),
  runtime_mappings: emptyOnly,
};

/** A time of zero or less, which the engines take for none, sets no limit of its own. */
const timeout = (timeoutMs: number) => (timeoutMs > 0 ? { timeoutMs } : {});

const storedFields = (at: Input): readonly string[] => {
  if (at.node.kind !== 'string' && !at.isArray)
    throw parsing(`Expected [VALUE_STRING] or [START_ARRAY] in [stored_fields] but found [${kindOf(at)}]`, at);
  return at.items().map(text);
};

const trackTotal = (at: Input): number | false => {
  const { node } = at;
  if (node.kind === 'literal' || node.kind === 'string') {
    const given = scalarText(at);
    if (given === 'true' || given === 'false') return flag(at) && Number.POSITIVE_INFINITY;
  }
  const limit = byHand(integer)(at);
  if (limit === -1) return false;
  if (limit < 0)
    throw illegalArgument(`[track_total_hits] parameter must be positive or equals to -1, got ${limit}`, at);
  return limit;
};
