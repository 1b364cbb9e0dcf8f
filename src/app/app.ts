import { type IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';
import type { Registry } from 'prom-client';
import sql from 'sql-template-tag';
import { createAuthenticate } from '#auth/authenticate.js';
import { ApiError, unavailable } from '#common/errors.js';
import { isConnectionLoss } from '#database/connection-loss.js';
import { migrationsOfRelease } from '#database/prepare.js';
import { currentPosition } from '#database/standby/position.js';
import type { GraphEndpoint } from '#graph/handler.js';
import { wantsSocket } from '#graph/live/socket.js';
import { type CountUnknown, createAdmission } from '#http/admission.js';
import { readAddresses } from '#http/client-network.js';
import { createConsole } from '#http/console.js';
import { allowOrigins } from '#http/cors.js';
import { answerErrors, refuseUnknownPath } from '#http/errors.js';
import { createHealth } from '#http/health.js';
import { createMetricsPage } from '#http/metrics-page.js';
import { createReport } from '#http/report.js';
import { identifyRequests } from '#http/request-id.js';
import { logRequests } from '#http/request-log.js';
import { listen, type Upgrades } from '#http/server.js';
import { allowedVerbs, answerNothingElse, answerOptions } from '#http/verbs.js';
import { createAvatars } from '#rest/avatar.js';
import { createDocs } from '#rest/docs.js';
import { createOpenApi } from '#rest/openapi/document.js';
import { releaseMemory, releaseWhenQuiet } from '#runtime/memory.js';
import { buildVersion } from '#runtime/version.js';
import type { Read } from '#schema/context.js';
import { createSignIn } from '#sign-in/routes.js';
import { createAssetFinder } from './console-assets.js';
import { pagesOfMail } from './mail.js';
import { createRequestMetrics } from './metrics.js';
import { listenForMqtt } from './mqtt-listener.js';
import { openServices, type Services, type ServicesOptions } from './services.js';
import { basePath, createSurfaces, originBy } from './surfaces.js';
import { warmUp } from './warm-up.js';

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
    const mqtt = await listenForMqtt(options, { services, admission, authenticate }).catch(async (error: unknown) => {
      await server.close(0);
      throw error;
    });
    const stopReleasing = releaseWhenQuiet();
    return {
      url: server.url,
      mqttUrl: mqtt?.url,
      drain() {
        state.draining = true;
      },
      leave() {
        mqtt?.leave();
        services.downlink.quieten();
        return server.leave();
      },
      registry: services.registry,
      checkReady,
      async close() {
        const until = Date.now() + stopTimeout;
        stopReleasing();
        // Closing the server would otherwise wait for open streams, and for devices that wait for commands.
        await graph.quieten();
        services.downlink.quieten();
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

/** Creates the HTTP application: what a request passes, in order. */
async function createApp(
  { config, log, worker, warm }: ServicesOptions,
  services: Services,
  state: { draining: boolean },
) {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', false);
  if (config.trustProxy !== undefined) app.set('trust proxy', config.trustProxy);
  readAddresses(app);
  const { read } = services.accessReader;
  const authenticate = createAuthenticate(read, config.databaseReadUrls.length > 0 ? currentPosition : undefined);
  const admission = createAdmission(config, app, { authenticate, countCalls: services.usage.count });
  const report = createReport(log, isConnectionLoss);
  const surfaces = await createSurfaces({ config, services, admission, report });
  const { rest, elasticsearch, graph } = surfaces;
  const checkReady = createReadyCheck(state, read, await migrationsOfRelease());

  app.use(identifyRequests());
  if (services.tracing) app.use(services.tracing.requests);
  app.use(logRequests(log, createRequestMetrics(services.registry)));
  app.use(allowOrigins(config.corsOrigins));
  // Mounted first: each router that a request passes takes time, and requests of the graph take the least.
  // Registered before the page, because Express answers OPTIONS itself for a router without a handler for it.
  app.options('/graphql', (_request, response) => answerOptions(response, allowedVerbs(['GET', 'POST'])));
  app.use('/graphql', graph.page);
  const route = app.route('/graphql').get(graph.router).post(graph.router);
  answerNothingElse(route, ['GET', 'POST']);
  app.use(rest, elasticsearch);
  app.use(createHealth(buildVersion, checkReady));
  app.use(...pagesBeside({ config, worker, log }, services, admission.countUnknown));
  app.use(
    basePath,
    createDocs(() => createOpenApi(surfaces.restSchema, basePath)),
  );
  const findAsset = createAssetFinder(services.accessReader);
  app.use(createConsole({ findAsset, countUnknown: admission.countUnknown }), surfaces.assistants);
  if (warm !== undefined) {
    const handlers = [elasticsearch, rest, express.Router().use('/graphql', graph.router)];
    const { index, registry } = services;
    await warmUp({ admission, handlers, base: basePath, index, registry }, warm);
    // Now, as nobody waits for an answer yet.
    releaseMemory();
  }
  app.use(refuseUnknownPath);
  app.use(answerErrors({ isConnectionLoss, report }));
  return { app, graph, admission, authenticate, checkReady };
}

/** Creates what browsers and Prometheus open beside the API and the console. */
const pagesBeside = (
  { config, worker, log }: Pick<ServicesOptions, 'config' | 'worker' | 'log'>,
  { registry, pool, accessReader, clock, mail, sparseEvents }: Services,
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
    isProxied: config.trustProxy !== undefined,
    countUnknown,
    log,
    registry,
    sparseEvents,
  }),
  createAvatars(),
  ...pagesOfMail(mail, countUnknown),
];

/**
 * Throws the reason why the service cannot serve: it is stopping, the database is unreachable, or migrations are
 * missing.
 */
const createReadyCheck =
  (state: { draining: boolean }, read: Read, migrations: readonly string[]) => async (): Promise<void> => {
    if (state.draining) throw unavailable('The service is stopping.');
    const applied = await read(sql`select from migration where name = any(${migrations})`);
    if (applied.length < migrations.length) throw new ApiError('UNAVAILABLE', 'The database lacks migrations.');
  };

/** Passes WebSocket upgrades of `/graphql` to the graph. */
const createUpgrades = (app: Express, graph: GraphEndpoint): Upgrades => ({
  wants: (request) => isGraph(request) && wantsSocket(request),
  upgrade: (request, socket, head) => graph.sockets.upgrade(expressed(app, request), socket, head),
});

const isGraph = ({ url = '' }: IncomingMessage): boolean => /^\/graphql(\?|$)/.test(url);

/** Turns an upgrade request into one of Express, so that its origin and IP address can be read. */
function expressed(app: Express, request: IncomingMessage): Request {
  const response = Object.setPrototypeOf(new ServerResponse(request), app.response) as Response;
  const seen = Object.setPrototypeOf(request, app.request) as Request;
  seen.res = response;
  identifyRequests()(seen, response, () => undefined);
  return seen;
}
