import { dayMs } from '#common/time.js';
import { JsonObject, type LocatedJson, type PlainJson } from '#json/json.js';
import { type Call, parameter } from './call.js';
import { badArgument, EngineFailure, invalidRequest } from './error.js';
import { millisOf } from './parameter.js';

/*
 * Reads how long scrolls and points in time are kept. Nothing is stored for points in time. Values that the engines
 * refuse are refused here too, so that a program shows its fault here first.
 */

/** The engines' default maximum in milliseconds: a day. */
const longest = dayMs;

/**
 * Checks `keep_alive` of a new point in time.
 * @throws EngineFailure 400 if it is missing, not a time value, or more than a day
 */
export const requirePitKeepAlive = (call: Call): void => {
  const value = parameter(call, 'keep_alive');
  if (value === undefined) throw invalidRequest('keep alive not specified');
  const millis = millisOf(value, 'keep_alive');
  if (millis > longest) throw badArgument(tooLong(millis, 'point_in_time'));
};

/**
 * Returns `scroll` of a search, or of a body that asks for the next page, in milliseconds; undefined without one.
 * @throws EngineFailure 400 if it is not a time value, or more than a day
 */
export const scrollKeepAlive = (call: Call, body: Readonly<Record<string, PlainJson>> = {}): number | undefined => {
  const value = body['scroll'] ?? parameter(call, 'scroll');
  if (value === undefined) return undefined;
  if (typeof value !== 'string')
    throw badArgument('Unknown parameter [scroll] in request body or parameter is of the wrong type');
  const millis = millisOf(value, 'scroll');
  requireOnShard(millis, 'search');
  return millis;
};

/**
 * Checks `keep_alive` of the point in time in a query.
 * @throws EngineFailure 400 if it is not a time value, or more than a day
 */
export const requireKeepAliveOf = (pit: LocatedJson): void => {
  const value = pit instanceof JsonObject ? pit.get('keep_alive') : undefined;
  if (value === undefined) return;
  const place = `[${value.line}:${value.col}] [pit] `;
  const refuse = (fault: string, causedBy?: { type: string; reason: string }) =>
    new EngineFailure(400, 'x_content_parse_exception', place + fault, { causedBy });
  if (value.kind !== 'string') throw refuse("keep_alive doesn't support values of this type");
  let millis: number;
  try {
    millis = millisOf(value.text, 'keep_alive');
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    throw refuse('failed to parse field [keep_alive]', error.toCause());
  }
  requireOnShard(millis, 'point_in_time');
};

const requireOnShard = (millis: number, kind: string): void => {
  if (millis > longest)
    throw new EngineFailure(400, 'illegal_argument_exception', tooLong(millis, kind), { ofShard: true });
};

const tooLong = (millis: number, kind: string): string =>
  `Keep alive for request (${daysOf(millis)}) is too large. It must be less than (1d). This limit can be set by changing the [${kind}.max_keep_alive] cluster level setting.`;

/** Formats days as the engines do: with one truncated decimal, and none if it is 0. */
const daysOf = (millis: number): string => `${Math.floor((millis / longest) * 10) / 10}d`;
