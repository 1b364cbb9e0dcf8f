import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Request, Router } from 'express';
import { examples } from './examples.js';

/** Everything the page needs comes from here; it may reach no other host. */
const policy = [
  "default-src 'none'",
  "frame-ancestors 'none'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'font-src data:',
  "script-src 'self'",
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
    <script src="graphql/assets/react.js"></script>
    <script src="graphql/assets/react-dom.js"></script>
    <script src="graphql/assets/graphiql.js"></script>
    <script src="graphql/assets/start.js"></script>
  </body>
</html>
`;

const start = `const fetchJson = GraphiQL.createFetcher({ url: location.pathname });

const isSubscription = ({ operationName }, { documentAST } = {}) =>
  documentAST?.definitions.some(
    ({ operation, name }) => operation === 'subscription' && (!operationName || name?.value === operationName),
  );

async function* fetchEvents(params, headers, signal) {
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(params),
    signal,
  });
  if (!response.ok) return yield await response.json();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (text + value).split('\\n\\n');
      text = parts.pop();
      for (const part of parts) {
        const data = /^data: (.+)$/m.exec(part);
        if (data) yield JSON.parse(data[1]);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

// A stream that is stopped ends at once, not with its next event.
const stream = (params, headers) => {
  const left = new AbortController();
  const events = fetchEvents(params, headers, left.signal);
  events.return = async () => (left.abort(), { done: true });
  return events;
};

const fetcher = (params, options) =>
  isSubscription(params, options) ? stream(params, options.headers) : fetchJson(params, options);
const defaultHeaders = '{ "Authorization": "Bearer <your token>" }';
const defaultTabs = ${JSON.stringify(examples)}.map((tab) => ({ ...tab, headers: defaultHeaders }));
ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, { fetcher, defaultTabs, defaultHeaders, defaultEditorToolsVisibility: 'headers' }),
);
`;

/** The parts of the page, each a file of a package. */
const assets = {
  'react.js': ['react', 'umd/react.production.min.js'],
  'react-dom.js': ['react-dom', 'umd/react-dom.production.min.js'],
  'graphiql.js': ['graphiql', 'graphiql.min.js'],
  'graphiql.css': ['graphiql', 'graphiql.min.css'],
} as const;

/** Serves GraphiQL to browsers, without a token and with parts of this server alone. */
export const createGraphiql = (): Router => {
  const { resolve } = createRequire(import.meta.url);
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (request, response, next) => {
    if (!wantsPage(request)) return next();
    response.set({ 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff', Vary: 'Accept' });
    response.type('html').send(page);
  });
  router.get('/assets/start.js', (_request, response) => void response.type('js').send(start));
  for (const [name, [pack, path]] of Object.entries(assets)) {
    const file = join(dirname(resolve(`${pack}/package.json`)), path);
    router.get(`/assets/${name}`, (_request, response) => response.sendFile(file, { maxAge: '1d', dotfiles: 'allow' }));
  }
  return router;
};

/** A browser that opens the address, and no client that asks for JSON as well. */
const wantsPage = (request: Request): boolean =>
  request.query['query'] === undefined && request.accepts(['application/json', 'text/html']) === 'text/html';
