import type { PlainJson } from '#json/json.js';
import type { BoundKey } from '#search/hits/bound-sort.js';
import { type ShownField, shownFields } from '#search/hits/shown-field.js';
import { type SourceFilter, sourceFilter } from '#search/hits/source-filter.js';
import type { Hit } from '../record-index.js';
import { type AnswerDevices, deviceJson } from './device-answer.js';

/** Unit of times in answers: seconds in the API, milliseconds in the engines. */
export type Times = 'seconds' | 'millis';

/** A record as a store reads it for an answer. */
export interface FoundRecord {
  readonly id: string;
  /** Time of measurement in Unix seconds, to the microsecond. */
  readonly ts: number;
  readonly deviceId: string;
  readonly productId: string | null;
  readonly metadata: () => PlainJson;
  readonly data: () => PlainJson;
  /** Undefined without a frame. */
  readonly frame: (() => PlainJson) | undefined;
  /** Paths of values that are in no field. */
  readonly ignored: readonly string[];
  /** Sort values: times in seconds, whole numbers beyond 2^53 as text. */
  readonly sort: readonly unknown[];
  /** Names of the query's clauses that match the record; undefined without named clauses. */
  readonly matched?: readonly string[] | undefined;
}

/** Parts of a record that hits show. */
export interface HitShape {
  /** Sort keys; empty if hits show no sort values. */
  readonly sort: readonly BoundKey[];
  readonly source: SourceFilter;
  readonly fields: readonly ShownField[];
  /** Unit of `ts`, in the source and in sort values. */
  readonly times: Times;
  readonly organizationId: string;
}

/** Creates the function that turns a record into a hit. */
export const hitOf = ({ sort, source, fields, times, organizationId }: HitShape) => {
  const filter = sourceFilter(source);
  const pick = shownFields(fields);
  const factor = times === 'millis' ? 1000 : 1;
  return (record: FoundRecord, devices: AnswerDevices): Hit => {
    const hit: Hit = { _index: 'records', _id: record.id, _score: null };
    if (record.ignored.length > 0) hit._ignored = [...record.ignored];
    if (source !== false || fields.length > 0) {
      const whole = sourceOf(record, devices, organizationId, factor);
      const shown = filter(whole);
      if (shown !== undefined) hit._source = shown;
      const picked = pick(whole, momentOf(record.ts, 1000), record.ignored);
      if (picked !== undefined) hit.fields = picked;
    }
    if (sort.length > 0) hit.sort = sort.map((key, index) => sortValue(key, record.sort[index], factor));
    if (record.matched?.length) hit.matched_queries = [...record.matched];
    return hit;
  };
};

const sourceOf = (
  { ts, deviceId, productId, metadata, data, frame }: FoundRecord,
  devices: AnswerDevices,
  organizationId: string,
  factor: number,
) => ({
  ts: momentOf(ts, factor),
  metadata: metadata(),
  data: data(),
  ...(frame !== undefined && { frame: frame() }),
  device: deviceJson(devices, deviceId, productId, organizationId),
});

/** Converts to seconds (to the microsecond) or whole milliseconds. */
const momentOf = (seconds: number, factor: number): number =>
  factor === 1 ? seconds : Math.floor(Math.round(seconds * 1e6) / 1000);

/**
 * Converts to seconds or milliseconds, both to the microsecond: a truncated cursor would skip records on the next page.
 */
const cursorOf = (seconds: number, factor: number): number =>
  factor === 1 ? momentOf(seconds, factor) : Math.round(seconds * 1e6) / 1000;

/** Formats a sort value: `ts` in the chosen unit, infinities as words, whole numbers exactly. */
const sortValue = ({ kind, type }: BoundKey, raw: unknown, factor: number): unknown => {
  if (raw === null || type === 'text') return raw;
  const number = Number(raw);
  if (type === 'timestamp') return cursorOf(number, factor);
  if (kind === 'double') return Number.isFinite(number) ? number : `${number}`;
  if (Math.abs(number) === Infinity) return number > 0 ? '9223372036854775807' : '-9223372036854775808';
  return type === 'long' && !Number.isSafeInteger(number) ? raw : number;
};
