import type { Call } from './call.js';
import { badArgument, EngineFailure } from './error.js';

/** Kinds of identifiers. */
export type CursorKind = 'pit' | 'scroll';

/** Maximum number of identifiers in one call: the number of scrolls that an organization may have open. */
const maxIds = 500;

/**
 * Encodes UUIDs as bytes. The identifier of a scroll holds the UUID of the scroll's row. The identifier of a point in
 * time holds the UUIDs of the organization and the application.
 */
export const bytesOf = (...ids: readonly string[]): Buffer => Buffer.from(ids.join('').replaceAll('-', ''), 'hex');

/** Number of bytes of one UUID. */
export const idLength = 16;

/** Decodes a UUID from its bytes. */
export const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * Reads the payload of an identifier.
 * @throws EngineFailure 400 if no key of this service signed it as one of this kind
 */
export const payloadOf = ({ cursors }: Pick<Call, 'cursors'>, kind: CursorKind, id: unknown): Buffer => {
  const length = kind === 'scroll' ? idLength : 2 * idLength;
  const payload = typeof id === 'string' ? cursors.ids.read(kind, id, length) : undefined;
  if (payload !== undefined) return payload;
  throw badArgument(kind === 'scroll' ? 'Cannot parse scroll id' : `invalid id: [${shorten(id)}]`);
};

/** @throws EngineFailure 400 for more identifiers than one call may have */
export const requireFewIds = (kind: CursorKind, ids: readonly unknown[]): void => {
  if (ids.length > maxIds) throw badArgument(`Too many ${kind} ids: at most ${maxIds} in one request`);
};

/** 404: the scroll or point in time does not exist, or no longer does. */
export const missingContext = (id: unknown) =>
  new EngineFailure(404, 'search_context_missing_exception', `No search context found for id [${shorten(id)}]`, {
    ofShard: true,
  });

const shorten = (id: unknown): string => (typeof id === 'string' ? id.slice(0, 40) : '');
