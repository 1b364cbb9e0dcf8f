import { isRecord } from '#http/input.js';
import { JsonObject, type LocatedJson, toPlain } from '#json/json.js';
import type { Call, Handle } from './call.js';
import { bytesOf, missingContext, payloadOf, requireFewIds } from './cursor-id.js';
import { badArgument, invalidRequest } from './error.js';
import { requireKeepAliveOf, requirePitKeepAlive } from './keep-alive.js';
import { sortOf, tieBroken } from './page-sort.js';
import { plainBodyOf, withMembers } from './query.js';

/**
 * Opens a point in time (`_pit`, or `_search/point_in_time` in OpenSearch). Nothing is stored: the identifier names its
 * application, and gives its bearer nothing that a search would not.
 */
export const openPit: Handle = async (call) => {
  requirePitKeepAlive(call);
  const { id: applicationId, organizationId } = await call.load();
  const id = call.cursors.ids.write('pit', bytesOf(organizationId, applicationId));
  const shards = { total: 1, successful: 1, skipped: 0, failed: 0 };
  return { body: { id, pit_id: id, _shards: shards, creation_time: call.clock() } };
};

/** Closes points in time. It only checks their identifiers. */
export const closePit: Handle = async (call) => {
  await call.load();
  const body = plainBodyOf(call);
  const given = [body['id'], body['pit_id']].flat();
  requireFewIds('pit', given);
  const ids = given.filter((id) => id !== undefined);
  if (ids.length === 0) throw invalidRequest('no pit ids specified');
  for (const id of ids) requireOwn(call, id);
  const pits = ids.map((pit_id) => ({ pit_id, successful: true }));
  return { body: { succeeded: true, num_freed: ids.length, pits } };
};

/** Whether a query names a point in time. */
export const isPit = (query: LocatedJson): query is JsonObject =>
  query instanceof JsonObject && query.get('pit') !== undefined;

/**
 * Returns the identifier of a query's point in time.
 * @throws EngineFailure if it belongs to another application
 */
export const requirePit = (call: Call, query: JsonObject): string => {
  const pit = query.get('pit')!;
  const plain = toPlain(pit);
  const id = isRecord(plain) ? plain['id'] : undefined;
  if (id === undefined) throw badArgument('point in time id is not provided');
  requireOwn(call, id);
  requireKeepAliveOf(pit);
  return id as string;
};

const requireOwn = (call: Call, id: unknown): void => {
  const { organizationId, applicationId } = call;
  // If the path names no valid identifier, its bytes differ from those of every application.
  if (!payloadOf(call, 'pit', id).equals(bytesOf(organizationId, applicationId))) throw missingContext(id);
};

/** Prepares a query of a point in time: its sort gets a unique last key, as in the engines. */
export const withPit = (query: JsonObject): JsonObject =>
  withMembers(query, { pit: undefined, sort: tieBroken(sortOf(query) ?? []) });
