import { createHash, randomBytes } from 'node:crypto';

const tokenShape = /^ddp(?:link)?_[A-Za-z0-9_-]{43}$/;

/** Creates an API token: `ddp_` and 32 random bytes in base64url. The token is shown once and never stored. */
export const newToken = (random: (size: number) => Buffer = randomBytes): string =>
  `ddp_${random(32).toString('base64url')}`;

/**
 * Creates the token of a link to a dashboard. Its prefix differs from that of other tokens, so a process of the
 * previous release rejects it. With the same prefix, that process would accept it as a token of the whole organization.
 */
export const newLinkToken = (): string => newToken().replace('ddp_', 'ddplink_');

/** Returns the SHA-256 of a token, which is stored instead of the token. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Returns the first characters of a token: enough to tell tokens apart, too few to guess one. */
export const tokenPrefix = (token: string): string => token.slice(0, token.indexOf('_') + 5);

/**
 * Returns the token of an `Authorization` header; undefined when the header is absent or not of the form `Bearer
 * ddp_...`.
 */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined || !/^bearer /i.test(header)) return undefined;
  const token = header.slice(7).trim();
  return tokenShape.test(token) ? token : undefined;
}
