import { createHash, randomBytes } from 'node:crypto';

const tokenShape = /^ddp(?:link)?_[A-Za-z0-9_-]{43}$/;

/** Creates an API token: `ddp_` and 32 random bytes in base64url. The token is shown once and never stored. */
export const newToken = (random: (size: number) => Buffer = randomBytes): string =>
  `ddp_${random(32).toString('base64url')}`;

/**
 * Creates the token of a link to a dashboard. It begins in another way, so that a process of the release before, which
 * would take it for a token of the whole organization, does not know its form.
 */
export const newLinkToken = (): string => newToken().replace('ddp_', 'ddplink_');

/** Returns what is stored of a token: its SHA-256. */
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
