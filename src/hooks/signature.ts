import { createHmac, randomBytes } from 'node:crypto';

/** What signing secrets begin with (Standard Webhooks). */
const prefix = 'whsec_';

/** A new signing secret: 32 random bytes, written as Standard Webhooks writes them. */
export const newSigningSecret = (): string => prefix + randomBytes(32).toString('base64');

/**
 * The headers that sign a message (Standard Webhooks: HMAC-SHA-256 of identifier, time and body), once with each
 * secret, so that receivers may change to a new one in their own time.
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
