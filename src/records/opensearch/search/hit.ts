import type { PlainJson } from '../../../json.js';
import type { BoundKey } from '../../../search/hits/bound-sort.js';
import type { FoundRecord } from '../../answer/hit.js';
import type { DocumentSource } from '../document.js';
import type { EngineHit, Part } from '../engine.js';
import type { OlderTypes } from './older-type.js';
import { sortValueOf } from './order.js';

/** What is asked of the engine for each record that is shown. It would have to read a source to give a part of it. */
export const hitParts = {
  _source: true,
  docvalue_fields: ['d', 'p', 'us', 'shape'],
} as const satisfies Part;

/** What is known of a query's hits before they are asked for. */
export interface HitTerms {
  readonly keys: readonly BoundKey[];
  /** The devices that the query leaves. */
  readonly deviceIds: readonly string[];
  readonly older: OlderTypes;
}

/** What is asked for each hit of a query, without what is known of it or stands in its sort values: each value costs the engine time. */
export const hitsOfQuery = ({ keys, deviceIds, older }: HitTerms) => {
  const d = deviceIds.length === 1 ? deviceIds : undefined;
  const moment = keys.length === 0 ? 0 : keys.findIndex(({ type }) => type === 'timestamp');
  const isKnown = { d: d !== undefined, p: false, us: moment >= 0, shape: older.areNone };
  return {
    asked: { ...hitParts, docvalue_fields: hitParts.docvalue_fields.filter((name) => !isKnown[name]) },
    /** A hit with what was not asked for. */
    complete: (hit: EngineHit): EngineHit => ({
      ...hit,
      fields: { ...hit.fields, ...(d && { d }), ...(moment >= 0 && { us: [hit.sort?.[moment]] }) },
    }),
  };
};

/** Bytes of a record as it is held. */
export const weightOf = ({ _source }: EngineHit): number => 200 + (_source?.src?.length ?? 0);

/** A hit of the engine as a record. */
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
