import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { createScrollTable, type ScrollTable } from './scroll-table.js';

/** Signs the identifiers of scrolls and points in time, and stores the positions of scrolls. */
export interface Cursors {
  readonly ids: SignedIds;
  readonly scrolls: ScrollTable;
}

/**
 * Creates the cursors over a pool.
 * @param keys values of SECRET_KEY, the newest first
 */
export const openCursors = (pool: Pool, clock: () => number, keys: readonly string[]): Cursors => ({
  ids: createSignedIds(keys),
  scrolls: createScrollTable(pool, clock),
});

/** Signs identifiers, so that the content of a forged one is never interpreted. */
interface SignedIds {
  /** Encodes and signs a payload as an identifier of a kind. */
  write(kind: string, payload: Buffer): string;
  /**
   * Returns the payload of an identifier of this kind. Returns undefined if no listed key signed it, or its length
   * differs.
   */
  read(kind: string, text: string, length: number): Buffer | undefined;
}

/** Number of bytes of a signature. */
const macLength = 32;

/** Creates the identifiers. The first key signs, and every listed key verifies (HMAC-SHA-256, RFC 2104). */
const createSignedIds = (keys: readonly string[]): SignedIds => {
  const derived = keys.map(derive);
  const [first] = derived;
  if (first === undefined) throw new Error('Signing needs at least one key.');
  return {
    write: (kind, payload) => Buffer.concat([macOf(first, kind, payload), payload]).toString('base64url'),
    read(kind, text, length) {
      // Four characters encode three bytes. Texts of another length are rejected unread.
      if (text.length !== Math.ceil(((macLength + length) * 4) / 3)) return undefined;
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length !== macLength + length) return undefined;
      const mac = bytes.subarray(0, macLength);
      const payload = bytes.subarray(macLength);
      return derived.some((key) => timingSafeEqual(macOf(key, kind, payload), mac)) ? payload : undefined;
    },
  };
};

const macOf = (key: Buffer, kind: string, payload: Buffer): Buffer =>
  createHmac('sha256', key).update(`${kind}\n`).update(payload).digest();

const derive = (key: string) => Buffer.from(hkdfSync('sha256', key, '', 'device-data-platform identifiers', 32));
