import { type Request as ExpressRequest, type Response as ExpressResponse, type RequestHandler, Router } from 'express';
import { type ApiError, forbidden, internal, tooLarge } from '#common/errors.js';
import { TokenScope } from '#entities/enums.js';
import type { OpenQueries } from '#graph/in-process.js';
import { orMalformed } from '#http/body.js';
import { answerNothingElse } from '#http/verbs.js';
import { parsePlain } from '#json/plain.js';
import { toApiError } from '#schema/api-error.js';
import type { Context } from '#schema/context.js';
import { requireScope } from '#schema/scope.js';
import type { Serve, ServeOptions } from './serve.js';

type Caller = Context['caller'];

/** Dependencies of the endpoint; `app` provides them. */
export interface McpOptions extends Omit<ServeOptions, 'explain'> {
  /** @throws the reason why a request is refused. */
  admit: (request: ExpressRequest) => Promise<Caller>;
  enter: (request: ExpressRequest, caller: Caller) => Promise<void>;
  /** Counts further requests of a caller. */
  charge: (caller: Caller, response: ExpressResponse, requests: number) => Promise<void>;
  /** Reads a JSON body of at most the given number of bytes. */
  readBody: (request: ExpressRequest, caller: Caller, bytes: number) => Promise<string>;
  holdAnswer: (caller: Caller, response: ExpressResponse, bytes: number) => void;
  openQueries: OpenQueries;
  /** Whether a page of an origin may call: one of this service, or one that the operator named. */
  isKnownOrigin: (request: ExpressRequest, origin: string) => boolean;
  isConnectionLoss: (error: unknown) => boolean;
  report: (cause: unknown) => void;
}

/** Limits of a request. */
const bounds = { bytes: 256 * 1024, messages: 20 };

/**
 * Creates `POST /mcp`, the endpoint for assistants (Model Context Protocol over streamable HTTP). It keeps no session.
 * The protocol's library takes about 0.1 s to load, so it is loaded at the first request.
 */
export function createMcp(path: string, options: McpOptions): Router {
  const explain = (error: unknown): ApiError => {
    const shown = toApiError(error, options.isConnectionLoss);
    if (shown === undefined || shown.status >= 500) options.report(error);
    return shown ?? internal();
  };
  let loading: Promise<Serve> | undefined;
  const load = () => (loading ??= import('./serve.js').then(({ createServe }) => createServe({ ...options, explain })));
  const router = Router();
  const route = router.route(path).post(createHandler(options, load));
  answerNothingElse(route, ['POST']);
  return router;
}

const createHandler =
  (
    { isKnownOrigin, admit, readBody, charge, enter, openQueries, holdAnswer }: McpOptions,
    load: () => Promise<Serve>,
  ): RequestHandler =>
  async (request, response) => {
    const { origin } = request.headers;
    if (origin !== undefined && !isKnownOrigin(request, origin))
      throw forbidden(
        'Pages of this origin may not call this endpoint. The setting CORS_ORIGINS lists those that may.',
      );
    const caller = asReader(await admit(request));
    // Each tool checks the scope for its own queries; tokens that may not read anything get no list of tools either.
    requireScope(caller, { changes: false, isOfLinks: true });
    const text = await readBody(request, caller, bounds.bytes);
    const body = orMalformed(() => parsePlain(text));
    const messages = Array.isArray(body) ? body.length : 1;
    if (messages > bounds.messages)
      throw tooLarge(`This batch has ${messages} messages; at most ${bounds.messages} are allowed.`);
    if (messages > 1) await charge(caller, response, messages - 1);
    const serve = await load();
    await enter(request, caller);
    const session = { organizationId: caller.organizationId, ask: openQueries(request, caller) };
    const answer = await serve(webRequest(request), body, session);
    const bytes = Buffer.from(await answer.arrayBuffer());
    holdAnswer(caller, response, bytes.length);
    const type = answer.headers.get('content-type');
    if (type !== null) response.setHeader('Content-Type', type);
    response.status(answer.status).end(bytes);
  };

/** Reduces a full token to read access. Other scopes stay unchanged. */
const asReader = (caller: Caller): Caller =>
  caller.scope === TokenScope.full ? { ...caller, scope: TokenScope.read } : caller;

/** Returns the request's headers in the form that the protocol's library reads. The body is passed separately. */
const webRequest = ({ headers }: ExpressRequest): Request =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
  });
