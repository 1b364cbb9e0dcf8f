import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Writes identifiers that nobody else can, so that nothing of them is read before it is known to be ours. */
export interface SignedIds {
  /** Writes a payload of bytes as an identifier of a kind. */
  write(kind: string, payload: Buffer): string;
  /** The payload of an identifier of this kind; undefined where no listed key signed it, or it is of another length. */
  read(kind: string, text: string, length: number): Buffer | undefined;
}

/** Bytes of a signature. */
const macLength = 32;

/** Signs with the first key, and knows what every listed one signed (HMAC-SHA-256, RFC 2104). */
export const createSignedIds = (keys: readonly string[]): SignedIds => {
  const derived = keys.map(derive);
  const [first] = derived;
  if (first === undefined) throw new Error('Signing needs at least one key.');
  return {
    write: (kind, payload) => Buffer.concat([macOf(first, kind, payload), payload]).toString('base64url'),
    read(kind, text, length) {
      // Four characters write three bytes; whatever is longer or shorter is not looked at.
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
