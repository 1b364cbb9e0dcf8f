import { buildOperationNodeForField } from '@graphql-tools/utils';
import type { Request, RequestHandler, Response } from 'express';
import { type DocumentNode, type GraphQLField, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { createSofa, OpenAPI } from 'sofa-api';
import { methodNotAllowed } from '#common/errors.js';
import type { Admit, Caller } from '#http/admission.js';
import type { Hold, InFlight } from '#http/in-flight.js';
import { targetOf } from '#http/origin.js';
import { createTable } from '#http/path-table.js';
import type { Enter } from '#http/request-queue.js';
import { allowedVerbs, answerOptions } from '#http/verbs.js';
import { argumentFaults } from '#schema/arguments.js';
import type { Context } from '#schema/context.js';
import { projectForRest } from '#schema/rest-projection.js';
import { type NamedOperation, noteRefusal, operationOf, requireScope } from '#schema/scope.js';
import { storedText } from '#schema/stored-text.js';
import { createNaming } from './header.js';
import { type ArgumentValues, type Bind, createBind } from './request.js';
import { createAnswer } from './response.js';
import { type Route, routes } from './routes.js';

/** Dependencies of the REST handler; `app` provides them. */
export interface RestOptions {
  /** Base path of the REST API (`/ddp/v1`). */
  base: string;
  /** The GraphQL schema, with the types that only REST shows. */
  schema: GraphQLSchema;
  /** Admits a call. `admitIngest` admits calls that post records. */
  admit: Admit;
  admitIngest: Admit;
  /** Admits a call that uploads or downloads a file, which a session may do as well. */
  admitFile: (request: Request, response: Response) => Promise<Caller>;
  enter: Enter;
  /** Counts the bytes of bodies and answers in memory. */
  inFlight: InFlight;
  /** Streams the file that an operation answers with. The arguments have passed their rules. */
  sendFile: (context: Context, values: ArgumentValues, response: Response, hold: Hold) => Promise<void>;
  /** Creates the resolvers' context for one call. */
  createContext: (caller: Caller, request: Request) => Context;
}

/**
 * Serves the operations of the route table, each at its exact verb and path below `base`. Every other path goes to the
 * next handler. The table finds a path in one look-up; Express would try each route in turn.
 */
export const createRest = (options: RestOptions): RequestHandler => {
  const find = createTable(placesAt(options));
  return (request, response, next) => {
    const found = find(pathOf(request));
    if (found === undefined) return next();
    const { serve, allow } = found.entry;
    request.params = found.params;
    response.locals['route'] = found.entry.route;
    const serving = serve.get(request.method);
    if (serving !== undefined) serving(request, response).catch(next);
    else if (request.method === 'OPTIONS') answerOptions(response, allow);
    else throw methodNotAllowed(allow);
  };
};

type Serve = (request: Request, response: Response) => Promise<void>;

/** The routes at one path: the handler of each verb (HEAD is served like GET) and the allowed verbs. */
interface RoutesAtPath {
  serve: Map<string, Serve>;
  allow: readonly string[];
  /** Template of the path, for metrics. */
  route: string;
}

const placesAt = (options: RestOptions): Map<string, RoutesAtPath> => {
  const serving = new Map<string, Map<string, Serve>>();
  for (const operation of compileRoutes(restSchema(options.schema))) {
    const { path, verb, alias } = operation.route;
    const verbs = serving.get(path) ?? new Map<string, Serve>();
    serving.set(path, verbs);
    const serve = createServe(operation, options);
    for (const each of alias === undefined ? [verb] : [verb, alias]) verbs.set(each, serve);
  }
  const places = new Map<string, RoutesAtPath>();
  for (const [path, serve] of serving) {
    const allow = allowedVerbs([...serve.keys()]);
    const get = serve.get('GET');
    if (get !== undefined) serve.set('HEAD', get);
    places.set(`${options.base}${path}`, { serve, allow, route: `${options.base}${path}` });
  }
  return places;
};

const pathOf = (request: Request): string => {
  const target = targetOf(request);
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
};

/** A route with its compiled operation. */
interface Operation extends Omit<Plan, 'document'> {
  query: CompiledQuery['query'];
}

/**
 * Projects the schema to what REST shows: the operations of the route table, without the parts that are for GraphQL
 * only.
 */
export const restSchema = (schema: GraphQLSchema): GraphQLSchema =>
  projectForRest(schema, new Set(routes.map(({ root, operation }) => `${root}.${operation}`)));

/** A route with its field in the projected schema, and the document that SOFA builds for its operation. */
interface Plan {
  route: Route;
  field: GraphQLField<unknown, unknown>;
  document: DocumentNode;
}

/** Builds each route's operation with SOFA. SOFA's own HTTP layer is not used. */
const planRoutes = (schema: GraphQLSchema): Plan[] => {
  const { models, ignore, depthLimit } = createSofa({ schema, basePath: '' });
  return routes.map((route) => {
    const type = route.root === 'Query' ? schema.getQueryType() : schema.getMutationType();
    const field = type?.getFields()[route.operation];
    if (field === undefined) throw new Error(`The graph has no ${route.root}.${route.operation} to route to.`);
    const kind = route.root === 'Query' ? OperationTypeNode.QUERY : OperationTypeNode.MUTATION;
    const definition = buildOperationNodeForField({
      schema,
      kind,
      field: route.operation,
      models,
      ignore,
      circularReferenceDepth: depthLimit,
    });
    return { route, field, document: { kind: Kind.DOCUMENT, definitions: [definition] } };
  });
};

/** The output of SOFA's OpenAPI generator for one route's operation. */
export interface Draft extends Omit<Plan, 'document'> {
  operationId?: string;
  summary?: string;
}

/** Returns the drafts of the OpenAPI document, in the order of the route table. */
export const draftOpenApi = (schema: GraphQLSchema): Draft[] => {
  const openApi = OpenAPI({ schema, info: { title: '', version: '' } });
  return planRoutes(schema).map(({ route, field, document }) => {
    openApi.addRoute({ document, path: route.path, method: route.verb });
    const path = openApi.get().paths[route.path.replaceAll(/:(\w+)/g, '{$1}')];
    return { route, field, ...path?.[route.verb.toLowerCase() as 'get'] };
  });
};

/** Compiles each operation once, at start. */
const compileRoutes = (schema: GraphQLSchema): Operation[] =>
  planRoutes(schema).map(({ route, field, document }) => {
    const compiled = compileQuery(schema, document, undefined, { customSerializers: storedText });
    if (!isCompiledQuery(compiled)) throw new AggregateError(compiled.errors ?? [], `${route.operation} is broken`);
    return { route, field, query: compiled.query };
  });

const createServe = ({ route, field, query }: Operation, options: RestOptions): Serve => {
  const { createContext, enter, inFlight } = options;
  const admit = route.ingest ? options.admitIngest : takesFile(route) ? options.admitFile : options.admit;
  const kind = route.ingest ? 'ingest' : route.operation === 'search' ? 'search' : 'rest';
  const scope = operationOf(field, route.root === 'Mutation');
  const bind = createBind(route, field, argumentFaults);
  const answer = createAnswer(route, field.type);
  const nameAsSent = createNaming(route);
  const covered = createScopeCheck(scope, options);
  if (route.file) return createServeFile({ scope, bind, covered }, options);
  return async (request, response) => {
    const caller = await admit(request, response);
    await covered(caller, request);
    const values = await bind(request, {
      organizationId: caller.organizationId,
      hold: inFlight.body(caller, response),
    });
    if (!route.waits) await enter(kind, caller, response);
    else if (request.method === 'HEAD')
      return void response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' }).end();
    const context = createContext(caller, request);
    const { data, errors } = await query(undefined, context, values);
    if (errors !== undefined && errors.length > 0) throw new AggregateError(errors.map(nameAsSent));
    const address = () => `${context.origin}${targetOf(request)}`;
    answer(
      response,
      (data as Record<string, unknown>)[route.operation],
      { address, values },
      inFlight.answer(caller, response),
    );
  };
};

const takesFile = ({ body }: Route): boolean => typeof body === 'object' && 'files' in body;

/** Creates the check of a token's scope that precedes the body. The graph checks the scope again when it runs. */
const createScopeCheck =
  (scope: NamedOperation, { createContext }: RestOptions) =>
  async (caller: Caller, request: Request): Promise<void> => {
    try {
      requireScope(caller, scope);
    } catch (error) {
      await noteRefusal(createContext(caller, request), scope, error);
      throw error;
    }
  };

/**
 * Serves an operation that answers with a file. The graph's resolver does not run, so `bind` checks the rules of the
 * arguments.
 */
const createServeFile =
  (
    { scope, bind, covered }: { scope: NamedOperation; bind: Bind; covered: ReturnType<typeof createScopeCheck> },
    { admitFile, createContext, enter, inFlight, sendFile }: RestOptions,
  ): Serve =>
  async (request, response) => {
    const caller = await admitFile(request, response);
    await covered(caller, request);
    const { organizationId } = caller;
    const values = await bind(request, { organizationId, hold: inFlight.body(caller, response) });
    await enter('export', caller, response);
    const context = createContext(caller, request);
    try {
      await sendFile(context, values, response, inFlight.stream(caller, response));
    } catch (error) {
      await noteRefusal(context, scope, error);
      throw error;
    }
  };
