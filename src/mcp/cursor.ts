import { createHash } from 'node:crypto';
import { invalid } from '#common/errors.js';

/** Signs texts and checks their signatures, so that a forged text is never interpreted. */
export interface Signs {
  write(kind: string, payload: Buffer): string;
  read(kind: string, text: string, length: number): Buffer | undefined;
}

/** Writes and reads the cursors of one call. A cursor holds the position at which the answer continues. */
export interface CallCursors {
  write(position: string): string;
  /** @throws invalid when the cursor is not one of this call. */
  read(cursor: string): string;
}

/** Maximum length of a cursor, in characters. */
export const maxCursor = 8192;

/** Number of bytes of a signature (HMAC-SHA-256). */
const signature = 32;

/**
 * Creates the cursors of a call. The signature covers the tool, the organization and the arguments, so a cursor is
 * valid only for the call that it continues.
 */
export function createCallCursors(
  signs: Signs,
  { tool, organizationId, args }: { tool: string; organizationId: string; args: unknown },
): CallCursors {
  let made: string | undefined;
  // Made only for a call that has a cursor or gets one: arguments may have thousands of values.
  const kind = () =>
    (made ??= `mcp ${tool} ${organizationId} ${createHash('sha256').update(stable(args)).digest('base64url')}`);
  return {
    write: (position) => signs.write(kind(), Buffer.from(position)),
    read(cursor) {
      const length = Math.floor((cursor.length * 3) / 4) - signature;
      const position = length < 0 ? undefined : signs.read(kind(), cursor, length);
      if (position !== undefined) return position.toString();
      const message = 'is not a cursor of this call; send the same arguments as in the call that returned it';
      throw invalid([{ path: 'cursor', message }]);
    },
  };
}

/** Writes JSON with the keys of objects in order, as a client may send them in another order the next time. */
const stable = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
