import { JsonArray, JsonObject, type LocatedJson, locate, type PlainJson, toPlain } from '#json/json.js';
import type { QueryAnswer } from '#records/record-index.js';
import { type Call, type Handle, parameter } from './call.js';
import { bytesOf, missingContext, payloadOf, requireFewIds, uuidOf } from './cursor-id.js';
import { badArgument, EngineFailure, invalidRequest } from './error.js';
import { scrollKeepAlive } from './keep-alive.js';
import { sortOf, tieBroken } from './page-sort.js';
import { askOne, plainBodyOf, withMembers } from './query.js';
import { maxOpenScrolls, maxScrollQuery, type Scroll } from './scroll-table.js';

type Answer = Extract<QueryAnswer, { hits: unknown }>;

/** A response with the identifier of its scroll. */
export type ScrollAnswer = QueryAnswer & { readonly _scroll_id?: string };

/** Returns the first page of a scroll and opens the scroll. Only this page answers aggregations. */
export const openScroll = async (call: Call, query: LocatedJson): Promise<ScrollAnswer> => {
  const keepAlive = scrollKeepAlive(call) ?? 0;
  if (!(query instanceof JsonObject)) return askOne(call, query);
  requireScrollable(query);
  const keys = sortOf(query);
  const sort = new JsonArray(query, keys === undefined ? newestFirst() : tieBroken(keys), query.end);
  const sorted = withMembers(query, { sort, track_total_hits: true });
  const state = toPlain(withMembers(sorted, { aggs: undefined, aggregations: undefined }));
  if (JSON.stringify(state).length > maxScrollQuery)
    throw badArgument('The query is too long for a scroll; use search_after.');
  const answer = await askOne(call, sorted);
  if ('error' in answer) return answer;
  const scroll: Scroll = {
    query: { ...(state as { [key: string]: PlainJson }), track_total_hits: false },
    shown: keys?.length ?? 0,
    position: positionAfter(answer),
    ...(answer.hits.total && { total: { ...answer.hits.total } }),
  };
  const id = await call.cursors.scrolls.open(call, scroll, keepAlive);
  if (id === undefined) throw tooManyScrolls();
  return scrollPage(answer, scroll, call.cursors.ids.write('scroll', bytesOf(id)));
};

/** @throws EngineFailure 400 for options that scrolls cannot have */
const requireScrollable = (query: JsonObject): void => {
  const from = query.get('from');
  if (from !== undefined && toPlain(from) !== 0)
    throw invalidRequest('using [from] is not allowed in a scroll context');
  const size = query.get('size');
  if (size !== undefined && Number(toPlain(size)) === 0)
    throw invalidRequest('[size] cannot be [0] in a scroll context');
  const tracked = query.get('track_total_hits');
  if (tracked !== undefined && ([false, 'false', -1, '-1'] as unknown[]).includes(toPlain(tracked)))
    throw invalidRequest('disabling [track_total_hits] is not allowed in a scroll context');
};

const newestFirst = () => [locate({ ts: 'desc' }), locate({ _doc: 'desc' })];

const tooManyScrolls = () =>
  new EngineFailure(
    429,
    'rejected_execution_exception',
    `Trying to create too many scroll contexts. Must be less than or equal to: [${maxOpenScrolls}]. This limit can be set by changing the [search.max_open_scroll_context] setting.`,
    { ofShard: true },
  );

/**
 * Maximum number of attempts to get a page while concurrent calls move the same scroll. Up to this many concurrent
 * calls each get a page of their own.
 */
const maxTries = 5;

/**
 * Returns the next page of a scroll and moves its position, whichever process serves it. If another call has moved it
 * meanwhile, reads the page again from there. Without `scroll` this page is the last one, as in the engines.
 */
export const nextPage = async (call: Call): Promise<ScrollAnswer> => {
  const body = plainBodyOf(call);
  const given = call.params['id'] ?? body['scroll_id'] ?? parameter(call, 'scroll_id');
  if (given === undefined) throw invalidRequest('scrollId is missing');
  const id = uuidOf(payloadOf(call, 'scroll', given));
  const keepAlive = scrollKeepAlive(call, body);
  await call.load();
  const { scrolls } = call.cursors;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const scroll = await scrolls.find(call, id);
    if (scroll === undefined) throw missingContext(given);
    const { query, total, position } = scroll;
    const answer = await askOne(call, locate({ ...query, ...(position && { search_after: position }) }));
    if ('error' in answer) return answer;
    const moved =
      keepAlive === undefined
        ? await scrolls.finish(id, scroll)
        : await scrolls.advance(id, scroll, positionAfter(answer) ?? position, keepAlive);
    const counted = total as typeof answer.hits.total;
    const hits = { ...(counted && { total: counted }), ...answer.hits };
    if (moved) return scrollPage({ ...answer, hits }, scroll, given as string);
  }
  throw new EngineFailure(
    409,
    'version_conflict_engine_exception',
    'Another request reads this scroll at the same time. Request one page after the other.',
  );
};

const positionAfter = ({ hits }: Answer): PlainJson[] | undefined => hits.hits.at(-1)?.sort as PlainJson[] | undefined;

/** Builds a page. Its hits show the requested sort values only. */
const scrollPage = (answer: Answer, { shown }: Scroll, id: string): ScrollAnswer => {
  const hits = answer.hits.hits.map(({ sort, ...hit }) => (shown > 0 ? { ...hit, sort: sort!.slice(0, shown) } : hit));
  return { ...answer, _scroll_id: id, hits: { ...answer.hits, hits } };
};

/** Ends the named scrolls of the application, or all of them for `_all`. The status is 404 if none existed. */
export const closeScroll: Handle = async (call) => {
  await call.load();
  const named = [call.params['id'], parameter(call, 'scroll_id')].map((text) => text?.split(','));
  const given = [named, plainBodyOf(call)['scroll_id']].flat(2).filter((id) => id !== undefined);
  requireFewIds('scroll', given);
  if (given.length === 0) throw invalidRequest('no scroll ids specified');
  const ids = given.filter((id) => id !== '_all').map((id) => uuidOf(payloadOf(call, 'scroll', id)));
  const freed = await call.cursors.scrolls.free(call, given.includes('_all') ? 'all' : ids);
  return { status: freed === 0 ? 404 : 200, body: { succeeded: true, num_freed: freed } };
};
