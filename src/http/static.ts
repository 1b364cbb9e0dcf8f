import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Handler } from 'express';
import sirv from 'sirv';

/**
 * Serves a folder of `dist/static`, which `npm run build` creates, compressed. Browsers keep files with a hash in their
 * name for a year and revalidate the others. A web worker runs under the policy that its own file is served with.
 * @param policy value of Content-Security-Policy.
 */
export const serveStatic = (folder: string, policy: string): Handler => {
  const place = fileURLToPath(new URL(`../../static/${folder}`, import.meta.url));
  if (!existsSync(place)) return (_request, _response, next) => next();
  const files = sirv(place, {
    brotli: true,
    etag: true,
    setHeaders(response, path) {
      const isChunk = path.includes('/chunk-');
      response.setHeader('Cache-Control', isChunk ? 'public, max-age=31536000, immutable' : 'no-cache');
      response.setHeader('Content-Security-Policy', policy);
      response.setHeader('X-Content-Type-Options', 'nosniff');
    },
  });
  return (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') files(request, response, next);
    else next();
  };
};
