import { setImmediate } from 'node:timers/promises';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { toBody } from '#json/json.js';
import type { Context } from '#schema/context.js';
import { isAtomic, isQuery, readOperations, requireFlags, type SentOperation } from './batch.js';
import { runBatch } from './batch-run.js';
import { createBodyReader, type ReadBody } from './body.js';
import { CompiledQueryCache } from './compiled-query-cache.js';
import type { GraphContext } from './context.js';
import { limitCost } from './cost-limit.js';
import { countOperations, type ObserveOperation } from './count-operations.js';
import { bounds, boundsRule, exceeded } from './document-limit.js';
import { answerGraphErrors, createErrorFormat, type ErrorOptions } from './errors.js';
import { asGateway, createPrepare } from './execute.js';
import type { HttpAnswer } from './fast-path.js';
import { createGraphiql } from './graphiql.js';
import { createOpenQueries, type OpenQueries } from './in-process.js';
import { createEventStream } from './live/event-stream.js';
import { refuseSubscriptions } from './live/refuse.js';
import { createSocketEndpoint, type SocketEndpoint } from './live/socket.js';
import { createSubscriptions } from './live/subscription.js';
import { createSubscriptionCounter, type SubscriptionLimits } from './live/subscription-counter.js';
import { createPersistedTexts, type PersistedTexts, refuseUnweighed, resolvePersisted } from './persisted.js';
import { RequestBudget } from './request-budget.js';
import { createRun, envelopeOf, type RunOperation } from './run.js';
import { weigh } from './weight.js';

type Caller = Context['caller'];

/** Content of `response.locals` of an admitted request, set by `admitFirst`. */
interface Admitted {
  caller: Caller;
}

const callerOf = ({ res }: Request): Caller => (res as Response<unknown, Admitted>).locals.caller;

/** Dependencies of the GraphQL handler; `app` provides them. */
export interface GraphOptions {
  schema: GraphQLSchema;
  /**
   * Admits a request.
   * @throws the reason why it is refused.
   */
  admit: (request: Request) => Promise<Caller>;
  /** Waits until a request may start, as the number of running requests per organization is limited. */
  enter: (request: Request, caller: Caller) => Promise<void>;
  /**
   * Counts further requests of a caller against the rate limit.
   * @throws rateLimited
   */
  charge: (caller: Caller, response: Response, requests: number, calls?: number) => Promise<void>;
  /** Counts requests of work that was done already. */
  owe: (caller: Caller, response: Response, requests: number) => Promise<void>;
  /** Reads a JSON body of at most the given number of bytes. */
  readBody: ReadBody;
  /**
   * Counts the bytes of an answer.
   * @throws tooLarge, rateLimited
   */
  holdAnswer: (caller: Caller, response: Response, bytes: number) => void;
  /** Creates the context of operations, which share its loaders. */
  createContext: (caller: Caller, request: Request, budget: RequestBudget) => Context;
  /** Creates the context of one event of a subscription. `left` is aborted when the subscription ends. */
  createEventContext: (caller: Caller, request: Request, budget: RequestBudget, left: AbortSignal) => Context;
  errors: ErrorOptions;
  /** Receives the kind of every answered operation and its duration in seconds. */
  observe: ObserveOperation;
  /** Maximum number of unauthenticated connections per IP address; 0 is no limit. */
  perAddress: number;
  /** Limits of concurrent subscriptions. */
  live: SubscriptionLimits;
  /** Timeout of a request, in milliseconds. */
  timeout: number;
}

/** The HTTP endpoint of the graph, to be mounted at its address. */
export interface GraphEndpoint {
  router: Router;
  /** GraphiQL for browsers, to be mounted before the router. It passes on every other request. */
  page: Router;
  /** Subscriptions over WebSocket. */
  sockets: Pick<SocketEndpoint, 'upgrade'>;
  /** Answers queries of other surfaces, within their requests. */
  openQueries: OpenQueries;
  /** Returns the number of open subscriptions. */
  subscribed(): number;
  /** Ends all subscriptions and accepts no more. */
  quieten(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the GraphQL endpoint with Apollo: queries by POST and GET, mutations by POST. Operations may come in batches;
 * each is limited, and compiled once.
 */
export async function createGraph(options: GraphOptions): Promise<GraphEndpoint> {
  const { schema, errors } = options;
  const prepare = createPrepare(schema);
  const queries = new CompiledQueryCache();
  const texts = createPersistedTexts();
  const apollo = new ApolloServer<GraphContext>({
    gateway: asGateway(schema, prepare),
    introspection: true,
    // A client that sends `Authorization` has passed a preflight or is not a browser. If a page of another origin sends
    // a request with an unsafe method, `admit` refuses the session cookie.
    csrfPrevention: { requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'] },
    includeStacktraceInErrorResponses: false,
    formatError: createErrorFormat(errors),
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: bounds.tokens },
    persistedQueries: { cache: texts },
    validationRules: [boundsRule],
    // No field has cache hints, and Apollo's plugin for them adds a call and a promise to every field of every row.
    plugins: [
      countOperations(options.observe),
      refuseSubscriptions(),
      limitCost(queries, prepare),
      refuseUnweighed(),
      ApolloServerPluginCacheControlDisabled(),
    ],
  });
  await apollo.start();
  const subscriptionCounter = createSubscriptionCounter(options.live);
  const subscriptions = createSubscriptions({
    schema,
    createContext: options.createEventContext,
    errors,
    counter: subscriptionCounter,
    timeout: options.timeout,
  });
  const sockets = createSocketEndpoint({
    schema,
    subscriptions,
    admit: options.admit,
    limits: options.live,
    perAddress: options.perAddress,
    report: errors.report,
  });
  const router = Router();
  router.use(admitFirst(options.admit));
  router.use(createBodyReader(options.readBody, callerOf));
  router.use(createEventStream(subscriptions, callerOf));
  // Event streams stay open, and their number is limited separately. They must not occupy a slot of the queue.
  router.use(enterThen(options.enter));
  const run = createRun(apollo, queries, options);
  router.use(createServe(run, queries, texts, options));
  router.use(answerGraphErrors(errors));
  return {
    router,
    page: createGraphiql(),
    sockets,
    openQueries: createOpenQueries(run, contextsOf(options)),
    subscribed: subscriptionCounter.taken,
    async quieten() {
      await subscriptions.endAll();
      // Each subscription sends its `complete` before its connection is closed.
      await setImmediate();
      await sockets.close();
    },
    close: () => apollo.stop(),
  };
}

/** Admits or refuses a caller before the body is read. */
const admitFirst =
  (admit: GraphOptions['admit']): RequestHandler =>
  async (request, response, next) => {
    const locals: Partial<Admitted> = response.locals;
    locals.caller = await admit(request);
    next();
  };

/** Waits until the caller may start a request. */
const enterThen =
  (enter: GraphOptions['enter']): RequestHandler =>
  async (request, _response, next) => {
    await enter(request, callerOf(request));
    next();
  };

/** Returns the function that opens a budget for a request and creates contexts of operations within it. */
const contextsOf =
  ({ charge, owe, createContext, holdAnswer, timeout }: GraphOptions, held = (_bytes: number): void => {}) =>
  (request: Request, caller: Caller): ((position?: Caller['position']) => GraphContext) => {
    const response = request.res!;
    const budget = new RequestBudget(timeout);
    const reserve = (bytes: number) => {
      held(bytes);
      holdAnswer(caller, response, bytes);
    };
    return (position = caller.position) =>
      Object.assign(createContext({ ...caller, position: position ?? null }, request, budget), {
        budget,
        reserve,
        charge: (requests: number) => charge(caller, response, requests),
        owe: (requests: number) => owe(caller, response, requests),
      });
  };

/** Creates the handler that answers one operation, or a batch of them in order. */
function createServe(
  run: RunOperation,
  queries: CompiledQueryCache,
  texts: PersistedTexts,
  options: GraphOptions,
): RequestHandler {
  const { charge, holdAnswer } = options;
  return async (request, response) => {
    const caller = callerOf(request);
    let reserved = 0;
    const createContext = contextsOf(options, (bytes) => (reserved += bytes))(request, caller);
    const sent: unknown = request.body;
    /** Counts the bytes of the answer beyond those that were reserved before it was written. */
    const hold = (text: string): string | Buffer => {
      const bytes = toBody(text);
      holdAnswer(caller, response, Math.max(0, Buffer.byteLength(bytes) - reserved));
      return bytes;
    };
    const envelope = envelopeOf(request);
    const runSeveral = (operations: readonly SentOperation[]) => {
      // A query of a batch sees what a mutation before it changed, so it does not read on a standby.
      const position = operations.every(isQuery) ? caller.position : null;
      const runOne = (each: unknown, context: GraphContext) => run(envelope, each, context);
      return runBatch(operations, { createContext: () => createContext(position), run: runOne });
    };
    const answerOne = (answer: HttpAnswer) => {
      const bytes = hold(answer.text);
      noteFailure(response, answer);
      return send(response, answer, bytes);
    };
    const isBatch = Array.isArray(sent);
    if (isBatch && sent.length > bounds.batch) throw exceeded('batch', sent.length);
    const bodies = await resolvePersisted(isBatch ? sent : [sent], texts);
    // A cached query counts as one request, whatever it selects.
    if (isBatch || queries.find(bodies[0]) === undefined) {
      const operations = readOperations(bodies);
      requireFlags(operations, isBatch);
      const { requests, calls } = weigh(operations, isBatch);
      if (requests > 1 || calls > 1) await charge(caller, response, requests - 1, calls - 1);
      if (isBatch) {
        const answers = await runSeveral(operations);
        const text = `[${answers.map((answer) => answer.text).join(',')}]`;
        return void response.type('json').end(hold(text));
      }
      if (isAtomic(operations)) return answerOne((await runSeveral(operations))[0]!);
    }
    answerOne(await run(envelope, bodies[0], createContext()));
  };
}

/**
 * Notes an error that Apollo raises itself, such as for a query that does not parse, so that the request's log line has
 * it as it has every other refusal.
 */
function noteFailure({ locals }: Response, { status, text }: HttpAnswer): void {
  if (status < 400) return;
  const { errors = [] } = JSON.parse(text) as ExecutionResult;
  const [error] = errors;
  if (error !== undefined) locals['failure'] = { code: error.extensions?.['code'], message: error.message };
}

function send(response: Response, { status, headers }: HttpAnswer, body: string | Buffer): void {
  for (const [name, value] of headers) response.setHeader(name, value);
  response.status(status).end(body);
}
