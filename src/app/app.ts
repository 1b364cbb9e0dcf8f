import express, { type Request, type Response } from 'express';
import type { Registry } from 'prom-client';
import type { ClassType, NonEmptyArray } from 'type-graphql';
import { createAuthenticate } from '#auth/authenticate.js';
import { createRecheck } from '#auth/recheck.js';
import type { Config } from '#config/config.js';
import { createInsert } from '#database/insert.js';
import { isConnectionLoss } from '#database/loss.js';
import { migrationsOfRelease } from '#database/prepare.js';
import { currentPosition } from '#database/standby/position.js';
import { createElasticsearch } from '#elasticsearch/handler.js';
import type { Caller } from '#entities/caller.js';
import { createExport } from '#export/export.js';
import { createGraph } from '#graph/handler.js';
import type { CountUnknown } from '#http/admit.js';
import { createConsole } from '#http/console.js';
import { allowOrigins } from '#http/cors.js';
import { answerErrors, refuseUnknownPath } from '#http/errors.js';
import { createHealth } from '#http/health.js';
import { createMetricsPage } from '#http/metrics-page.js';
import { originOf } from '#http/origin.js';
import { createReport } from '#http/report.js';
import { identifyRequests } from '#http/request-id.js';
import { logRequests } from '#http/request-log.js';
import { listen } from '#http/server.js';
import { allowedVerbs, answerNothingElse, answerOptions } from '#http/verbs.js';
import { version } from '#process/version.js';
import { auditEventRows } from '#resolvers/audit-events.js';
import { deliveryRows } from '#resolvers/deliveries.js';
import { episodeRows } from '#resolvers/episodes.js';
import { createAvatars } from '#rest/avatar.js';
import { createDocs } from '#rest/docs.js';
import { createRest } from '#rest/handler.js';
import { createOpenApi } from '#rest/openapi/document.js';
import { buildGraph, buildGraphForRest } from '#schema/build.js';
import type { Read } from '#schema/context.js';
import type { ExportArgs, OrganizationExportArgs } from '#schema/export.args.js';
import { createSessionReader } from '#sign-in/cookie.js';
import { createSignIn } from '#sign-in/routes.js';
import { createAdmission } from './admission.js';
import { createAssistants, createGraphRequests } from './assistants.js';
import { pagesOfMail } from './mail.js';
import { createOperationMetrics, createRequestMetrics, observeSubscriptions } from './metrics.js';
import { listenForMqtt } from './mqtt-listener.js';
import { createReadyCheck } from './ready.js';
import { Call, type CallResources } from './request-context.js';
import { createResolvers } from './resolver-list.js';
import { openServices, type Services, type ServicesOptions } from './services.js';
import { createWarmUp } from './warm-up.js';
import { createUpgrades } from './websocket-upgrade.js';

/** Base path of the REST API: the product segment and the version (contract, section 15). */
export const basePath = '/ddp/v1';

/** A running service. */
export interface Service {
  /** Origin of the HTTP server. */
  readonly url: string;
  /** Address where devices publish over MQTT; undefined when MQTT is off. */
  readonly mqttUrl: string | undefined;
  /** Makes `/readyz` answer that the service cannot serve. Requests are answered as before. */
  drain(): void;
  /**
   * Stops accepting connections, as other processes take new ones; after that, every answer ends its connection.
   * Resolves when new connections are refused.
   */
  leave(): Promise<void>;
  /** Metrics of this service. */
  readonly registry: Registry;
  /** @throws the reason why the service cannot serve. */
  checkReady(): Promise<void>;
  /** Stops accepting, finishes requests in flight, settles deliveries and closes the connections to the database. */
  close(): Promise<void>;
}

/** Time that requests in flight have to finish when the service stops, in milliseconds. */
const stopTimeout = 10_000;

/** Opens the services and listens. */
export async function startService(options: ServicesOptions): Promise<Service> {
  const { config } = options;
  const services = await openServices(options);
  try {
    const state = { draining: false };
    const { app, graph, admission, authenticate, checkReady } = await createApp(options, services, state);
    const { accept } = admission.limit;
    const server = await listen(app, config, createUpgrades(app, graph), { ...config.http, accept });
    const mqtt = await listenForMqtt(options, { services, admission, authenticate });
    return {
      url: server.url,
      mqttUrl: mqtt?.url,
      drain() {
        state.draining = true;
      },
      leave() {
        mqtt?.leave();
        return server.leave();
      },
      registry: services.registry,
      checkReady,
      async close() {
        const until = Date.now() + stopTimeout;
        // Closing the server would otherwise wait for open streams.
        await graph.quieten();
        await Promise.all([server.close(stopTimeout), mqtt?.close(stopTimeout)]);
        await graph.close();
        await services.close(Math.max(0, until - Date.now()));
      },
    };
  } catch (error) {
    await services.close(0);
    throw error;
  }
}

/** Collects the resources that all calls share. */
export const createResources = (
  config: Config,
  services: Services,
  countUnknown: CallResources['countUnknown'],
): CallResources => ({
  reads: services.reads,
  insert: createInsert(services.orm),
  wake: services.hooks.wake,
  counts: new Map(),
  fork: (trail) => trail.fork(services.orm.em),
  refusals: services.refusals,
  originOf: originBy(config),
  countUnknown,
});

/** Returns the origin of the service as a request sees it. */
const originBy =
  ({ publicUrl }: Config) =>
  (request: Request): string =>
    publicUrl ?? originOf(request);

/** Creates what browsers and Prometheus open beside the API and the console. */
const pagesBeside = (
  { config, worker }: Pick<ServicesOptions, 'config' | 'worker'>,
  { registry, pool, accessReader, clock, mail }: Services,
  countUnknown: CountUnknown,
) => [
  createMetricsPage({
    render: worker?.renderMetrics ?? (() => registry.metrics()),
    contentType: registry.contentType,
    token: config.metricsToken,
    isProxied: config.trustProxy !== undefined,
  }),
  createSignIn({
    pool,
    read: accessReader.read,
    clock,
    providers: config.oidc,
    originOf: originBy(config),
    countUnknown,
  }),
  createAvatars(),
  ...pagesOfMail(mail, countUnknown),
];

const openExport = ({ index, clock, orm, reads }: Services, read: Read) =>
  createExport({
    index,
    clock,
    recheck: createRecheck(read),
    readWithin: reads.readWithin,
    deliveryRows,
    episodeRows: episodeRows(),
    auditEventRows: auditEventRows(),
    note: (event) => orm.em.getConnection().execute(event.sql, [...event.values]),
  });

async function createApp(
  { config, log, worker, warm }: ServicesOptions,
  services: Services,
  state: { draining: boolean },
) {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', false);
  if (config.trustProxy !== undefined) app.set('trust proxy', config.trustProxy);
  const instances = createResolvers(services);
  const resolvers = [...instances.keys()] as unknown as NonEmptyArray<ClassType>;
  const container = { get: (type: ClassType) => instances.get(type) };
  const { read } = services.accessReader;
  const warmUp = createWarmUp(
    createAuthenticate(read, config.databaseReadUrls.length > 0 ? currentPosition : undefined),
  );
  const { authenticate } = warmUp;
  const admission = createAdmission(config, app, authenticate, warmUp.counting(services.usage.count));
  const { admit, enter, inFlight } = admission;
  const withSession = createSessionReader(originBy(config));
  const admitPerson = (request: Request, response: Response) => admit(withSession(request), response);
  const resources = createResources(config, services, (request) => admission.countUnknown(request, request.res!));
  const createContext = (caller: Caller, request: Request) =>
    new Call(caller, request, resources, inFlight.rows(caller, request.res!));
  const sendExport = openExport(services, read);
  const restGraph = buildGraphForRest({ resolvers, container });
  const rest = createRest({
    base: basePath,
    schema: restGraph,
    admit,
    admitIngest: admission.admitIngest,
    admitDownload: admitPerson,
    enter,
    inFlight,
    createContext,
    sendFile: (context, values, response, hold) =>
      sendExport(context, values as unknown as ExportArgs | OrganizationExportArgs, response, hold),
  });
  const report = createReport(log, isConnectionLoss);
  const elasticsearch = createElasticsearch({
    base: basePath,
    admit,
    enter,
    createContext,
    search: services.index,
    cursors: services.cursors,
    clock: services.clock,
    inFlight,
    isConnectionLoss,
    report,
  });
  const graphSchema = buildGraph({ resolvers, container });
  const graphRequests = createGraphRequests(admission);
  const graph = await createGraph({
    schema: graphSchema,
    admit: (request) => admitPerson(request, request.res!),
    ...admission.counted,
    ...graphRequests,
    createContext: (caller, request, budget) =>
      new Call(caller, request, resources, inFlight.rows(caller, request.res!), budget),
    // The caller was authenticated before the event.
    createEventContext: ({ position: _, ...caller }, request, budget, left) =>
      new Call(caller, request, resources, inFlight.eventRows(), budget, left),
    live: config.live,
    perAddress: config.http.perAddress,
    timeout: config.graph.timeout,
    errors: { isConnectionLoss, report },
    observe: createOperationMetrics(services.registry),
  });
  observeSubscriptions(services.registry, graph.subscribed);
  const assistants = createAssistants({ config, admission, graphRequests, originOf: originBy(config) }, services, {
    schema: graphSchema,
    openQueries: graph.openQueries,
    isConnectionLoss,
    report,
  });
  app.use(identifyRequests());
  if (services.tracing) app.use(services.tracing.requests);
  app.use(
    logRequests(log, createRequestMetrics(services.registry)),
    allowOrigins(config.corsOrigins),
    elasticsearch,
    rest,
  );
  const checkReady = createReadyCheck(state, read, await migrationsOfRelease());
  app.use(createHealth(version, checkReady));
  app.use(...pagesBeside({ config, worker }, services, admission.countUnknown));
  app.use(
    basePath,
    createDocs(() => createOpenApi(restGraph, basePath)),
  );
  app.use(createConsole(), assistants);
  // Registered before the page, because Express answers OPTIONS itself for a router without a handler for it.
  app.options('/graphql', (_request, response) => answerOptions(response, allowedVerbs(['GET', 'POST'])));
  app.use('/graphql', graph.page);
  const route = app.route('/graphql').get(graph.router).post(graph.router);
  answerNothingElse(route, ['GET', 'POST']);
  const warmed = [elasticsearch, rest, express.Router().use('/graphql', graph.router)];
  if (warm !== undefined) await warmUp.run(warmed, basePath, services, warm);
  app.use(refuseUnknownPath);
  app.use(answerErrors({ isConnectionLoss, report }));
  return { app, graph, admission, authenticate, checkReady };
}
