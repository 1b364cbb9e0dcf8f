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
  const sent = withKeys(data, derivation.names);
  const measured = withoutKeys(data, derivation.names);
  const { values, absent } = derivation.compute(measured, attribute, past, ts);
  const derived = { ...(Object.keys(sent).length > 0 && { sent }), ...(absent.length > 0 && { absent }) };
  return {
    data: { ...measured, ...values },
    metadata: {
      ...withoutKeys(metadata, ['derived']),
      ...(Object.keys(derived).length > 0 && { derived }),
    },
  };
};

/** Returns what a device sent, of a record to which {@link derive} added the variables `computed`. */
export const underive = ({ metadata, data }: RecordContent, computed: readonly string[]): RecordContent => {
  const { sent } = (metadata['derived'] ?? {}) as { sent?: PlainObject };
  return { data: { ...withoutKeys(data, computed), ...sent }, metadata: withoutKeys(metadata, ['derived']) };
};

const withKeys = (object: PlainObject, keys: readonly string[]): PlainObject =>
  Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(object, key) ? [[key, object[key]!]] : [])));

const withoutKeys = (object: PlainObject, keys: readonly string[]): PlainObject =>
  keys.some((key) => Object.hasOwn(object, key))
    ? Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
    : object;
