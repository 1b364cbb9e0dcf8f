import type { Request, RequestHandler, Response } from 'express';
import { loadApplication } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { type ApiError, internal } from '#common/errors.js';
import type { Admit, Caller } from '#http/admission.js';
import { readBody } from '#http/body.js';
import type { Hold, InFlight } from '#http/in-flight.js';
import { targetOf } from '#http/origin.js';
import { createTable } from '#http/path-table.js';
import { readQueryString } from '#http/query-string.js';
import type { Enter } from '#http/request-queue.js';
import { allowedVerbs, answerOptions } from '#http/verbs.js';
import type { Search } from '#records/record-index.js';
import { inSlices } from '#scheduling/time-slice.js';
import { toApiError } from '#schema/api-error.js';
import type { Context } from '#schema/context.js';
import { requireScope } from '#schema/scope.js';
import type { Call, HttpAnswer } from './call.js';
import type { Cursors } from './cursors.js';
import { type EngineError, EngineFailure, noHandler, toEngineError, wrongMethod } from './error.js';
import { type Filter, readFilterPath } from './filter-path.js';
import { type Media, mediaOf } from './media.js';
import { type EngineRoute, engineRoutes } from './routes.js';

export interface ElasticsearchOptions {
  /** Base path of the REST API (`/ddp/v1`). */
  base: string;
  admit: Admit;
  enter: Enter;
  /** Creates the context of a call. */
  createContext: (caller: Caller, request: Request) => Context;
  search: Search;
  cursors: Cursors;
  /** Returns milliseconds since 1970. */
  clock: () => number;
  /** Counts the bytes of bodies and responses. */
  inFlight: InFlight;
  /** Called with the cause of a bare 500 or a 503, which the caller never sees. */
  report: (cause: unknown, request: Request) => void;
  /** Whether an error means that the database could not be reached. */
  isConnectionLoss: (error: unknown) => boolean;
}

const mebibyte = 2 ** 20;
const application = '/applications/:organizationId/:applicationId/elasticsearch';

/**
 * Creates the handler of requests that clients of Elasticsearch and OpenSearch, and Grafana, make of an application as
 * if it were an index of an engine. It answers everything below the address of an application, with errors in the
 * engines' format.
 */
export const createElasticsearch = (options: ElasticsearchOptions): RequestHandler => {
  const find = createTable(placesAt(options.base + application));
  return (request, response, next) => {
    const path = pathOf(request);
    if (below(options.base, path) === undefined) return next();
    response.setHeader('X-Elastic-Product', 'Elasticsearch');
    // The engines return the request's own identifier, so this does too.
    const opaqueId = request.headers['x-opaque-id'];
    if (opaqueId !== undefined) response.setHeader('X-Opaque-Id', opaqueId);
    const view: View = { organizationId: '', filter: undefined, isPretty: false };
    serve(options, find, { path, view, request, response })
      .catch((error: unknown) => {
        if (response.headersSent) throw error;
        return answerError(options, error, { view, request, response });
      })
      .catch(next);
  };
};

/** A path: its template, and the route of each verb. */
interface RoutesAtPath {
  readonly template: string;
  readonly routes: Map<string, EngineRoute>;
}

const placesAt = (base: string): Map<string, RoutesAtPath> => {
  const places = new Map<string, RoutesAtPath>();
  for (const route of engineRoutes) {
    for (const path of route.paths) {
      const template = base + path;
      const place = places.get(template) ?? { template, routes: new Map<string, EngineRoute>() };
      places.set(template, place);
      for (const verb of route.verbs) place.routes.set(verb, route);
    }
  }
  for (const { routes } of places.values()) if (routes.has('GET')) routes.set('HEAD', routes.get('GET')!);
  return places;
};

const pathOf = (request: Request): string => {
  const [path = ''] = targetOf(request).split('?', 1);
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
};

/** Returns the part of a path below an application's interface, or undefined for other paths. */
const below = (base: string, path: string): string | undefined => {
  if (!path.startsWith(`${base}/`)) return undefined;
  const [kind, , , name, ...rest] = path.slice(base.length + 1).split('/');
  return kind === 'applications' && name === 'elasticsearch' ? `/${rest.join('/')}` : undefined;
};

/** Format of a response. The handler reads it from the request only after it has authenticated the caller. */
interface View {
  /** Organization whose time slices the filter uses. */
  organizationId: string;
  filter: Filter | undefined;
  isPretty: boolean;
}

/** A request and its response. */
interface Exchange {
  readonly view: View;
  readonly request: Request;
  readonly response: Response;
}

type Find = ReturnType<typeof createTable<RoutesAtPath>>;

const serve = async (
  { admit, base, clock, createContext, cursors, enter, inFlight, search }: ElasticsearchOptions,
  find: Find,
  { path, view, request, response }: Exchange & { path: string },
): Promise<void> => {
  const found = find(path);
  const { index = '' } = found?.params ?? {};
  const shown = below(base, path) ?? '/';
  // Names with this prefix are the engines' own paths.
  const isPath = index.startsWith('_') && index !== '_all';
  if (found === undefined || isPath) throw noHandler(shown, request.method);
  response.locals['route'] = found.entry.template;
  const { routes } = found.entry;
  const route = routes.get(request.method);
  const allow = allowedVerbs([...routes.keys()].filter((verb) => verb !== 'HEAD'));
  if (request.method === 'OPTIONS') return answerOptions(response, allow);
  if (route === undefined) throw wrongMethod(shown, request.method, allow);
  const caller = await admit(request, response);
  const parameters = readQueryString(request.url);
  const pretty = parameters.get('pretty')?.at(-1);
  view.organizationId = caller.organizationId;
  view.isPretty = pretty === '' || pretty === 'true';
  view.filter = readFilterPath(parameters.get('filter_path') ?? []);
  requireScope(caller, { changes: route.changes === true });
  const media = mediaOf(request.headers.accept);
  const sender = { hold: inFlight.body(caller, response), organizationId: caller.organizationId };
  const { text } = await readBody(request, { bytes: mebibyte, lines: true }, sender);
  await enter('search', caller, response);
  const { organizationId = '', applicationId = '', ...params } = found.params;
  const context = createContext(caller, request);
  let loaded: ReturnType<Call['load']> | undefined;
  const call: Call = {
    context,
    search,
    cursors,
    clock,
    organizationId,
    applicationId,
    params,
    parameters,
    text,
    acceptsJson: media.isJson,
    load: () => (loaded ??= loadApplication(context, { organizationId, applicationId }, policies.record.search)),
  };
  const answer = await route.handle(call);
  await write({ view, request, response }, answer, media, inFlight.answer(caller, response));
};

/** Writes a response in the format that `filter_path` and `pretty` ask for. */
const write = async (
  { view, response }: Exchange,
  { status = 200, body }: HttpAnswer,
  { json }: Pick<Media, 'json'>,
  hold?: Hold,
): Promise<void> => {
  const isText = typeof body === 'string';
  const text = isText ? body : await asJson(view, body);
  hold?.(Buffer.byteLength(text));
  response.writeHead(status, {
    'Content-Type': isText ? 'text/plain; charset=utf-8' : json,
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
};

const asJson = async ({ organizationId, filter, isPretty }: View, body: object): Promise<string> => {
  const shown = filter === undefined ? body : await inSlices(organizationId, filter(body));
  return isPretty ? `${JSON.stringify(shown, undefined, 2)}\n` : JSON.stringify(shown);
};

/**
 * Answers an error in the engines' format. An error outside the catalogue becomes a bare 500, and its cause is
 * reported.
 */
const answerError = (options: ElasticsearchOptions, error: unknown, exchange: Exchange): Promise<void> => {
  if (error instanceof EngineFailure) return writeError(exchange, error, error.toAnswer());
  const apiError = toApiError(error, options.isConnectionLoss);
  if (apiError === undefined || apiError.status >= 500) options.report(error, exchange.request);
  const shown = apiError ?? internal();
  return writeError(exchange, shown, toEngineError(shown));
};

const writeError = (
  exchange: Exchange,
  { headers = {} }: Pick<ApiError, 'headers'>,
  { status, error }: EngineError,
): Promise<void> => {
  const { request, response } = exchange;
  response.locals['failure'] = { code: error.type, message: error.reason };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return write(exchange, { status, body: { error, status } }, mediaOrPlain(request));
};

/** Returns the content type of an error. An error is sent even if the caller accepts no supported type. */
const mediaOrPlain = (request: Request): Pick<Media, 'json'> => {
  try {
    return mediaOf(request.headers.accept);
  } catch {
    return { json: 'application/json; charset=utf-8' };
  }
};
