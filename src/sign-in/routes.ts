import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Pool } from 'pg';
import { lifetime } from '#auth/session-validity.js';
import { forbidden, malformed } from '#common/errors.js';
import type { OidcProviderSettings } from '#config/oidc-setting.js';
import { transaction } from '#database/transaction.js';
import { originOf, targetOf } from '#http/origin.js';
import { type HtmlPage, queryOf, sendPage, tokenOf } from '#http/page.js';
import { answerNothingElse } from '#http/verbs.js';
import type { Read } from '#schema/context.js';
import { attemptTime } from './attempt.js';
import { createInvitationPages } from './invitation-pages.js';
import { linkPath, takeLink } from './links.js';
import { callbackPath, createOidcSignIn, invitationPath } from './oidc-sign-in.js';
import { createRefusals, type RefusalsOptions } from './refusals.js';
import { returnPath } from './return-to.js';
import { cookieOf, requireOwnPage, setCookie, takesCookies } from './session-cookie.js';
import { sessionHandlers } from './session-routes.js';
import { endSession, newSecret, openSession } from './sessions.js';
import type { Handlers, Visit } from './visit.js';

export interface SignInOptions extends RefusalsOptions {
  pool: Pool;
  /** Reads sessions, on a connection that no tenant can block. */
  read: Read;
  clock: () => number;
  providers: readonly OidcProviderSettings[];
  originOf: (request: Request) => string;
  /** Whether proxies in front of the service are trusted. */
  isProxied: boolean;
  /**
   * Counts a request without a valid session or token.
   * @throws rateLimited
   */
  countUnknown: (request: Request, response: Response) => Promise<void>;
}

/** Path that sends a browser to a provider. */
const startPath = '/auth/start';
/** Pages that people open, and that send them to `PUBLIC_URL` if they opened the service by another name. */
const places: ReadonlySet<string> = new Set([startPath, linkPath, invitationPath]);
/** Paths that only a browser's own tab opens. */
const ofBrowsers: ReadonlySet<string> = new Set([startPath, callbackPath]);

/** Creates the routes below `/auth`. They sign people in and out by a cookie, and return who is signed in. */
export function createSignIn(options: SignInOptions): Router {
  const { pool, read, clock, providers, originOf, isProxied, countUnknown } = options;
  const note = createRefusals(options);
  const oidc = createOidcSignIn({ pool, clock, providers, note });
  const router = Router({ caseSensitive: true, strict: true });
  const serve = (path: string, verbs: Handlers) => {
    const place = router.route(path);
    for (const [verb, handle] of Object.entries(verbs)) {
      place[verb as 'get' | 'post']((request: Request, response: Response, next: NextFunction) => {
        response.setHeader('Cache-Control', 'no-store');
        const origin = originOf(request);
        const requestId = String(response.getHeader('X-Request-Id'));
        const visitor = { address: request.ip ?? '', userAgent: request.headers['user-agent'], requestId };
        const elsewhere = places.has(path) ? publicAddressOf(request, origin) : undefined;
        if (elsewhere !== undefined) return response.redirect(303, elsewhere);
        // Before the request counts, so that a page of another site does not use up what its visitor's address may ask.
        if (ofBrowsers.has(path) || request.headers['sec-fetch-site'] === 'cross-site') requireDocument(request);
        if (ofBrowsers.has(path) || verb === 'post') requireSecure(request, origin, isProxied);
        countUnknown(request, response)
          .then(() => handle({ request, response, origin, query: queryOf(request), visitor }))
          .catch(next);
      });
    }
    answerNothingElse(
      place,
      Object.keys(verbs).map((verb) => verb.toUpperCase()),
    );
  };

  serve(startPath, {
    async get({ request, response, origin, query, visitor }) {
      if (!takesCookies(origin)) return sendPage(response, pages.insecure);
      const secret = cookieOf(request, origin, 'browser') ?? newSecret();
      const number = Number(query.get('provider') ?? providers[0]?.number);
      const browser = { secret, redirectUri: `${origin}${callbackPath}` };
      const wish = {
        returnTo: returnPath(query.get('returnTo')),
        invitation: tokenOf(new URLSearchParams({ token: query.get('invitation') ?? '' })),
      };
      const address = await oidc.begin(number, browser, wish, visitor);
      if (address === undefined) return sendPage(response, pages.noProvider);
      response.appendHeader('Set-Cookie', setCookie(origin, 'browser', secret, attemptTime / 1000));
      response.redirect(302, address);
    },
  });
  serve(callbackPath, {
    async get({ request, response, origin, query, visitor }) {
      const browser = cookieOf(request, origin, 'browser') ?? '';
      const ended = await oidc.finish(query.toString(), browser, visitor);
      if ('refused' in ended) {
        const links = [
          { text: 'Try again', href: ended.provider ? `/auth/start?provider=${ended.provider}` : '/console/' },
        ];
        return sendPage(response, { status: ended.status, title: 'You are not signed in', text: ended.refused, links });
      }
      if ('mayAccept' in ended) return response.redirect(303, ended.mayAccept);
      await signIn({ request, response, origin }, ended.session);
      response.redirect(303, ended.returnTo);
    },
  });
  serve(linkPath, {
    get({ response, origin, query }) {
      if (!takesCookies(origin)) return sendPage(response, pages.insecure);
      const buttons = [{ text: 'Sign in', action: `?token=${tokenOf(query)}` }];
      sendPage(response, { ...pages.link, buttons });
    },
    async post({ request, response, origin, query, visitor }) {
      requireOwnPage(request, origin);
      const session = await transaction(pool, async (tx) => {
        const userId = await takeLink(tx, tokenOf(query));
        return userId && openSession(tx, userId, visitor, new Date(clock()));
      });
      if (session === undefined) {
        await note({ refusal: { reason: 'link', message: pages.linkOver.title, detail: undefined } }, visitor);
        return sendPage(response, pages.linkOver);
      }
      await signIn({ request, response, origin }, session);
      response.redirect(303, '/console/');
    },
  });
  for (const [path, verbs] of Object.entries(sessionHandlers(options))) serve(path, verbs);
  serve(invitationPath, createInvitationPages({ pool, read, clock, providers, note, signIn }));
  return router;

  /** Gives a browser its new session and ends the former one, so that nobody who knew it can continue. */
  async function signIn(
    { request, response, origin }: Pick<Visit, 'request' | 'response' | 'origin'>,
    session: string,
  ) {
    const before = cookieOf(request, origin, 'session');
    if (before !== undefined) await endSession(pool, before);
    response.appendHeader('Set-Cookie', setCookie(origin, 'session', session, lifetime / 1000));
  }
}

const pages = {
  insecure: {
    status: 400,
    title: 'Sign-in requires https',
    text: 'Open this service by https, or by the name localhost on its own machine. An operator sets PUBLIC_URL, or TRUST_PROXY behind a proxy.',
  },
  noProvider: { status: 404, title: 'There is no such provider', text: 'Go back, and choose another way to sign in.' },
  link: { title: 'Sign in', text: 'This link signs you in to the console once.' },
  linkOver: {
    status: 404,
    title: 'This link does not work',
    text: 'It was used, or it has expired. Ask the operator of the service for another one.',
  },
} satisfies Readonly<Record<string, HtmlPage>>;

/** Parameter of an address that the service sent a browser to, so that it does so only once. */
const mark = 'here';

/**
 * Returns the address of the same page at the service's public origin, if a browser opened the page by another name.
 * The cookie of a sign-in counts only at the origin where the provider sends the browser back to. A proxy that hides the
 * name from the service costs one redirect: the address has a mark, so that the second request is answered.
 * @param origin of the service, as `PUBLIC_URL` has it
 */
function publicAddressOf(request: Request, origin: string): string | undefined {
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
function requireDocument({ headers }: Pick<Request, 'headers'>): void {
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
function requireSecure(request: Request, origin: string, isProxied: boolean): void {
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
