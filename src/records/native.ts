import { StreamType } from '../entities/enums.js';
import { malformed, tooLarge } from '../errors.js';
import { type JsonObject, type LocatedJson, type PlainJson, toPlain } from '../json.js';
import { isPayloadEncoding, readPayload } from './decode/payload.js';
import { type Item, type ItemFrame, type PlainObject, Rejection } from './item.js';

/** Items in one call. */
export const maxItems = 10_000;

/**
 * Reads a native body: one object, an array, or the lines of NDJSON as an array. An item that is wrong becomes a rejection in
 * its place; only a body that is neither is refused whole.
 */
export const readNative = (body: LocatedJson): (Item | Rejection)[] => {
  if (body.kind === 'object') return [readItem(body)];
  if (body.kind !== 'array') throw malformed('The body must be a record, an array of records, or NDJSON.');
  if (body.items.length > maxItems) throw tooLarge(`A call takes at most ${maxItems} records.`);
  return body.items.map(readItem);
};

const readItem = (node: LocatedJson): Item | Rejection => {
  if (node.kind === 'fault') return new Rejection('MALFORMED_REQUEST', `Line ${node.line}: ${node.message}.`);
  if (node.kind !== 'object') return new Rejection('VALIDATION_FAILED', 'A record is an object.');
  try {
    return itemOf(node);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
};

const fail = (message: string): never => {
  throw new Rejection('VALIDATION_FAILED', message);
};

const itemOf = (node: JsonObject): Item => {
  refuseUnknown(node, itemFields, '');
  const serial = textAt(node, 'serial', 200);
  const deviceId = textAt(node, 'deviceId', 200);
  if ((serial === undefined) === (deviceId === undefined)) fail('Name the device by either serial or deviceId.');
  const ts = numberAt(node, 'ts');
  const key = textAt(node, 'key', 200);
  const frame = frameAt(node);
  const data = objectAt(node, 'data');
  if (!frame && !data) fail('data or frame is required.');
  return {
    serials: serial === undefined ? [] : [serial],
    ...(deviceId === undefined ? {} : { deviceId }),
    // A number of 1e11 or more is in milliseconds: in seconds it would lie beyond the year 5000.
    ...(ts === undefined ? {} : { ts: ts >= 1e11 ? ts / 1000 : ts }),
    metadata: objectAt(node, 'metadata') ?? {},
    data: data ?? {},
    dataWins: true,
    ...(frame ? { frame } : {}),
    ...(key === undefined ? {} : { key }),
  };
};

const itemFields = new Set(['serial', 'deviceId', 'ts', 'metadata', 'data', 'frame', 'key']);
const frameFields = new Set(['streamId', 'streamType', 'payload', 'encoding']);

const refuseUnknown = (node: JsonObject, known: ReadonlySet<string>, prefix: string): void => {
  for (const { key } of node.members) if (!known.has(key)) fail(`${prefix}${key} is not a field of a record.`);
};

/** The value of a field; undefined where it is absent or null. */
const valueAt = (node: JsonObject, name: string): LocatedJson | undefined => {
  const value = node.get(name);
  return value?.kind === 'literal' && value.value === null ? undefined : value;
};

const textAt = (node: JsonObject, name: string, longest: number, prefix = ''): string | undefined => {
  const value = valueAt(node, name);
  if (!value) return undefined;
  if (value.kind !== 'string') return fail(`${prefix}${name} must be text.`);
  if (value.text.length > longest) return fail(`${prefix}${name} may have at most ${longest} characters.`);
  if (!isStorable(value.text)) return fail(`${prefix}${name} holds characters that cannot be stored.`);
  return value.text;
};

const numberAt = (node: JsonObject, name: string, prefix = ''): number | undefined => {
  const value = valueAt(node, name);
  if (!value) return undefined;
  return value.kind === 'number' ? Number(value.text) : fail(`${prefix}${name} must be a number.`);
};

const objectAt = (node: JsonObject, name: string): PlainObject | undefined => {
  const value = valueAt(node, name);
  if (!value) return undefined;
  if (value.kind !== 'object') return fail(`${name} must be an object.`);
  const plain = toPlain(value);
  return isStorableJson(plain) ? (plain as PlainObject) : fail(`${name} holds characters that cannot be stored.`);
};

const frameAt = (node: JsonObject): ItemFrame | undefined => {
  const value = valueAt(node, 'frame');
  if (!value) return undefined;
  if (value.kind !== 'object') return fail('frame must be an object.');
  refuseUnknown(value, frameFields, 'frame.');
  const streamId = numberAt(value, 'streamId', 'frame.');
  const streamType = textAt(value, 'streamType', 10, 'frame.');
  const payload = textAt(value, 'payload', Number.POSITIVE_INFINITY, 'frame.');
  const encoding = textAt(value, 'encoding', 10, 'frame.') ?? 'hex';
  if (streamId === undefined || !Number.isInteger(streamId) || streamId < 1 || streamId > 255)
    return fail('frame.streamId must be a whole number from 1 to 255.');
  if (!isStreamType(streamType)) return fail('frame.streamType must be BIN, RAW or TXT.');
  if (payload === undefined) return fail('frame.payload is required.');
  if (!isPayloadEncoding(encoding)) return fail('frame.encoding must be hex, base64 or utf8.');
  const bytes = readPayload(payload, encoding);
  if (!bytes) throw new Rejection('BAD_PAYLOAD', `frame.payload is not ${encoding}.`);
  return { streamId, streamType, bytes };
};

const isStreamType = (text: string | undefined): text is StreamType =>
  text !== undefined && Object.hasOwn(StreamType, text);

/** Whether PostgreSQL can hold a text: no NUL, no lone surrogates. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const isStorableJson = (value: PlainJson): boolean => {
  if (typeof value === 'string') return isStorable(value);
  if (Array.isArray(value)) return value.every(isStorableJson);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner));
  return true;
};
