import type { Call } from './call.js';
import { badArgument, EngineFailure } from './error.js';

/** Things that an identifier stands for. */
export type CursorKind = 'pit' | 'scroll';

/** Identifiers in one call: as many as an organization has scrolls open. */
const maxIds = 500;

/** Identifiers are written as bytes: of a scroll that of its row, of a point in time those of organization and application. */
export const bytesOf = (...ids: readonly string[]): Buffer => Buffer.from(ids.join('').replaceAll('-', ''), 'hex');

/** Bytes of one UUID. */
export const idLength = 16;

/** A UUID from its bytes. */
export const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Reads the payload of an identifier. @throws EngineFailure 400 for what no key of this service signed as one of this kind */
export const payloadOf = ({ cursors }: Pick<Call, 'cursors'>, kind: CursorKind, id: unknown): Buffer => {
  const length = kind === 'scroll' ? idLength : 2 * idLength;
  const payload = typeof id === 'string' ? cursors.ids.read(kind, id, length) : undefined;
  if (payload !== undefined) return payload;
  throw badArgument(kind === 'scroll' ? 'Cannot parse scroll id' : `invalid id: [${shorten(id)}]`);
};

/** @throws EngineFailure 400 where there are more identifiers than one call may have */
export const requireFewIds = (kind: CursorKind, ids: readonly unknown[]): void => {
  if (ids.length > maxIds) throw badArgument(`Too many ${kind} ids: at most ${maxIds} in one request`);
};

/** 404: there is no such scroll or point in time, or no longer. */
export const missingContext = (id: unknown) =>
  new EngineFailure(404, 'search_context_missing_exception', `No search context found for id [${shorten(id)}]`, {
    ofShard: true,
  });

const shorten = (id: unknown): string => (typeof id === 'string' ? id.slice(0, 40) : '');
