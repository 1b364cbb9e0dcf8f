import { createHash } from 'node:crypto';
import { Router } from 'express';
import { serveStatic } from '#http/static.js';
import { answerNothingElse } from '#http/verbs.js';

/**
 * Content security policy of the documentation page: the browser loads everything from this server and contacts no
 * other host.
 */
const policy =
  "default-src 'none'; frame-ancestors 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Device Data Platform API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="api"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null });
`;

/** Serves the OpenAPI document and a page that shows it. Every file of the page comes from this server. */
export const createDocs = (makeDocument: () => object): Router => {
  const files = serveStatic('swagger-ui', policy);
  const router = Router({ caseSensitive: true, strict: true });
  serveText(router, '/openapi.json', 'application/json; charset=utf-8', () => JSON.stringify(makeDocument()));
  serveText(router, '/docs', 'text/html; charset=utf-8', () => page);
  serveText(router, '/docs/start.js', 'text/javascript; charset=utf-8', () => start);
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    const place = router.route(`/docs/${name}`);
    place.get((request, response, next) => {
      request.url = `/${name}`;
      files(request, response, next);
    });
    answerNothingElse(place, ['GET']);
  }
  return router;
};

/** Serves a text that is made at the first request and kept. */
const serveText = (router: Router, path: string, type: string, make: () => string): void => {
  let made: { text: string; tag: string } | undefined;
  const place = router.route(path);
  place.get((request, response) => {
    const { text, tag } = (made ??= tagged(make()));
    response.set({ 'Content-Type': type, 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache', ETag: tag });
    response.set('X-Content-Type-Options', 'nosniff');
    if (request.fresh) response.writeHead(304).end();
    else response.set('Content-Length', `${Buffer.byteLength(text)}`).end(text);
  });
  answerNothingElse(place, ['GET']);
};

const tagged = (text: string) => ({ text, tag: `"${createHash('sha256').update(text).digest('base64url')}"` });
