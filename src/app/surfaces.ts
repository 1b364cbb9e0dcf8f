import type { Request, Response } from 'express';
import type { ClassType, NonEmptyArray } from 'type-graphql';
import { createRecheck } from '#auth/recheck.js';
import type { Config } from '#config/config.js';
import { isConnectionLoss } from '#database/connection-loss.js';
import { createGroupCommit } from '#database/group-commit.js';
import { createInsert } from '#database/insert.js';
import { createUpdate } from '#database/update.js';
import { createElasticsearch } from '#elasticsearch/handler.js';
import type { Caller } from '#entities/caller.js';
import { createExport } from '#export/export.js';
import { createGraph } from '#graph/handler.js';
import type { Admission } from '#http/admission.js';
import { originOf } from '#http/origin.js';
import type { Report } from '#http/report.js';
import { auditEventRows } from '#listing/audit-events.js';
import { deliveryRows } from '#listing/deliveries.js';
import { episodeRows } from '#listing/episodes.js';
import { createRest } from '#rest/handler.js';
import { buildGraph, buildGraphForRest } from '#schema/build.js';
import type { ExportArgs, OrganizationExportArgs } from '#schema/export.args.js';
import { createSessionReader } from '#sign-in/session-cookie.js';
import { createAssistants, createGraphRequests } from './assistants.js';
import { createOperationMetrics, observeSubscriptions } from './metrics.js';
import { Call, type CallResources } from './request-context.js';
import { createResolvers } from './resolver-list.js';
import type { Services } from './services.js';

/** Base path of the REST API: the product segment and the version (contract, section 15). */
export const basePath = '/ddp/v1';

/** Parts of the application that all surfaces use. */
export interface SurfaceParts {
  config: Config;
  services: Services;
  admission: Admission;
  report: Report;
}

/** Creates the surfaces over the resolvers: REST, GraphQL, Elasticsearch and assistants. */
export async function createSurfaces(parts: SurfaceParts) {
  const { config, services, admission, report } = parts;
  const instances = createResolvers(services, config);
  const resolvers = [...instances.keys()] as unknown as NonEmptyArray<ClassType>;
  const container = { get: (type: ClassType) => instances.get(type) };
  const restSchema = buildGraphForRest({ resolvers, container });
  const graphSchema = buildGraph({ resolvers, container });
  const resources = createResources(config, services, (request) => admission.countUnknown(request, request.res!));
  const createContext = (caller: Caller, request: Request) =>
    new Call(caller, request, resources, admission.inFlight.rows(caller, request.res!));
  const withSession = createSessionReader(resources.originOf);
  const admitPerson = (request: Request, response: Response) => admission.admit(withSession(request), response);
  const graphRequests = createGraphRequests(admission);
  const graph = await createGraph({
    schema: graphSchema,
    admit: (request) => admitPerson(request, request.res!),
    ...admission.counted,
    ...graphRequests,
    createContext: (caller, request, budget) =>
      new Call(caller, request, resources, admission.inFlight.rows(caller, request.res!), budget),
    // The caller was authenticated before the event.
    createEventContext: ({ position: _, ...caller }, request, budget, left) =>
      new Call(caller, request, resources, admission.inFlight.eventRows(), budget, left),
    live: config.live,
    perAddress: config.http.perAddress,
    timeout: config.graph.timeout,
    errors: { isConnectionLoss, report },
    observe: createOperationMetrics(services.registry),
  });
  observeSubscriptions(services.registry, graph.subscribed);
  const assistants = createAssistants({ config, admission, graphRequests, originOf: resources.originOf }, services, {
    schema: graphSchema,
    openQueries: graph.openQueries,
    isConnectionLoss,
    report,
  });
  const sendExport = openExport(services);
  const rest = createRest({
    base: basePath,
    schema: restSchema,
    admit: admission.admit,
    admitIngest: admission.admitIngest,
    admitFile: admitPerson,
    enter: admission.enter,
    inFlight: admission.inFlight,
    createContext,
    sendFile: (context, values, response, hold) =>
      sendExport(context, values as unknown as ExportArgs | OrganizationExportArgs, response, hold),
  });
  return { rest, restSchema, graph, assistants, elasticsearch: openElasticsearch(parts, createContext) };
}

const openElasticsearch = (
  { services, admission, report }: SurfaceParts,
  createContext: (caller: Caller, request: Request) => Call,
) =>
  createElasticsearch({
    base: basePath,
    admit: admission.admit,
    enter: admission.enter,
    createContext,
    search: services.index,
    cursors: services.cursors,
    clock: services.clock,
    inFlight: admission.inFlight,
    isConnectionLoss,
    report,
  });

const openExport = ({ index, clock, orm, reads, accessReader }: Services) =>
  createExport({
    index,
    clock,
    recheck: createRecheck(accessReader.read),
    readWithin: reads.readWithin,
    deliveryRows,
    episodeRows: episodeRows(),
    auditEventRows: auditEventRows(),
    note: (event) => orm.em.getConnection().execute(event.sql, [...event.values]),
  });

/** Collects the resources that all calls share. */
export const createResources = (
  config: Config,
  services: Services,
  countUnknown: CallResources['countUnknown'],
): CallResources => {
  const commit = createGroupCommit(() => services.orm.em.getConnection().getNativeClient());
  return {
    reads: services.reads,
    insert: createInsert(services.orm, commit),
    update: createUpdate(services.orm, commit),
    wake: services.hooks.wake,
    counts: new Map(),
    fork: (trail) => trail.fork(services.orm.em),
    sparseEvents: services.sparseEvents,
    originOf: originBy(config),
    countUnknown,
  };
};

/** Returns the function that finds the origin of the service as a request sees it. */
export const originBy =
  ({ publicUrl }: Config) =>
  (request: Request): string =>
    publicUrl ?? originOf(request);
