import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Seals secrets for storage. */
export interface Vault {
  /** Seals a text for one place, such as a hook's password. Each sealing gives a different text. */
  seal(text: string, place: string): string;
  /**
   * Opens a text that was sealed for the same place with any of the listed keys.
   * @throws SealBroken if no listed key sealed it, or it was altered
   */
  open(sealed: string, place: string): string;
  /** Whether a listed key sealed the text. */
  hasKey(sealed: string): boolean;
}

/** A sealed text could not be opened: its key is no longer listed, or the stored text is not what was sealed here. */
export class SealBroken extends Error {
  constructor() {
    super('A stored secret cannot be opened with any key of SECRET_KEY.');
    this.name = 'SealBroken';
  }
}

/**
 * Creates a vault over AES-256-GCM (NIST SP 800-38D). The first key seals and every key opens, so listing a new key
 * before the old ones rotates the key. A sealed text reads `v1.<key>.<nonce>.<cipher text and tag>`. It is bound to its
 * place: copied to another row or column, it does not open.
 */
export function createVault(keys: readonly string[]): Vault {
  const rings = keys.map((key) => ({ id: keyFingerprint(key), key: derive(key) }));
  const [first] = rings;
  if (!first) throw new Error('A vault needs at least one key.');
  return {
    seal(text, place) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return ['v1', first.id, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
    },
    hasKey: (sealed) => rings.some(({ id }) => id === sealed.split('.')[1]),
    open(sealed, place) {
      const [version, id, nonce, body] = sealed.split('.');
      const ring = rings.find((candidate) => candidate.id === id);
      if (version !== 'v1' || !ring || nonce === undefined || body === undefined) throw new SealBroken();
      const bytes = Buffer.from(body, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', ring.key, Buffer.from(nonce, 'base64url'), { authTagLength: 16 })
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(-16));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
      } catch {
        throw new SealBroken();
      }
    },
  };
}

/** Returns a short name of a key that reveals nothing of it. */
const keyFingerprint = (key: string) => createHash('sha256').update(`name of ${key}`).digest('hex').slice(0, 8);

const derive = (key: string) => Buffer.from(hkdfSync('sha256', key, '', 'device-data-platform secrets', 32));
