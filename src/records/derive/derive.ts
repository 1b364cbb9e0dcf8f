import type { PlainObject } from '../item.js';
import type { AttributeReader } from './attribute.js';
import type { Derivation } from './derivation.js';
import type { Past } from './past.js';

/** Data and metadata of a record. */
export interface RecordContent {
  metadata: PlainObject;
  data: PlainObject;
}

/**
 * Adds the derived variables to what a device sent. A value that the device sent under the name of one moves to
 * `metadata.derived.sent`; why a value is absent stands in `metadata.derived.absent`.
 */
export const derive = (
  { metadata, data }: RecordContent,
  derivation: Derivation,
  attribute: AttributeReader,
  past?: Past,
  ts?: number,
): RecordContent => {
  const isSent = hasAny(data, derivation.names);
  const measured = isSent ? withoutKeys(data, derivation.names) : data;
  const { values, absent } = derivation.compute(measured, attribute, past, ts);
  const own = withoutKeys(metadata, ['derived']);
  if (!isSent && absent.length === 0) return { data: { ...measured, ...values }, metadata: own };
  const derived = { ...(isSent && { sent: withKeys(data, derivation.names) }), ...(absent.length > 0 && { absent }) };
  return { data: { ...measured, ...values }, metadata: { ...own, derived } };
};

/** Returns what a device sent with an example of each field that {@link derive} may add. */
export const exampleOf = ({ metadata, data }: RecordContent, { names, examples }: Derivation): RecordContent => {
  const derived = {
    ...(hasAny(data, names) && { sent: withKeys(data, names) }),
    absent: [{ variable: '', code: '', input: '' }],
  };
  return { data: { ...data, ...examples }, metadata: { ...metadata, derived } };
};

/** Returns what a device sent, of a record to which {@link derive} added the variables `computed`. */
export const underive = ({ metadata, data }: RecordContent, computed: readonly string[]): RecordContent => {
  const { sent } = (metadata['derived'] ?? {}) as { sent?: PlainObject };
  return { data: { ...withoutKeys(data, computed), ...sent }, metadata: withoutKeys(metadata, ['derived']) };
};

const withKeys = (object: PlainObject, keys: readonly string[]): PlainObject =>
  Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(object, key) ? [[key, object[key]!]] : [])));

const hasAny = (object: PlainObject, keys: readonly string[]): boolean =>
  keys.some((key) => Object.hasOwn(object, key));

const withoutKeys = (object: PlainObject, keys: readonly string[]): PlainObject =>
  hasAny(object, keys) ? Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key))) : object;
