import type { Aggregation } from './aggregation/aggregation.js';
import { parseAggregations } from './aggregation/parse.js';
import { checkPipelines } from './aggregation/pipeline/pipeline-order.js';
import { parseShownFields, type ShownFieldRequest } from './hits/shown-field.js';
import { parseSort, type SortKey } from './hits/sort.js';
import { parseSourceFilter, type SourceFilter } from './hits/source-filter.js';
import { parseQuery } from './query/parse.js';
import type { Query } from './query/query.js';
import { illegalArgument, parsing, SearchFailure } from './search-failure.js';
import { durationOf } from './syntax/duration.js';
import type { Input } from './syntax/input.js';
import { requireWithinLimits } from './syntax/limit.js';
import { byHand, flag, integer, kindOf, scalarText, text } from './syntax/value.js';

/** One parsed query. */
export interface SearchRequest {
  readonly query?: Query;
  readonly postFilter?: Query;
  readonly aggregations: readonly Aggregation[];
  readonly size: number;
  readonly from: number;
  readonly sort: readonly SortKey[];
  readonly searchAfter?: Input;
  readonly source: SourceFilter;
  /** Maximum number up to which hits are counted; false for no count. */
  readonly trackTotal: number | false;
  readonly timeoutMs?: number;
  /** Values to show beside the source. */
  readonly fields: readonly ShownFieldRequest[];
}

const maxWindow = 10_000;

/**
 * Parses one query.
 * @throws SearchFailure at the first fault
 */
export const parseRequest = (input: Input): SearchRequest => {
  const { node } = input;
  if (node.kind === 'fault') {
    const type = node.isCutOff ? 'json_e_o_f_exception' : 'json_parse_exception';
    throw new SearchFailure(400, type, node.message, input);
  }
  if (!input.isObject) throw parsing(`Expected [START_OBJECT] but found [${kindOf(input)}]`, input);
  requireWithinLimits(input);
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
  const none = stored?.includes('_none_') ?? false;
  if (none && stored!.length > 1) throw illegalArgument('cannot combine _none_ with other fields', input);
  if (none && asksSource && request.source !== false) throw noneWithSource(input);
  // Only the source is stored, so a request for other stored fields just hides it.
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

const ignoreKey = () => ({});

/** Kinds of values that the engines distinguish for a key of a query. */
type Kind = 'value' | 'object' | 'array';
const kindHere = ({ isObject, isArray }: Input): Kind => (isObject ? 'object' : isArray ? 'array' : 'value');

type ReadKey = (at: Input) => Partial<SearchRequest> & { readonly storedFields?: readonly string[] };

/**
 * Creates the reader of a key that accepts some kinds of values. `null` counts as absent, because that is how GraphQL
 * clients omit a key.
 */
const taking =
  (kinds: readonly Kind[], read: ReadKey): ReadKey =>
  (at) => {
    if (at.isNull) return {};
    if (!kinds.includes(kindHere(at))) throw parsing(`Unknown key for a ${kindOf(at)} in [${at.key}].`, at);
    return read(at);
  };

const value = (read: ReadKey) => taking(['value'], read);

/** Creates the reader of a number of hits. The engines use -1 for absent. */
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
  products: ignoreKey,
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
  timeout: value((at) => timeout(durationOf(text(at), at, 'timeout'))),
  highlight: taking(['object'], ignoreKey),
  version: switched,
  track_scores: switched,
  script_fields: taking(['object'], emptyOnly),
  runtime_mappings: emptyOnly,
};

/** A time limit of zero or less is ignored, as in the engines. */
const timeout = (timeoutMs: number) => (timeoutMs > 0 ? { timeoutMs } : {});

const noneWithSource = (at: Input) =>
  new SearchFailure(400, 'search_exception', '[stored_fields] cannot be disabled if [_source] is requested', at);

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
