import type { Request } from 'express';
import { forbidden, malformed } from '#common/errors.js';
import { originOf, targetOf } from '#http/origin.js';

/** Parameter of an address that the service sent a browser to, so that it does so only once. */
const mark = 'here';

/**
 * Returns the address of the same page at the service's public origin, if a browser opened the page by another name.
 * The cookie of a sign-in counts only at the origin where the provider sends the browser back to. A proxy that hides the
 * name from the service costs one redirect: the address has a mark, so that the second request is answered.
 * @param origin of the service, as `PUBLIC_URL` has it
 */
export function publicAddressOf(request: Request, origin: string): string | undefined {
  if (request.method !== 'GET' || originOf(request) === origin || !URL.canParse(origin)) return undefined;
  const address = new URL(targetOf(request), origin);
  if (address.origin !== origin || address.searchParams.has(mark)) return undefined;
  address.searchParams.set(mark, '1');
  return address.href;
}

/**
 * Refuses a request that is not a tab's own: pages of other sites could begin sign-ins by images and frames. Browsers
 * say what they want a document for in `Sec-Fetch-Dest` (Fetch metadata).
 * @throws forbidden
 */
export function requireDocument({ headers }: Pick<Request, 'headers'>): void {
  const destination = headers['sec-fetch-dest'];
  const isPrefetch = /\bprefetch\b/.test(String(headers['sec-purpose'] ?? headers['purpose'] ?? ''));
  if ((destination === undefined || destination === 'document') && !isPrefetch) return;
  throw forbidden('Open this address in a tab of a browser. It does not work in frames and images.');
}

/**
 * Refuses to sign anybody in over plain http where the service is public by https. Browsers name the page's scheme in `Origin`.
 * @param isProxied whether proxies are trusted to say which protocol the browser speaks
 * @throws malformed
 */
export function requireSecure(request: Request, origin: string, isProxied: boolean): void {
  if (!origin.startsWith('https:')) return;
  const { headers, protocol, socket, app } = request;
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  // A trusted proxy that does not name the protocol leaves the question open.
  const isSilent = headers['x-forwarded-proto'] === undefined && trusts(socket.remoteAddress ?? '', 0);
  const isPlain = isProxied && protocol !== 'https' && !isSilent;
  if (isPlain || headers.origin?.startsWith('http:'))
    throw malformed(
      'Open this service by https: nobody can sign in over plain http. A proxy has to name https in X-Forwarded-Proto.',
    );
}
