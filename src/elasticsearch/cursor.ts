import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { JsonArray, JsonObject, type LocatedJson, locate, type PlainJson, toPlain } from '../json.js';
import type { QueryAnswer } from '../records/record-index.js';
import { isRecord } from '../rest/input.js';
import { type Call, type Handle, parameter } from './call.js';
import { badArgument, EngineFailure, invalidRequest } from './error.js';
import { requireKeepAliveOf, requirePitKeepAlive, requireScrollKeepAlive } from './keep-alive.js';
import { askOne, bodyOf, withMembers } from './query.js';

/**
 * What the id of a scroll or of a point in time says. Nothing is kept here: the id carries it all, so any process
 * answers and none forgets. It gives its bearer nothing that a search would not: the application stands in the path
 * too, and is found with permission for each call.
 */
interface Cursor {
  readonly kind: 'pit' | 'scroll';
  readonly organizationId: string;
  readonly applicationId: string;
  /** Of a scroll: its query without aggregations, its sort with a last key that no two records share. */
  readonly query?: { [key: string]: PlainJson };
  /** Of a scroll: how many sort values a hit shows. */
  readonly shown?: number;
  /** Of a scroll: how many records match. */
  readonly total?: PlainJson;
}

type Scroll = QueryAnswer & { readonly _scroll_id?: string };

/** Ids must fit into a body with what stands beside them. */
const maxId = 512 * 1024;
const maxState = 4 * 1024 * 1024;

const encode = (cursor: Cursor): string => {
  const id = deflateRawSync(JSON.stringify(cursor)).toString('base64url');
  if (id.length > maxId) throw badArgument('The query is too long for a scroll; use search_after.');
  return id;
};

/**
 * Reads an id of this application.
 * @throws EngineFailure 400 for what is no such id; 404 for one of another application, as for one that the engines forgot.
 */
const decode = (call: Call, kind: Cursor['kind'], id: unknown): Cursor => {
  const { organizationId, applicationId } = call;
  const cursor = typeof id === 'string' ? parse(id) : undefined;
  if (cursor?.kind !== kind)
    throw badArgument(kind === 'scroll' ? 'Cannot parse scroll id' : `invalid id: [${shorten(id)}]`);
  if (cursor.applicationId !== applicationId || cursor.organizationId !== organizationId)
    throw new EngineFailure(404, 'search_context_missing_exception', `No search context found for id [${shorten(id)}]`);
  return cursor;
};

const parse = (id: string): Cursor | undefined => {
  try {
    const text = inflateRawSync(Buffer.from(id, 'base64url'), { maxOutputLength: maxState }).toString();
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? (value as unknown as Cursor) : undefined;
  } catch {
    return undefined;
  }
};

const shorten = (id: unknown): string => (typeof id === 'string' ? id.slice(0, 40) : '');

/** Opens a point in time (`_pit`, or `_search/point_in_time` as OpenSearch names it). */
export const openPit: Handle = async (call) => {
  requirePitKeepAlive(call);
  const { id: applicationId, organizationId } = await call.load();
  const id = encode({ kind: 'pit', organizationId, applicationId });
  const shards = { total: 1, successful: 1, skipped: 0, failed: 0 };
  return { body: { id, pit_id: id, _shards: shards, creation_time: call.clock() } };
};

/** Closes points in time or scrolls, which only means that their ids were read. */
export const closeCursor =
  (kind: Cursor['kind']): Handle =>
  async (call) => {
    await call.load();
    const body = plainBody(call);
    const given = [call.params['id'], body['id'], body['pit_id'], body['scroll_id'], parameter(call, 'scroll_id')];
    const ids = given.flat().filter((id) => id !== undefined && id !== '_all');
    if (ids.length === 0 && !given.includes('_all')) throw invalidRequest(`no ${kind} ids specified`);
    for (const id of ids) decode(call, kind, id);
    const pits = ids.map((pit_id) => ({ pit_id, successful: true }));
    return { body: { succeeded: true, num_freed: ids.length, ...(kind === 'pit' && { pits }) } };
  };

const plainBody = (call: Call): Record<string, PlainJson> => {
  const body = bodyOf(call);
  if (body.kind === 'fault') throw badArgument('Failed to parse request body');
  const plain = body instanceof JsonObject ? toPlain(body) : {};
  return isRecord(plain) ? (plain as Record<string, PlainJson>) : {};
};

/** Whether a query names a point in time. */
export const isPit = (query: LocatedJson): query is JsonObject =>
  query instanceof JsonObject && query.get('pit') !== undefined;

/** The id of a query's point in time. @throws EngineFailure where it is not of this application. */
export const requirePit = (call: Call, query: JsonObject): string => {
  const pit = query.get('pit')!;
  const plain = toPlain(pit);
  const id = isRecord(plain) ? plain['id'] : undefined;
  if (id === undefined) throw badArgument('point in time id is not provided');
  decode(call, 'pit', id);
  requireKeepAliveOf(pit);
  return id as string;
};

/** A query of a point in time: its sort has a last key that no two records share, which the engines add as well. */
export const withPit = (query: JsonObject): JsonObject =>
  withMembers(query, { pit: undefined, sort: tieBroken(sortOf(query) ?? []) });

/** The keys of a query's sort, the engines' name of the storing order read as ours; undefined where there is none. */
const sortOf = (query: JsonObject): LocatedJson[] | undefined => {
  const sort = query.get('sort');
  if (sort === undefined || (sort.kind === 'literal' && sort.value === null)) return undefined;
  const keys = sort.kind === 'array' ? sort.items : [sort];
  return keys.flatMap((key) =>
    key.kind === 'object'
      ? key.members.map((member) => new JsonObject(key, [{ ...member, key: ourName(member.key) }], key.end))
      : key.kind === 'string' && key.text === '_shard_doc'
        ? [locate('_doc')]
        : [key],
  );
};

const ourName = (field: string) => (field === '_shard_doc' ? '_doc' : field);

/** A sort with the storing order as its last key, unless it has a key that no two records share already. */
const tieBroken = (keys: readonly LocatedJson[]): LocatedJson[] =>
  keys.some((key) => unique.has(fieldOf(key) ?? '')) ? [...keys] : [...keys, locate('_doc')];

const unique = new Set(['_doc', '_id']);

const fieldOf = (key: LocatedJson): string | undefined => {
  if (key.kind === 'string') return key.text;
  return key.kind === 'object' ? key.members[0]?.key : undefined;
};

/** The first page of a scroll. Only it answers aggregations. */
export const openScroll = async (call: Call, query: LocatedJson): Promise<Scroll> => {
  requireScrollKeepAlive(call);
  if (!(query instanceof JsonObject)) return askOne(call, query);
  const from = query.get('from');
  if (from !== undefined && toPlain(from) !== 0)
    throw invalidRequest('using [from] is not allowed in a scroll context');
  const size = query.get('size');
  if (size !== undefined && Number(toPlain(size)) === 0)
    throw invalidRequest('[size] cannot be [0] in a scroll context');
  const tracked = query instanceof JsonObject ? query.get('track_total_hits') : undefined;
  if (tracked !== undefined && ([false, 'false', -1, '-1'] as unknown[]).includes(toPlain(tracked)))
    throw invalidRequest('disabling [track_total_hits] is not allowed in a scroll context');
  const keys = sortOf(query);
  const sort = new JsonArray(query, keys === undefined ? newestFirst() : tieBroken(keys), query.end);
  const sorted = withMembers(query, { sort, track_total_hits: true });
  const answer = await askOne(call, sorted);
  if ('error' in answer) return answer;
  const state = toPlain(withMembers(sorted, { aggs: undefined, aggregations: undefined }));
  const { organizationId, applicationId } = call;
  return page(answer, {
    kind: 'scroll',
    organizationId,
    applicationId,
    query: { ...(state as { [key: string]: PlainJson }), track_total_hits: false },
    shown: keys?.length ?? 0,
    ...(answer.hits.total && { total: { ...answer.hits.total } }),
  });
};

const newestFirst = () => [locate({ ts: 'desc' }), locate({ _doc: 'desc' })];

/** The page after the last one that an id tells of. */
export const nextPage = async (call: Call): Promise<Scroll> => {
  const body = plainBody(call);
  const id = call.params['id'] ?? body['scroll_id'] ?? parameter(call, 'scroll_id');
  if (id === undefined) throw invalidRequest('scrollId is missing');
  const cursor = decode(call, 'scroll', id);
  requireScrollKeepAlive(call, body);
  const answer = await askOne(call, locate(cursor.query));
  if ('error' in answer) return answer;
  const total = cursor.total as typeof answer.hits.total;
  return page({ ...answer, hits: { ...(total && { total }), ...answer.hits } }, cursor);
};

/** A page with the id of the next one; past the end the same id gives the same empty page. */
const page = (answer: Extract<QueryAnswer, { hits: unknown }>, cursor: Cursor): Scroll => {
  const { hits } = answer.hits;
  const after = hits.at(-1)?.sort as PlainJson[] | undefined;
  const query = { ...cursor.query, ...(after && { search_after: after }) };
  const visible = hits.map(({ sort, ...hit }) =>
    cursor.shown! > 0 ? { ...hit, sort: sort!.slice(0, cursor.shown) } : hit,
  );
  return { ...answer, _scroll_id: encode({ ...cursor, query }), hits: { ...answer.hits, hits: visible } };
};
