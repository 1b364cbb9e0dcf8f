import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import sirv from 'sirv';

/** The built console, `dist/console`, beside the compiled `dist/src`. */
const built = fileURLToPath(new URL('../../console/', import.meta.url));

/**
 * Content security policy of the console: the browser loads everything from this service and contacts no other host.
 */
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
 * Serves the console below `/console/`, compressed and without a token, as users sign in inside it. Browsers keep files
 * with a hash in their name for a year and revalidate the page itself. A browser that opens `/` is redirected to the
 * console.
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
