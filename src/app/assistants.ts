import type { Request, Router } from 'express';
import type { Config } from '#config/config.js';
import type { GraphOptions } from '#graph/handler.js';
import type { Admission } from '#http/admission.js';
import { readBody } from '#http/body.js';
import { createMcp, type McpOptions } from '#mcp/endpoint.js';
import { buildVersion } from '#runtime/version.js';
import { createToolMetrics } from './metrics.js';
import type { Services } from './services.js';

/** The limits that requests of the graph share, over whichever address they come. */
type GraphRequests = Pick<GraphOptions, 'enter' | 'readBody' | 'holdAnswer'>;

/** Creates these limits. */
export const createGraphRequests = ({ enter, inFlight }: Admission): GraphRequests => ({
  enter: (request, caller) => enter('graph', caller, request.res!),
  readBody: async (request, caller, bytes) => {
    const sender = { hold: inFlight.body(caller, request.res!), organizationId: caller.organizationId };
    return (await readBody(request, { bytes, lines: false }, sender)).text;
  },
  holdAnswer: (caller, response, bytes) => inFlight.answer(caller, response)(bytes),
});

/** Admission of requests. */
interface Requests {
  config: Pick<Config, 'corsOrigins'>;
  admission: Admission;
  graphRequests: GraphRequests;
  originOf: (request: Request) => string;
}

/** Creates the endpoint for assistants. Sessions of browsers do not count there. */
export function createAssistants(
  { config, admission, graphRequests, originOf }: Requests,
  { cursors, registry }: Pick<Services, 'cursors' | 'registry'>,
  graph: Pick<McpOptions, 'schema' | 'openQueries' | 'isConnectionLoss' | 'report'>,
): Router {
  const known = new Set(config.corsOrigins);
  return createMcp('/mcp', {
    ...graph,
    ...graphRequests,
    version: buildVersion,
    signs: cursors.ids,
    admit: (request) => admission.admit(request, request.res!),
    charge: admission.counted.charge,
    isKnownOrigin: (request, origin) => origin === originOf(request) || known.has(origin) || known.has('*'),
    observe: createToolMetrics(registry),
  });
}
