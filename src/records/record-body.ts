import { malformed, tooLarge } from '#common/errors.js';
import { StreamType } from '#entities/enums.js';
import { maxItems } from '#entities/ingest-answer.js';
import { serialKey } from '#entities/serial.js';
import { isStorable } from '#entities/storable.js';
import { largestStreamId } from '#entities/variables.js';
import { JsonFault, type PlainJson } from '#json/json.js';
import type { PlainLine } from '#json/plain.js';
import { isPayloadEncoding, readPayload } from './decode/payload.js';
import { type Item, type ItemFrame, type PlainObject, Rejection } from './item.js';

/** The device of a call. Its items need not name the device, and may name no other. */
export interface OneDevice {
  readonly id: string;
  /** Normalized serial: without dashes, in lower case. */
  readonly serialKey: string;
}

/**
 * Reads a native body: one object, an array, or the lines of NDJSON as an array. An invalid item becomes a rejection in
 * its place.
 * @throws ApiError for a body of another form, or with too many records
 */
export const readNative = (body: PlainLine | readonly PlainLine[], of?: OneDevice): (Item | Rejection)[] => {
  if (Array.isArray(body)) {
    if (body.length > maxItems) throw tooLarge(`A call takes at most ${maxItems} records.`);
    return body.map((line) => readItem(line, of));
  }
  if (!isObject(body)) throw malformed('The body must be a record, an array of records, or NDJSON.');
  return [readItem(body, of)];
};

const readItem = (line: PlainLine, of: OneDevice | undefined): Item | Rejection => {
  if (line instanceof JsonFault) return new Rejection('MALFORMED_REQUEST', `Line ${line.line}: ${line.message}.`);
  if (!isObject(line)) return new Rejection('VALIDATION_FAILED', 'A record must be an object.');
  try {
    return itemOf(line, of);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
};

const isObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonFault);

const fail = (message: string): never => {
  throw new Rejection('VALIDATION_FAILED', message);
};

const itemOf = (node: PlainObject, of: OneDevice | undefined): Item => {
  refuseUnknown(node, itemFields, '');
  const { serial, deviceId } = deviceAt(node, of);
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
    // An empty key counts as absent.
    ...(key ? { key } : {}),
  };
};

const deviceAt = (node: PlainObject, of: OneDevice | undefined): { serial?: string; deviceId?: string } => {
  const serial = textAt(node, 'serial', 200);
  const deviceId = textAt(node, 'deviceId', 200);
  if (of === undefined) {
    if ((serial === undefined) === (deviceId === undefined)) fail('Name the device by either serial or deviceId.');
    return { ...(serial !== undefined && { serial }), ...(deviceId !== undefined && { deviceId }) };
  }
  const isOther =
    (serial !== undefined && serialKey(serial) !== of.serialKey) || (deviceId !== undefined && deviceId !== of.id);
  if (isOther) fail('This address takes records of one device, and the record names another.');
  return { deviceId: of.id };
};

const itemFields = new Set(['serial', 'deviceId', 'ts', 'metadata', 'data', 'frame', 'key']);
const frameFields = new Set(['streamId', 'streamType', 'payload', 'encoding']);

const refuseUnknown = (node: PlainObject, allowed: ReadonlySet<string>, prefix: string): void => {
  for (const key in node) if (!allowed.has(key)) fail(`${prefix}${key} is not a field of a record.`);
};

const textAt = (node: PlainObject, name: string, longest: number, prefix = ''): string | undefined => {
  const value = node[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return fail(`${prefix}${name} must be text.`);
  if (value.length > longest && (value.length > 2 * longest || [...value].length > longest))
    return fail(`${prefix}${name} may have at most ${longest} characters.`);
  if (!isStorable(value)) return fail(`${prefix}${name} holds characters that cannot be stored.`);
  return value;
};

const numberAt = (node: PlainObject, name: string, prefix = ''): number | undefined => {
  const value = node[name] ?? undefined;
  if (value === undefined || typeof value === 'number') return value;
  return fail(`${prefix}${name} must be a number.`);
};

const objectAt = (node: PlainObject, name: string): PlainObject | undefined => {
  const value = node[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!isObject(value)) return fail(`${name} must be an object.`);
  return isStorableJson(value, deepest)
    ? value
    : fail(`${name} nests too deep or holds characters that cannot be stored.`);
};

/** Maximum nesting of the values of a record. */
const deepest = 60;

const frameAt = ({ frame: value }: PlainObject): ItemFrame | undefined => {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) return fail('frame must be an object.');
  refuseUnknown(value, frameFields, 'frame.');
  const streamId = numberAt(value, 'streamId', 'frame.');
  const streamType = textAt(value, 'streamType', 10, 'frame.');
  const payload = textAt(value, 'payload', Number.POSITIVE_INFINITY, 'frame.');
  const encoding = textAt(value, 'encoding', 10, 'frame.') ?? 'hex';
  if (streamId === undefined || !Number.isInteger(streamId) || streamId < 0 || streamId > largestStreamId)
    return fail(`frame.streamId must be a whole number from 0 to ${largestStreamId}.`);
  if (!isStreamType(streamType)) return fail('frame.streamType must be BIN, RAW or TXT.');
  if (payload === undefined) return fail('frame.payload is required.');
  if (!isPayloadEncoding(encoding)) return fail('frame.encoding must be hex, base64 or utf8.');
  const bytes = readPayload(payload, encoding);
  if (!bytes) throw new Rejection('BAD_PAYLOAD', `frame.payload is not ${encoding}.`);
  return { streamId, streamType, bytes };
};

const isStreamType = (text: string | undefined): text is StreamType =>
  text !== undefined && Object.hasOwn(StreamType, text);

const isStorableJson = (value: PlainJson, depth: number): boolean => {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((inner) => isStorableJson(inner, depth - 1));
  for (const key in value) if (!isStorable(key) || !isStorableJson(value[key]!, depth - 1)) return false;
  return true;
};
