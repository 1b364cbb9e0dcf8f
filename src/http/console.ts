import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import sirv from 'sirv';
import type { CountUnknown } from './admission.js';

/** The built console, `dist/console`, beside the compiled `dist/src`. */
export const consoleFolder = fileURLToPath(new URL('../../console/', import.meta.url));

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

/** Other parts of the service that the console's files need. */
export interface ConsoleOptions {
  /** Finds a script or style sheet of another build by its name, compressed by Brotli. */
  findAsset: (name: string) => Promise<Buffer | undefined>;
  /** Counts a request for a file that this build does not have against its IP address. */
  countUnknown: CountUnknown;
}

/**
 * Serves the console below `/console/`, compressed and without a token, as users sign in inside it. Browsers keep files
 * with a hash in their name for a year and revalidate the page itself. A browser that opens `/` is redirected to the
 * console. Files of another build come from the database, so that a page that was opened before an upgrade still finds
 * the screens that it loads later.
 */
export const createConsole = (options: ConsoleOptions): Router => {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (request, response, next) => {
    if (request.accepts(['application/json', 'text/html']) !== 'text/html') return next();
    response.set('Vary', 'Accept').redirect(302, '/console/');
  });
  router.get('/console', (_request, response) => response.redirect(301, '/console/'));
  if (!existsSync(consoleFolder)) return router;
  router.use('/console', serveFiles(options));
  return router;
};

/** Creates the handler that serves the console's files, and its page for every other path. */
function serveFiles({ findAsset, countUnknown }: ConsoleOptions): RequestHandler {
  const linkOf = screenLinks();
  const files = sirv(consoleFolder, {
    brotli: true,
    single: true,
    setHeaders: (response, path) => setHeaders(response, path, linkOf),
  });
  const assets = new Set(readdirSync(join(consoleFolder, 'assets')));
  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    const [, name] = /^\/assets\/(.*)$/.exec(request.path) ?? [];
    if (name === undefined || assets.has(name)) return files(request, response, next);
    const type = assetTypes[/^[\w-]{1,100}\.(js|css)$/.exec(name)?.[1] ?? ''];
    // Before the database is asked: nobody needs a token for that.
    await countUnknown(request, response);
    const content = type === undefined ? undefined : await findAsset(name);
    if (type === undefined || content === undefined) return next();
    setHeaders(response, request.path, linkOf);
    response.type(type).set('Vary', 'Accept-Encoding');
    if (request.acceptsEncodings('br') === 'br') response.set('Content-Encoding', 'br').end(content);
    else response.end(await decompress(content));
  };
}

/**
 * Returns a function that names the scripts of the screen at a path of the console in a `Link` header. A browser then
 * loads all of them with the page, instead of each when another asks for it.
 */
function screenLinks(): (path: string) => string {
  const screens = JSON.parse(readFileSync(join(consoleFolder, 'screens.json'), 'utf8')) as Record<string, string[]>;
  const links = Object.entries(screens).map(([path, scripts]) => ({
    parts: partsOf(path),
    link: scripts.map((script) => `<${script}>; rel=modulepreload`).join(', '),
  }));
  const common = links.find(({ parts }) => parts[0] === '*')!;
  return (path) => {
    const asked = partsOf(path);
    const isScreen = ({ parts }: { parts: readonly string[] }) =>
      parts.length === asked.length && parts.every((part, place) => part.startsWith(':') || part === asked[place]);
    return (links.find(isScreen) ?? common).link;
  };
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

function setHeaders(response: ServerResponse, path: string, linkOf: (path: string) => string): void {
  const isAsset = path.startsWith('/assets/');
  if (!isAsset) response.setHeader('Link', linkOf(path));
  response.setHeader('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
}

const assetTypes: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' };

const decompress = promisify(brotliDecompress);
