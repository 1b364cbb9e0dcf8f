import { createServer, request } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import express, { type Handler } from 'express';
import type { Registry } from 'prom-client';
import type { Caller } from '#entities/caller.js';
import { Role, TokenScope } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import type { Admission } from '#http/admission.js';
import { identifyRequests } from '#http/request-id.js';
import { locate } from '#json/json.js';
import type { Search } from '#records/record-index.js';
import { forgetCalls } from './metrics.js';

/** Parts of a service that are warmed up, and the metrics that must not count the warm-up. */
interface WarmParts {
  admission: Pick<Admission, 'during'>;
  handlers: readonly Handler[];
  /** Base path of the REST API. */
  base: string;
  index: Search;
  registry: Registry;
}

/**
 * `usualTime`: default duration in which calls are started. `grace`: time after which an unanswered call is cut off.
 * Both in milliseconds.
 */
export const usualTime = 1500;
const grace = 400;
/** Repetitions of each call. After a few, the code is compiled and the statements are prepared. */
const rounds = 8;

/**
 * Makes the first calls of a service, before it listens: sends calls of each kind to the handlers through memory,
 * repeatedly. Their caller is an organization that does not exist, so they read nothing of a tenant, write nothing and
 * count nowhere, and their answers do not matter.
 * @param time duration in which calls are started, in milliseconds.
 */
export async function warmUp(parts: WarmParts, time: number): Promise<void> {
  const organizationId = newId();
  const callers = { authenticate: () => Promise.resolve(callerOf(organizationId)), countCalls: () => undefined };
  await parts.admission.during(callers, () => sendCalls(organizationId, parts, time));
  forgetCalls(parts.registry);
}

/** Returns a caller with a token of its own, so that no rate limit is reached. */
const callerOf = (organizationId: string): Caller => ({
  tokenId: newId(),
  organizationId,
  userId: null,
  deviceId: null,
  productId: null,
  applicationId: null,
  tokenName: null,
  userName: null,
  bySession: false,
  role: Role.owner,
  scope: TokenScope.full,
});

async function sendCalls(organizationId: string, { handlers, base, index }: WarmParts, time: number): Promise<void> {
  const app = express().disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('query parser', false).use(identifyRequests(), ...handlers);
  // An error here shows again when a client calls.
  app.use(((_error, _request, response, _next) => void response.status(500).end()) as express.ErrorRequestHandler);
  const server = createServer(app);
  const [near, far] = duplexPair();
  server.emit('connection', far);
  const calls = callsOf(organizationId, base);
  const over = new AbortController();
  const all = (async () => {
    const until = performance.now() + time;
    for (let round = 0; round < rounds; round++) {
      for (const call of calls) {
        if (performance.now() > until) return;
        await send(near, call);
      }
      // Over REST there is no application to search, so the index is called directly.
      const ask = index.prepare(locate(everything), locate([{ products: [], size: 1, aggs }]));
      await ask({ organizationId, applicationId: organizationId, signal: over.signal });
    }
  })();
  await Promise.race([all, delay(time + grace, undefined, { signal: over.signal })]).catch(() => undefined);
  over.abort();
  all.catch(() => undefined);
  near.destroy();
  far.destroy();
}

const everything = { gte: 0, lte: 4_102_444_800 };
const aggs = { mean: { avg: { field: 'data.value' } } };

interface WarmCall {
  path: string;
  body?: object;
}

const callsOf = (id: string, base: string): WarmCall[] => [
  { path: `${base}/organizations/${id}` },
  { path: `${base}/organizations/${id}/devices` },
  { path: `${base}/devices/${id}/${id}` },
  { path: `${base}/organizations/${id}/teams`, body: { name: '' } },
  { path: `${base}/organizations/${id}/records`, body: { serial: 'none', data: { value: 1 } } },
  { path: `${base}/applications/${id}/${id}/search`, body: { ts: { gte: 0, lte: 1 }, queries: [{ products: [] }] } },
  { path: '/graphql', body: { query: query(id) } },
];

const query = (id: string) =>
  `{ viewer { scope role } organization(organizationId: "${id}") { id name devices(limit: 1) { items { id serial } } } }`;

/** Sends one call over the connection in memory. */
function send(connection: Duplex, { path, body }: WarmCall): Promise<void> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const call = request(
      {
        method: text === undefined ? 'GET' : 'POST',
        path,
        createConnection: () => connection,
        headers: {
          host: 'localhost',
          connection: 'keep-alive',
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (answer) => answer.on('error', reject).on('end', resolve).resume(),
    );
    call.on('error', reject).end(text);
  });
}
