import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Generates a token that confirms an address, and its hash. Only the hash is stored. */
export function newMailToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: tokenHash(token) };
}

/** Hashes a token for storage. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Writes and reads the tokens of links that stop mails. A token is the signed identifier of the recipient, so the link
 * of every mail works.
 */
export interface StopTokens {
  write(recipientId: string): string;
  /** Returns the identifier of the recipient, or undefined for a token that no key signed. */
  read(token: string): string | undefined;
}

const macLength = 32;
const idLength = 16;
const tokenLength = ((macLength + idLength) * 4) / 3;

/** Creates the tokens. The first key signs, and every listed key verifies (HMAC-SHA-256, RFC 2104). */
export function createStopTokens(keys: readonly string[]): StopTokens {
  const derived = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'device-data-platform mail', 32)));
  const [first] = derived;
  if (first === undefined) throw new Error('Signing needs at least one key.');
  return {
    write(recipientId) {
      const id = Buffer.from(recipientId.replaceAll('-', ''), 'hex');
      return Buffer.concat([macOf(first, id), id]).toString('base64url');
    },
    read(token) {
      if (token.length !== tokenLength) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== macLength + idLength) return undefined;
      const [mac, id] = [bytes.subarray(0, macLength), bytes.subarray(macLength)];
      if (!derived.some((key) => timingSafeEqual(macOf(key, id), mac))) return undefined;
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    },
  };
}

const macOf = (key: Buffer, id: Buffer) => createHmac('sha256', key).update('stop\n').update(id).digest();
