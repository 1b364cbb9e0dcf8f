import { createHmac, randomBytes } from 'node:crypto';

/** Prefix of signing secrets (Standard Webhooks). */
const prefix = 'whsec_';

/** Generates a signing secret: 32 random bytes in the notation of Standard Webhooks. */
export const newSigningSecret = (): string => prefix + randomBytes(32).toString('base64');

/**
 * Returns the headers that sign a message (Standard Webhooks: HMAC-SHA-256 of identifier, time and body). They hold one
 * signature per secret, so that receivers can change to a new secret in their own time.
 */
export function sign(secrets: readonly string[], id: string, payload: string, now: number): [string, string][] {
  const timestamp = String(Math.floor(now / 1000));
  const signed = `${id}.${timestamp}.${payload}`;
  return [
    ['webhook-id', id],
    ['webhook-timestamp', timestamp],
    ['webhook-signature', secrets.map((secret) => `v1,${hmac(secret, signed)}`).join(' ')],
  ];
}

const hmac = (secret: string, text: string) =>
  createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(text)
    .digest('base64');
