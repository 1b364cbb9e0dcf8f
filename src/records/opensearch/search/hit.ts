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

/** Bytes of a record as it is held. */
export const weightOf = ({ _source }: EngineHit): number => 200 + (_source?.src?.length ?? 0);

/** A hit of the engine as a record. */
export const recordOfHit = (
  { _id, _source, fields, sort = [] }: EngineHit,
  keys: readonly BoundKey[],
  older: OlderTypes,
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
  };
};

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
