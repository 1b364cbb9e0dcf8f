import { isRecord } from '#http/input.js';
import { JsonArray, JsonObject, type LocatedJson, type TextPosition, toPlain } from '#json/json.js';
import { parseJsonLines } from '#json/reader.js';
import type { Hit, QueryAnswer } from '#records/record-index.js';
import { type Call, type Handle, type HttpAnswer, indexName, isSet, parameter } from './call.js';
import { badArgument, countTimedOut, EngineFailure, invalidRequest, queryError } from './error.js';
import { isPit, requirePit, withPit } from './pit.js';
import { askAll, askOne, emptyObject, queryOf, withMembers } from './query.js';
import { nextPage, openScroll } from './scroll.js';
import { type KindOf, typedKeys } from './typed-keys.js';

const shards = { total: 1, successful: 1, skipped: 0, failed: 0 } as const;

/** `_search`: one query, optionally in a point in time or as the beginning of a scroll. */
export const search: Handle = async (call) => {
  const query = withExactTotal(call, queryOf(call));
  if (parameter(call, 'scroll') !== undefined) return shown(call, query, await openScroll(call, query));
  if (!isPit(query)) return shown(call, query, await askOne(call, query));
  const id = requirePit(call, query);
  const answer = await askOne(call, withPit(query));
  return shown(call, query, 'error' in answer ? answer : { pit_id: id, ...answer });
};

/** `_search/scroll`: the next page. */
export const scroll: Handle = async (call) => shown(call, emptyObject, await nextPage(call));

/** `_msearch`: pairs of lines, each a header (which has no effect) and a query. A bad query fails alone. */
export const multiSearch: Handle = async (call) => {
  if (call.text === '') {
    throw new EngineFailure(400, 'parse_exception', 'request body or source parameter is required');
  }
  if (!call.text.endsWith('\n')) throw badArgument('The msearch request must be terminated by a newline [\n]');
  const lines = parseJsonLines(call.text);
  // A trailing header without a query is dropped, as in the engines.
  const paired = lines.items.slice(0, lines.items.length - (lines.items.length % 2));
  if (paired.length === 0) throw invalidRequest('no requests added');
  const items = paired.map((item, index) => (index % 2 === 0 ? item : withExactTotal(call, item)));
  const pairs = new JsonArray(lines, items, lines.end);
  const begun = performance.now();
  const answers = await askAll(call, pairs);
  const kindOf = await kindsFor(call);
  const responses = answers.map((answer, index) => shaped(call, items[2 * index + 1]!, answer, kindOf));
  return { body: { took: Math.round(performance.now() - begun), responses } };
};

/** `_count`: the number of records that match the `query` of the body, or `q`. */
export const count: Handle = async (call) => {
  const query = onlyQuery(queryOf(call));
  const answer = await askOne(call, withAll(query, { size: 0, track_total_hits: true }));
  if ('error' in answer) return refused(readError(answer));
  if (answer.timed_out) throw countTimedOut();
  return { body: { count: answer.hits.total?.value ?? 0, _shards: shards } };
};

/** `_validate/query`: whether a query could run; `explain` adds the reason. */
export const validateQuery: Handle = async (call) => {
  const answer = await askOne(call, withAll(onlyQuery(queryOf(call)), { size: 0, track_total_hits: false }));
  const explain = isSet(call, 'explain');
  const summary = { _shards: { total: 1, successful: 1, failed: 0 } };
  if (!('error' in answer)) {
    return { body: { ...summary, valid: true, ...(explain && { explanations: [{ index: indexName, valid: true }] }) } };
  }
  if (answer.status !== 400) return refused(answer);
  const error = `${answer.error.type}: ${answer.error.reason}`;
  const explanations = [{ index: indexName, valid: false, error }];
  return { body: { ...summary, valid: false, ...(explain && { error, explanations }) } };
};

/** `_doc/{id}`: one record, or 404 with `found: false`. */
export const getRecord: Handle = async (call) => {
  const found = await recordOf(call);
  if ('status' in found) return found;
  const { hit } = found;
  if (hit === undefined) return { status: 404, body: { _index: indexName, _id: call.params['id'], found: false } };
  const { _id, _source } = hit;
  return { body: { _index: indexName, _id, _version: 1, found: true, ...(_source && { _source }) } };
};

/** `_source/{id}`: the source of one record. */
export const getSource: Handle = async (call) => {
  const found = await recordOf(call);
  if ('status' in found) return found;
  const { hit } = found;
  if (hit?._source === undefined) {
    const reason = `Document not found [${indexName}]/[${call.params['id']}]`;
    throw new EngineFailure(404, 'resource_not_found_exception', reason);
  }
  return { body: hit._source };
};

const recordOf = async (call: Call) => {
  const query = withAll(queryOf(call), { query: { ids: { values: [call.params['id']!] } }, size: 1 });
  const answer = await askOne(call, query);
  return 'error' in answer ? { ...refused(answer), status: answer.status } : { hit: answer.hits.hits[0] };
};

/** Sets members of a query. A query that is not an object is returned as it is, and fails later. */
const withAll = (query: LocatedJson, members: Readonly<Record<string, unknown>>): LocatedJson =>
  query instanceof JsonObject ? withMembers(query, members) : query;

/**
 * Checks that a body has no member but `query`, which must be an object.
 * @throws EngineFailure
 */
const onlyQuery = (query: LocatedJson): LocatedJson => {
  if (!(query instanceof JsonObject)) return query;
  const other = query.members.find(({ key }) => key !== 'query');
  if (other !== undefined) throw unparsed(`request does not support [${other.key}]`, other);
  const clause = query.get('query');
  if (clause !== undefined && clause.kind !== 'object' && clause.kind !== 'fault')
    throw unparsed('[_na] query malformed, must start with start_object', clause);
  return query;
};

const unparsed = (reason: string, place: TextPosition) =>
  new EngineFailure(400, 'parsing_exception', reason, { place });

/**
 * Makes the total exact if it is shown as a plain number, which cannot say that it is a lower bound.
 * @throws EngineFailure if the query counts up to a limit
 */
const withExactTotal = (call: Call, query: LocatedJson): LocatedJson => {
  if (!isSet(call, 'rest_total_hits_as_int') || !(query instanceof JsonObject)) return query;
  const tracked = query.get('track_total_hits');
  if (tracked === undefined) return withMembers(query, { track_total_hits: true });
  const limit = toPlain(tracked);
  if ((typeof limit === 'number' || typeof limit === 'string') && /^[0-9]+$/.test(`${limit}`))
    throw badArgument(
      `[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got ${limit}`,
    );
  return query;
};

type Shown = QueryAnswer & { readonly pit_id?: string; readonly _scroll_id?: string };

/** Turns the answer to one query into the response. */
const shown = async (call: Call, query: LocatedJson, answer: Shown): Promise<HttpAnswer> => {
  if ('error' in answer) return refused(answer);
  const { status: _status, ...body } = shaped(call, query, answer, await kindsFor(call)) as Record<string, unknown>;
  return { body };
};

type Refusal = Extract<QueryAnswer, { error: unknown }>;

const refused = (answer: Refusal): HttpAnswer => {
  const { error, status } = queryError(answer);
  return { status, body: { error, status } };
};

/**
 * Wraps an error in an outer one, as the engines' `_count` does for a query that cannot be parsed.
 */
const readError = (answer: Refusal): Refusal => {
  const { root_cause: _cause, type, reason, caused_by, ...place } = answer.error;
  if (!unreadable.has(type)) return answer;
  const outer = { type: 'parsing_exception', reason: 'Failed to parse' };
  const cause = { type, reason, ...(caused_by && { caused_by }) };
  return { ...answer, error: { root_cause: [outer], ...outer, ...place, caused_by: cause } };
};

const unreadable: ReadonlySet<string> = new Set([
  'json_e_o_f_exception',
  'json_parse_exception',
  'illegal_argument_exception',
  'x_content_parse_exception',
]);

/** Applies `rest_total_hits_as_int` and `typed_keys` to an answer. */
const shaped = (call: Call, query: LocatedJson, answer: Shown, kindOf: KindOf | undefined): object => {
  if ('error' in answer) return queryError(answer);
  const { hits, aggregations, ...others } = answer;
  const asInt = isSet(call, 'rest_total_hits_as_int');
  const { total, ...rest } = hits;
  const hideIds = storesNone(query);
  const typed = kindOf && aggregations && typedKeys(aggregationsOf(query), aggregations as object as Tree, kindOf);
  return {
    ...others,
    hits: {
      ...(asInt ? { total: total?.value ?? -1 } : total && { total }),
      ...rest,
      ...(hideIds && { hits: rest.hits.map(withoutId) }),
    },
    ...(aggregations && { aggregations: typed ?? aggregations }),
  };
};

/** Whether a query asks for no stored fields, not even `_id`. */
const storesNone = (query: LocatedJson): boolean => {
  const stored = query instanceof JsonObject ? query.get('stored_fields') : undefined;
  return stored !== undefined && [toPlain(stored)].flat().includes('_none_');
};

const withoutId = ({ _id, ...hit }: Hit): object => hit;

type Tree = Readonly<Record<string, unknown>>;

const aggregationsOf = (query: LocatedJson): Tree => {
  const node = query instanceof JsonObject ? (query.get('aggs') ?? query.get('aggregations')) : undefined;
  const plain = node === undefined ? {} : toPlain(node);
  return isRecord(plain) ? plain : {};
};

/** Returns the kinds of fields if `typed_keys` needs them. */
const kindsFor = async (call: Call): Promise<KindOf | undefined> => {
  if (!isSet(call, 'typed_keys')) return undefined;
  const { organizationId, applicationId, context } = call;
  const fields = await call.search.fields({
    organizationId,
    applicationId,
    position: context.position,
    signal: context.signal,
  });
  const kinds = new Map(fields.map(({ path, type }) => [path, type]));
  return (path) => kinds.get(path);
};
