import { isRecord } from '#http/input.js';
import {
  JsonArray,
  JsonFault,
  JsonObject,
  JsonSyntaxError,
  type LocatedJson,
  locate,
  type PlainJson,
  toPlain,
} from '#json/json.js';
import { parseJson } from '#json/reader.js';
import type { QueryAnswer } from '#records/record-index.js';
import { type Call, isSet, listParameter, parameter } from './call.js';
import { badArgument } from './error.js';
import { requireInteger, requireTime } from './parameter.js';

const nowhere = { line: 0, col: 0 };

/** An object without members. */
export const emptyObject = new JsonObject(nowhere, [], nowhere);

/**
 * Returns the query of a call: its body or its parameter `source`, with the parameters of the query string. Those
 * override the body, as in the engines. Invalid JSON becomes a fault node, which fails the query.
 */
export const queryOf = (call: Call): LocatedJson => {
  const body = bodyOf(call);
  if (!(body instanceof JsonObject)) return body;
  return withMembers(body, fromParameters(call));
};

/** Parses the body of a call as JSON. Returns an empty object without a body. */
export const bodyOf = (call: Call): LocatedJson => {
  const text = call.text.trim() === '' ? (parameter(call, 'source') ?? '') : call.text;
  if (text.trim() === '') return emptyObject;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return new JsonFault(error, error.message, error.isCutOff);
    throw error;
  }
};

/**
 * Returns the members of a body that is an object, and none of other bodies.
 * @throws EngineFailure 400 for invalid JSON
 */
export const plainBodyOf = (call: Call): Readonly<Record<string, PlainJson>> => {
  const body = bodyOf(call);
  if (body.kind === 'fault') throw badArgument('Failed to parse request body');
  const plain = body instanceof JsonObject ? toPlain(body) : {};
  return isRecord(plain) ? (plain as Record<string, PlainJson>) : {};
};

/** Sets members of an object to plain values or nodes. `undefined` removes a member. */
export const withMembers = (object: JsonObject, members: Readonly<Record<string, unknown>>): JsonObject => {
  const kept = object.members.filter(({ key }) => !Object.hasOwn(members, key));
  const added = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, ...nowhere, value: locate(value) }));
  return new JsonObject(object, [...kept, ...added], object.end, object.repeated);
};

/** URL parameters with the same name and meaning as a key of a query. */
const scalars = ['size', 'from', 'timeout', 'track_total_hits', 'track_scores', 'version'];
const lists = ['docvalue_fields', 'stored_fields'];

const fromParameters = (call: Call): Record<string, PlainJson> => {
  requireInteger(call, 'size');
  requireInteger(call, 'from');
  requireInteger(call, 'track_total_hits', ['', 'true', 'false']);
  requireTime(call, 'timeout');
  const given: Record<string, PlainJson> = {};
  for (const name of scalars) {
    const value = parameter(call, name);
    // A parameter without a value is `true`.
    if (value !== undefined) given[name] = value === '' ? true : value;
  }
  for (const name of lists) {
    const items = listParameter(call, name);
    if (items !== undefined) given[name] = items;
  }
  const sort = listParameter(call, 'sort');
  if (sort !== undefined) given['sort'] = sort.map(sortKey);
  const source = sourceFilter(call);
  if (source !== undefined) given['_source'] = source;
  const text = parameter(call, 'q');
  if (text !== undefined) given['query'] = { query_string: { query: text, ...queryStringOptions(call) } };
  return given;
};

const sortKey = (text: string): PlainJson => {
  const [, field, order] = /^(.+):(asc|desc)$/.exec(text) ?? [];
  return field === undefined ? text : { [field]: order! };
};

const sourceFilter = (call: Call): PlainJson | undefined => {
  const includes = listParameter(call, '_source_includes') ?? listParameter(call, '_source_include');
  const excludes = listParameter(call, '_source_excludes') ?? listParameter(call, '_source_exclude');
  const source = listParameter(call, '_source');
  const [only] = source ?? [];
  if (source?.length === 1 && (only === 'true' || only === 'false')) {
    if (only === 'false' || (includes === undefined && excludes === undefined)) return only === 'true';
  }
  if (includes === undefined && excludes === undefined) return source;
  return { includes: includes ?? [], excludes: excludes ?? [] };
};

const queryStringOptions = (call: Call): Record<string, PlainJson> => ({
  ...option(call, 'df', 'default_field'),
  ...option(call, 'default_operator', 'default_operator'),
  ...(isSet(call, 'analyze_wildcard') && { analyze_wildcard: true }),
  ...(isSet(call, 'lenient') && { lenient: true }),
});

const option = (call: Call, name: string, key: string): Record<string, PlainJson> => {
  const value = parameter(call, name);
  return value === undefined ? {} : { [key]: value };
};

/** Runs one query over the application of a call. */
export const askOne = async (call: Call, query: LocatedJson): Promise<QueryAnswer> => {
  const [answer] = await askAll(call, new JsonArray(nowhere, [emptyObject, query], nowhere));
  return answer!;
};

/** Runs the pairs of headers and queries of a multi-search. */
export const askAll = async (call: Call, lines: LocatedJson): Promise<QueryAnswer[]> => {
  const ask = call.search.prepareMulti(lines);
  await call.load();
  const { organizationId, applicationId, context } = call;
  const { responses } = await ask({
    organizationId,
    applicationId,
    position: context.position,
    signal: context.signal,
  });
  return responses;
};
