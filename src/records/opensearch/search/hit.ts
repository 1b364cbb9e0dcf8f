import type { PlainJson } from '#json/json.js';
import type { FoundRecord } from '#records/answer/hit.js';
import type { BoundKey } from '#search/hits/bound-sort.js';
import type { DocumentSource } from '../document.js';
import type { EngineHit, Part } from '../engine.js';
import { sortValueOf } from './engine-sort.js';
import type { OlderTypes } from './older-type.js';

/**
 * Content requested for each record shown. The engine would have to parse the source in order to return only a part of
 * it.
 */
export const hitParts = {
  _source: true,
  docvalue_fields: ['d', 'p', 'us', 'shape'],
} as const satisfies Part;

/** Facts about a query's hits that are known before the request. */
export interface HitTerms {
  readonly keys: readonly BoundKey[];
  /** Devices that match the query. */
  readonly deviceIds: readonly string[];
  readonly older: OlderTypes;
}

/**
 * Returns the content requested for each hit of a query, without values that are already known or part of the sort
 * values: each value costs the engine time.
 */
export const hitsOfQuery = ({ keys, deviceIds, older }: HitTerms) => {
  const d = deviceIds.length === 1 ? deviceIds : undefined;
  const timeKey = keys.length === 0 ? 0 : keys.findIndex(({ type }) => type === 'timestamp');
  const isKnown = { d: d !== undefined, p: false, us: timeKey >= 0, shape: older.areNone };
  return {
    asked: { ...hitParts, docvalue_fields: hitParts.docvalue_fields.filter((name) => !isKnown[name]) },
    /** Adds the values that were not requested to a hit. */
    complete: (hit: EngineHit): EngineHit => ({
      ...hit,
      fields: { ...hit.fields, ...(d && { d }), ...(timeKey >= 0 && { us: [hit.sort?.[timeKey]] }) },
    }),
  };
};

/** Returns the bytes of a record in memory. */
export const weightOf = ({ _source }: EngineHit): number => 200 + (_source?.src?.length ?? 0);

/** Converts a hit of the engine to a record. */
export const recordOfHit = (
  { _id, _source, fields, sort = [], matched_queries: matched = [] }: EngineHit,
  keys: readonly BoundKey[],
  { older, names }: { readonly older: OlderTypes; readonly names: readonly string[] },
): FoundRecord => {
  const source = once(() => JSON.parse(_source?.src ?? '{}') as Partial<DocumentSource>);
  const first = (name: string) => fields?.[name]?.[0];
  const ignored = [_source?.ig ?? []].flat();
  const stale = older.pathsIn(first('shape') as number | undefined, source().data ?? {});
  const hasFrame = source().frame !== undefined;
  return {
    id: _id,
    ts: Number(first('us')) / 1e6,
    deviceId: first('d') as string,
    productId: (first('p') as string | undefined) ?? null,
    metadata: () => (source().metadata ?? {}) as PlainJson,
    data: () => (source().data ?? {}) as PlainJson,
    frame: hasFrame ? () => source().frame as PlainJson : undefined,
    ignored: [...new Set([...ignored, ...(source().stale ?? []), ...stale])],
    sort: keys.map((key, index) => sortValueOf(key, sort[index])),
    matched: matched
      .map(Number)
      .toSorted((a, b) => a - b)
      .map((index) => names[index]!),
  };
};

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
