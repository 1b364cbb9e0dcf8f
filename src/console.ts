import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import sirv from 'sirv';

/** What `npm run build` makes of `console/`: `dist/console`, beside the compiled `dist/src`. */
const built = fileURLToPath(new URL('../console/', import.meta.url));

/** Everything the console needs comes from this service, and it may reach no other host. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/**
 * Serves the console below `/console/`, compressed, without a token: whoever opens it signs in. Files with a hash in
 * their name are kept by browsers for a year; the page itself is asked for anew. A browser that opens `/` is sent there.
 */
export const createConsole = (): Router => {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (request, response, next) => {
    if (request.accepts(['application/json', 'text/html']) !== 'text/html') return next();
    response.set('Vary', 'Accept').redirect(302, '/console/');
  });
  router.get('/console', (_request, response) => response.redirect(301, '/console/'));
  if (!existsSync(built)) return router;
  const files = sirv(built, {
    brotli: true,
    single: true,
    setHeaders(response, path) {
      const isAsset = path.startsWith('/assets/');
      response.setHeader('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
      response.setHeader('Content-Security-Policy', policy);
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('Referrer-Policy', 'no-referrer');
    },
  });
  router.use('/console', (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') files(request, response, next);
    else next();
  });
  return router;
};
