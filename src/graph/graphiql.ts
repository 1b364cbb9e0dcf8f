import { type Request, Router } from 'express';
import { serveStatic } from '#http/static.js';

/** Content security policy of the page: the browser loads everything from this server and contacts no other host. */
const policy = [
  "default-src 'none'",
  "frame-ancestors 'none'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'font-src data:',
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Device Data Platform: GraphiQL</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="graphql/assets/graphiql.css">
    <style>body { margin: 0 } #graphiql { height: 100dvh }</style>
  </head>
  <body>
    <div id="graphiql"></div>
    <script type="module" src="graphql/assets/graphiql.js"></script>
  </body>
</html>
`;

/** Serves GraphiQL to browsers, without a token. Every file of the page comes from this server. */
export const createGraphiql = (): Router => {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (request, response, next) => {
    if (!wantsPage(request)) return next();
    response.set({ 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff', Vary: 'Accept' });
    response.type('html').send(page);
  });
  router.use('/assets', serveStatic('graphiql', policy));
  return router;
};

/** Whether a browser opens the address. A client that accepts JSON just as well gets no page. */
const wantsPage = (request: Request): boolean =>
  request.query['query'] === undefined && request.accepts(['application/json', 'text/html']) === 'text/html';
