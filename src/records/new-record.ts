import { createHash } from 'node:crypto';
import { daySeconds } from '#common/time.js';
import { StreamType } from '#entities/enums.js';
import { newRecordId } from '#entities/id.js';
import { largestStreamId } from '#entities/variables.js';
import type { PlainJson } from '#json/json.js';
import { type DecodeReport, decode } from './decode/decode.js';
import type { DecodableVariable } from './decode/layout.js';
import type { AttributeHistory, AttributeReader } from './derive/attribute.js';
import type { Derivation } from './derive/derivation.js';
import { derive, exampleOf, type RecordContent, underive } from './derive/derive.js';
import type { Past } from './derive/past.js';
import { type Item, type ItemFrame, type PlainObject, Rejection } from './item.js';
import type { ProductShape } from './scope/product-shape.js';
import type { RecordDevice } from './stored-record.js';
import { type TypedData, typeData } from './typed-data.js';

/** A record to store. */
export interface NewRecord {
  id: string;
  device: RecordDevice;
  /** Time in Unix seconds, to the microsecond. */
  ts: number;
  metadata: PlainObject;
  data: PlainObject;
  frame?: StoredFrame;
  given?: GivenFields;
  typed: TypedData;
  key?: string;
  /** Hours for which the key counts; 48 by default. */
  keyHours?: number;
  /**
   * Present if formulas read earlier records: the transaction that stores the record computes it. Until then `metadata`
   * and `data` are as sent, and `typed` is empty.
   */
  pending?: PendingRecord;
}

/** The part of a record that waits for what its device measured before. */
export interface PendingRecord {
  /** Data and metadata as sent or decoded. */
  content: RecordContent;
  shape: ProductShape;
  attribute: AttributeReader;
}

/** A frame as it is stored, without a stream if the sender named none. `payload` is hexadecimal. */
export type StoredFrame = { streamId?: number; streamType?: StreamType; payload: string };

/**
 * Fields that came beside a frame, and whether they override the frame's values. Decoding the frame again, and computing
 * derived variables again, need them.
 */
export type GivenFields = {
  wins?: boolean;
  data?: PlainObject;
  /** Names of the product's derived variables when the record was stored. */
  computed?: readonly string[];
};

const earliest = Date.UTC(2000, 0, 1) / 1000;

/** Maximum number of keys of a record's data and metadata, including nested ones. */
const maxKeys = 1000;

/**
 * Creates the record of an item: decodes its frame and types its values.
 * @param now Unix seconds
 * @param arrivedAt milliseconds since 1970: the same for the records of a call, which arrive together
 * @param attributes those that the derived variables of the call's records read
 */
export const createRecord = (
  item: Item,
  device: RecordDevice,
  shape: ProductShape | undefined,
  now: number,
  arrivedAt?: number,
  attributes?: AttributeHistory,
): NewRecord | Rejection => {
  const ts = timeOfItem(item, now);
  if (!(ts >= earliest && ts <= now + daySeconds)) {
    const message = 'must lie between 2000-01-01 and 24 hours from now';
    const fault = { path: item.tsPath ?? 'ts', message };
    return new Rejection('TS_OUT_OF_RANGE', `ts ${message}.`, fault, device.id);
  }
  if (keysLeft(item.metadata, keysLeft(item.data, maxKeys)) < 0) {
    const message = `A record has at most ${maxKeys} keys in data and metadata.`;
    return new Rejection('VALIDATION_FAILED', message, undefined, device.id);
  }
  const attribute = attributes?.at(device.id, ts) ?? noAttribute;
  const sent = contentOf(item, shape?.variables ?? []);
  const pending = shape?.derivation?.earlier && { content: sent, shape, attribute };
  const content = pending ? { ...sent, given: givenOf(sent, shape.derivation!) } : derivedOf(sent, shape, attribute);
  return {
    id: newRecordId(arrivedAt),
    device,
    ts,
    ...content,
    typed: shape && !pending ? typeData(content.data, shape.slots) : {},
    ...(item.key === undefined ? {} : { key: boundedKey(item.key) }),
    ...(item.keyHours === undefined ? {} : { keyHours: item.keyHours }),
    ...(pending && { pending }),
  };
};

/**
 * Returns the values of a record for the catalogue of fields. One that is computed later has an example of each derived
 * variable, and of the reason why it is absent.
 */
export const catalogued = ({ metadata, data, pending }: NewRecord): RecordContent =>
  pending === undefined ? { metadata, data } : exampleOf({ metadata, data }, pending.shape.derivation!);

/** Computes a pending record, of which nothing was read or stored so far. */
export const computePending = (record: NewRecord, { content, shape, attribute }: PendingRecord, past?: Past): void => {
  const { metadata, data } = derive(content, shape.derivation!, attribute, past, record.ts);
  Object.assign(record, { metadata, data, typed: typeData(data, shape.slots) });
};

/** Returns the time of an item's record, to the microsecond. */
export const timeOfItem = ({ ts }: Pick<Item, 'ts'>, now: number): number => Math.round((ts ?? now) * 1e6) / 1e6;

/** Maximum length of a key. PostgreSQL's index takes 2,700 bytes, and identifiers of network servers have any length. */
const longestKey = 300;

const boundedKey = (key: string): string =>
  key.length <= longestKey ? key : `sha256:${createHash('sha256').update(key).digest('base64url')}`;

/**
 * Returns how many of `maxKeys` keys a value leaves. The result is negative if it has more, and counting stops early.
 */
const keysLeft = (value: PlainJson, maxKeys: number): number => {
  if (typeof value !== 'object' || value === null) return maxKeys;
  let left = maxKeys;
  if (Array.isArray(value)) {
    for (const inner of value) if ((left = keysLeft(inner, left)) < 0) return left;
    return left;
  }
  for (const key in value) if (--left < 0 || (left = keysLeft(value[key]!, left)) < 0) return left;
  return left;
};

type Content = Pick<NewRecord, 'metadata' | 'data' | 'frame' | 'given'>;

const contentOf = (
  { metadata, data, dataWins: wins = false, frame }: Item,
  variables: readonly DecodableVariable[],
): Content => {
  if (!frame) return { metadata, data };
  const stored = storedFrame(frame, variables);
  const given: Pick<Content, 'given'> = Object.keys(data).length > 0 ? { given: { wins, data } } : {};
  return { ...given, frame: stored, ...decodeStored(stored, { wins, data }, metadata, variables) };
};

const noAttribute: AttributeReader = () => undefined;

/** Adds the derived variables of the product, and notes their names. */
const derivedOf = (
  content: Content,
  shape: Pick<ProductShape, 'derivation'> | undefined,
  attribute: AttributeReader,
  past?: Past,
  ts?: number,
): Content => {
  const { derivation } = shape ?? {};
  return derivation === undefined
    ? content
    : {
        ...content,
        ...derive(content, derivation, attribute, past, ts),
        given: givenOf(content, derivation),
      };
};

/** Notes the names of the derived variables. Records without other given fields share one object. */
const givenOf = ({ given }: Content, { note }: Derivation): GivenFields => (given ? { ...given, ...note } : note);

/** A record as it was stored. */
interface StoredContent extends RecordContent {
  frame: StoredFrame | null | undefined;
  given: GivenFields | null | undefined;
}

/** The inputs of computing a stored record again, besides its product. */
export interface Computing {
  attribute?: AttributeReader | undefined;
  past?: Past | undefined;
  /** Time of the record in Unix seconds. */
  ts?: number;
  /** Whether its values stay as they were decoded. */
  keepsDecoded?: boolean;
}

/** Returns a stored record as it would be stored today: decoded and computed with the product's present variables. */
export const contentToday = (
  stored: StoredContent,
  { variables, derivation }: Pick<ProductShape, 'variables' | 'derivation'>,
  { attribute = noAttribute, past, ts, keepsDecoded = false }: Computing = {},
): RecordContent & { given: GivenFields | undefined } => {
  const { frame, given } = stored;
  const { computed: _, ...beside } = given ?? {};
  const sent = sentContent(stored);
  const decoded = frame && !keepsDecoded ? decodeStored(frame, beside, sent.metadata, variables) : sent;
  const { given: today, ...content } = derivedOf(
    { ...decoded, ...(Object.keys(beside).length > 0 && { given: beside }) },
    { derivation },
    attribute,
    past,
    ts,
  );
  return { ...content, given: today };
};

/** Returns a stored record without its derived variables. */
export const sentContent = ({
  metadata,
  data,
  given,
}: RecordContent & { given?: GivenFields | null | undefined }): RecordContent =>
  given?.computed === undefined ? { metadata, data } : underive({ metadata, data }, given.computed);

/** Computes the data and metadata of a record with a frame, by the product's variables. */
const decodeStored = (
  frame: StoredFrame,
  given: GivenFields | undefined,
  metadata: PlainObject,
  variables: readonly DecodableVariable[],
): { data: PlainObject; metadata: PlainObject } => {
  if (frame.streamId === undefined) return { data: given?.data ?? {}, metadata };
  const streamType = frame.streamType ?? mappedType(variables, frame.streamId) ?? StreamType.BIN;
  const bytes = Buffer.from(frame.payload, 'hex');
  const decoded = decode({ streamId: frame.streamId, streamType, bytes }, variables);
  return {
    data: given?.wins ? { ...decoded.data, ...given.data } : { ...given?.data, ...decoded.data },
    metadata: { ...metadata, decode: plainReport(decoded.report) },
  };
};

const plainReport = ({ status, warnings }: DecodeReport): PlainObject => ({
  status,
  ...(warnings ? { warnings: warnings.map((warning) => ({ ...warning })) } : {}),
});

const storedFrame = (frame: ItemFrame, variables: readonly DecodableVariable[]): StoredFrame => {
  const payload = frame.bytes.toString('hex');
  if (frame.streamId === undefined) return { payload };
  const streamId = frame.streamId === 'only' ? onlyStream(variables) : frame.streamId;
  const streamType = frame.streamType ?? mappedType(variables, streamId);
  return { streamId, ...(streamType ? { streamType } : {}), payload };
};

/** Returns the stream of a product that has only one, else 1: senders without a concept of streams mean the first. */
const onlyStream = (variables: readonly DecodableVariable[]): number => {
  const streams = new Set(
    variables
      .flatMap(({ mappings }) => (mappings ?? []).map(({ streamId }) => streamId))
      .filter((streamId) => streamId <= largestStreamId),
  );
  const [only] = streams;
  return streams.size === 1 && only !== undefined ? only : 1;
};

/** Returns the type that a product maps for a stream; of several, BIN before RAW before TXT. */
const mappedType = (variables: readonly DecodableVariable[], streamId: number): StreamType | undefined =>
  [StreamType.BIN, StreamType.RAW, StreamType.TXT].find((streamType) =>
    variables.some(({ mappings }) =>
      mappings?.some((mapping) => mapping.streamId === streamId && mapping.streamType === streamType),
    ),
  );
