import type { Request } from 'express';
import { forbidden } from '#common/errors.js';
import type { Bearer } from '#http/admission.js';

/** The value of a cookie: 32 random bytes in base64url. */
const value = /^[\w-]{43}$/;

/** Cookies that the service sets. */
export type CookieName = 'session' | 'browser';

/**
 * Returns the name of a cookie at an origin; undefined for plain http of another host, where no cookie is safe. With
 * the prefix `__Host-`, browsers send the cookie only to this host over https. The prefix does not work over plain http
 * on loopback, where all ports share cookies.
 */
function nameAt(origin: string, name: CookieName): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { protocol, hostname, port } = new URL(origin);
  if (protocol === 'https:') return `__Host-ddp-${name}`;
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname) ? `ddp-${name}-${port || '80'}` : undefined;
}

/** Whether people may sign in at an origin: by https, or on loopback. */
export const takesCookies = (origin: string): boolean => nameAt(origin, 'session') !== undefined;

/** Returns the value of a request's cookie; undefined if it is absent or malformed. */
export function cookieOf({ headers: { cookie } }: Pick<Request, 'headers'>, origin: string, name: CookieName) {
  const wanted = cookie === undefined ? undefined : nameAt(origin, name);
  if (wanted === undefined) return undefined;
  for (const pair of cookie!.split(';')) {
    const [found, text = ''] = pair.trim().split('=', 2);
    if (found === wanted) return value.test(text) ? text : undefined;
  }
  return undefined;
}

/**
 * Writes a `Set-Cookie` header.
 * @param seconds lifetime in the browser; 0 deletes the cookie
 */
export function setCookie(origin: string, name: CookieName, text: string, seconds: number): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  return `${nameAt(origin, name)}=${text}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Refuses a request that a page of another origin may have caused. Browsers report the origin in `Sec-Fetch-Site`.
 * Without that header, `Origin` must be the service's own (Fetch metadata; RFC 6454).
 * @throws forbidden
 */
export function requireOwnPage({ headers }: Pick<Request, 'headers'>, origin: string): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined ? headers.origin === origin : site === 'same-origin') return;
  throw forbidden('A session is valid only for pages of this service: send a token in the header "Authorization".');
}

/** Whether a request changes nothing, and pages of other origins cannot read its answer. */
const isSafe = ({ method, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.upgrade === undefined &&
  !/\btext\/event-stream\b/i.test(headers.accept ?? '');

/** Whether the browser says that a page of another origin caused the request. A typed address is `none`. */
const isOfAnotherPage = ({ headers }: Request): boolean =>
  /^(cross|same)-site$/.test(String(headers['sec-fetch-site']));

/**
 * Creates the function that adds the session of a request's cookie to its credentials. A token takes precedence over a
 * session.
 * @throws forbidden for a request of another origin's page. An unsafe request, a WebSocket and an event stream must
 * prove that they come from a page of this service.
 */
export const createSessionReader =
  (originOf: (request: Request) => string) =>
  (request: Request): Bearer => {
    if (request.headers.authorization !== undefined || request.headers.cookie === undefined) return request;
    const origin = originOf(request);
    const session = cookieOf(request, origin, 'session');
    if (session === undefined) return request;
    if (!isSafe(request) || isOfAnotherPage(request)) requireOwnPage(request, origin);
    return { headers: request.headers, socket: request.socket, ip: request.ip, session };
  };
