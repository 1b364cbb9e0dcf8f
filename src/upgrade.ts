import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import type { GraphEndpoint } from './graph/handler.js';
import { wantsSocket } from './graph/live/socket.js';
import type { Upgrades } from './http-server.js';
import { identifyRequests } from './rest/request-id.js';

/** Hands connections to `/graphql` that want to speak WebSocket to the graph. */
export const createUpgrades = (app: Express, graph: GraphEndpoint): Upgrades => ({
  wants: (request) => isGraph(request) && wantsSocket(request),
  upgrade: (request, socket, head) => graph.sockets.upgrade(expressed(app, request), socket, head),
});

const isGraph = ({ url = '' }: IncomingMessage): boolean => /^\/graphql(\?|$)/.test(url);

/** An upgrade request as Express would have made it, so that it can be asked for its origin and its address. */
function expressed(app: Express, request: IncomingMessage): Request {
  const response = Object.setPrototypeOf(new ServerResponse(request), app.response) as Response;
  const seen = Object.setPrototypeOf(request, app.request) as Request;
  seen.res = response;
  identifyRequests()(seen, response, () => undefined);
  return seen;
}
