import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import type { GraphEndpoint } from '#graph/handler.js';
import { wantsSocket } from '#graph/live/socket.js';
import { identifyRequests } from '#http/request-id.js';
import type { Upgrades } from '#http/server.js';

/** Passes WebSocket upgrades of `/graphql` to the graph. */
export const createUpgrades = (app: Express, graph: GraphEndpoint): Upgrades => ({
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
