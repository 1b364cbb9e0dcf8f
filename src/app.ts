import { createServer, type Server } from 'node:http';
import { MikroORM } from '@mikro-orm/postgresql';
import express, { type Express, type Request } from 'express';
import sql from 'sql-template-tag';
import type { ClassType, NonEmptyArray } from 'type-graphql';
import { ormOptions } from '../mikro-orm.config.js';
import { authenticate } from './auth/authenticate.js';
import { Call, type CallResources } from './call.js';
import type { Config } from './config.js';
import { createBoundedRead } from './database/bounded.js';
import { migrate } from './database/migrate.js';
import { createPool } from './database/pools.js';
import { createReader } from './database/reader.js';
import type { Caller } from './entities/caller.js';
import { createGraph } from './graph/handler.js';
import type { Log } from './log.js';
import { AccountResolver } from './resolvers/account.resolver.js';
import { ApplicationResolver } from './resolvers/application.resolver.js';
import { DeviceResolver } from './resolvers/device.resolver.js';
import { OrganizationResolver } from './resolvers/organization.resolver.js';
import { ProductResolver } from './resolvers/product.resolver.js';
import { TeamResolver } from './resolvers/team.resolver.js';
import { createAdmit } from './rest/admit.js';
import { createAvatars } from './rest/avatar.js';
import { allowOrigins } from './rest/cors.js';
import { answerErrors, refuseUnknownPath } from './rest/errors.js';
import { createRest } from './rest/handler.js';
import { originOf } from './rest/origin.js';
import { identifyRequests } from './rest/request-id.js';
import { buildGraph, buildGraphForRest } from './schema/build.js';

/** Where the REST surface lies: the product segment and the version (specification, section 9). */
export const basePath = '/ddp/v1';

/** What a service is started with. */
export interface ServiceOptions {
  config: Config;
  /** The database, embedded or not. */
  connectionString: string;
  /** Keys for stored secrets, the newest first. */
  secretKeys: readonly string[];
  log: Log;
}

/** A running service. */
export interface Service {
  /** Its address. */
  readonly url: string;
  /** Stops accepting, finishes what is in flight, settles deliveries and lets go of the database. */
  close(): Promise<void>;
}

/** Migrates the database, connects the rooms and listens. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, connectionString, log } = options;
  const orm = await MikroORM.init(ormOptions(connectionString));
  await migrate(orm);
  const pool = createPool(connectionString, { name: 'ddp' });
  const reader = createReader(connectionString);
  const { app, close: closeApp } = await createApp(config, log, {
    read: reader.read,
    readWithin: createBoundedRead(pool),
    wake: () => undefined,
    fork: () => orm.em.fork(),
    originOf: (request) => config.publicUrl ?? originOf(request),
  });
  const server = await listen(app, config);
  return {
    url: addressOf(server),
    async close() {
      await stop(server);
      await closeApp();
      await reader.close();
      await pool.end();
      await orm.close();
    },
  };
}

/** The resolver classes and their instances. */
function createResolvers(): Map<ClassType, object> {
  const resolvers = [
    new AccountResolver(),
    new ApplicationResolver(),
    new DeviceResolver(),
    new OrganizationResolver(),
    new ProductResolver(),
    new TeamResolver(),
  ];
  return new Map(resolvers.map((resolver) => [resolver.constructor as ClassType, resolver]));
}

async function createApp(config: Config, log: Log, resources: CallResources): Promise<{ app: Express; close(): Promise<void> }> {
  const instances = createResolvers();
  const resolvers = [...instances.keys()] as unknown as NonEmptyArray<ClassType>;
  const container = { get: (type: ClassType) => instances.get(type) };
  const admitWith = (perSecond: number) =>
    createAdmit<Caller>((request) => authenticate(resources.read, request.headers.authorization), perSecond);
  const admit = admitWith(config.rateLimit);
  const createContext = (caller: Caller, request: Request) => new Call(caller, request, resources);
  const rest = createRest<Caller>({
    schema: buildGraphForRest({ resolvers, container }),
    admit,
    admitIngest: admitWith(config.ingestRateLimit),
    createContext,
    origin: config.publicUrl,
  });
  const graph = await createGraph({
    schema: buildGraph({ resolvers, container }),
    createContext: async (request) => createContext(await admit(request, request.res!), request),
    report: (cause) => log.error({ err: cause }, 'An error that was not foreseen.'),
  });
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  if (config.trustProxy !== undefined) app.set('trust proxy', config.trustProxy);
  app.use(identifyRequests(), logRequests(log), allowOrigins(config.corsOrigins));
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/readyz', async (_request, response) => {
    await resources.read(sql`select 1`);
    response.json({ status: 'ok' });
  });
  app.use(createAvatars());
  app.use(basePath, rest);
  app.use('/graphql', graph.router);
  app.use(refuseUnknownPath);
  app.use(
    answerErrors((cause, request) =>
      log.error({ err: cause, requestId: request.res?.getHeader('X-Request-Id') }, 'An error that was not foreseen.'),
    ),
  );
  return { app, close: graph.close };
}

/** One line a request: never a token, a body or a query string. */
const logRequests =
  (log: Log): express.RequestHandler =>
  (request, response, next) => {
    const { method, path } = request;
    const begun = performance.now();
    response.once('finish', () => {
      const milliseconds = Math.round((performance.now() - begun) * 10) / 10;
      const requestId = response.getHeader('X-Request-Id');
      log.info({ requestId, method, path, status: response.statusCode, milliseconds }, 'request');
    });
    next();
  };

function listen(app: Express, { port, host }: Config): Promise<Server> {
  const server = createServer(app);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The service does not listen on a port.');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** How long requests in flight may take to finish, in milliseconds. */
const patience = 10_000;

/** Stops accepting; idle connections close at once, busy ones when they are done or when patience ends. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), patience);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
