import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** A signing key of a provider. */
export interface Key {
  secret: KeyObject;
  kid: string;
}

/** Makes a signing key. */
export const newKey = (number: number): Key => ({
  secret: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  kid: `key-${number}`,
});

/** Returns a key as the provider's own settings take it. */
export const secretOf = ({ secret, kid }: Key) => ({
  ...secret.export({ format: 'jwk' }),
  kid,
  use: 'sig',
  alg: 'RS256',
});

/** Returns a key as a provider publishes it. */
export const publicOf = ({ secret, kid }: Key) => {
  const { n, e, kty } = secret.export({ format: 'jwk' });
  return { n, e, kty, kid, use: 'sig', alg: 'RS256' };
};

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a JWT with the claims. */
export function signed(claims: Record<string, unknown>, { secret, kid }: Key): string {
  const text = `${encode({ alg: 'RS256', kid })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), secret).toString('base64url')}`;
}

/** Replaces the ID token of an answer by one with other claims, and signs it. */
export function changeToken(response: ServerResponse, make: (claims: Record<string, unknown>) => string) {
  const end = response.end.bind(response) as (body: unknown) => typeof response;
  response.end = ((body: unknown) => {
    const answer = JSON.parse(String(body)) as { id_token?: string };
    if (answer.id_token === undefined) return end(body);
    const [, claims = ''] = answer.id_token.split('.');
    answer.id_token = make(JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>);
    const text = JSON.stringify(answer);
    response.setHeader('content-length', Buffer.byteLength(text));
    return end(text);
  }) as typeof response.end;
}
