import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { type ExecutionResult, GraphQLError, type GraphQLFormattedError, type GraphQLSchema, parse } from 'graphql';
import { CloseCode, handleProtocols, makeServer, type Server } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { ApiError } from '#common/errors.js';
import type { Context } from '#schema/context.js';
import { bounds } from '../document-limit.js';
import { Ended, type Subscriptions } from './subscription.js';
import { createSubscriptionCounter, type SubscriptionLimits } from './subscription-counter.js';
import { createUnauthenticated, type UnauthenticatedConnection } from './unauthenticated.js';

/** Time within which a client has to authenticate, in milliseconds. */
const initTimeout = 3000;
/** Interval between pings, in milliseconds. A client that has not answered a ping by the next one is disconnected. */
const keepAlive = 20_000;
/**
 * Maximum number of bytes that a client may leave unread before it is disconnected. Subscriptions wait until the client
 * has read what they sent.
 */
const maxUnsentBytes = 8 * 1024 * 1024;
/** Time that closing a connection may take, in milliseconds. */
const closeTimeout = 1000;

/** Close codes of RFC 6455 and of the protocol graphql-transport-ws. */
const codes = {
  goingAway: 1001,
  internal: 1011,
  tryLater: 1013,
  unauthorized: 4401,
  forbidden: 4403,
  tooMany: 4429,
} as const;

export interface SocketOptions {
  schema: GraphQLSchema;
  subscriptions: Subscriptions;
  /**
   * Admits a request by its `Authorization` or session, and counts it as one request.
   * @throws the reason why it is refused.
   */
  admit: (request: Request) => Promise<Context['caller']>;
  /** Limits of authenticated connections. */
  limits: SubscriptionLimits;
  /** Maximum number of unauthenticated connections per IP address; 0 is no limit. */
  perAddress: number;
  report: (cause: unknown) => void;
}

/** The WebSocket endpoint for subscriptions. */
export interface SocketEndpoint {
  /** Takes over the connection of an upgrade request. */
  upgrade(request: Request, socket: Duplex, head: Buffer): void;
  /** Closes all connections (code 1001) and disconnects clients that do not answer. */
  close(): Promise<void>;
}

interface Extra {
  request: Request;
  socket: WebSocket;
  pending: UnauthenticatedConnection;
}

/**
 * Creates the WebSocket endpoint, which speaks the protocol graphql-transport-ws. A client authenticates with
 * `authorization` in its connection parameters or with the header `Authorization`. Browsers send neither on their own.
 * They send the session cookie, which is accepted only from pages of this service.
 */
export function createSocketEndpoint(options: SocketOptions): SocketEndpoint {
  const { limits, perAddress, report } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: bounds.message, handleProtocols });
  const unauthenticated = createUnauthenticated({ perAddress, perProcess: limits.perProcess });
  let closed = false;

  const server = createProtocol(options);
  return {
    upgrade(request, socket, head) {
      // The client may be gone before it is answered. Without a listener, the error event would end the process.
      socket.on('error', () => undefined);
      if (closed) return refuse(socket, '503 Service Unavailable');
      let close = () => void socket.destroy();
      const pending = unauthenticated.take(request.ip ?? '', () => close());
      if (pending === undefined) return refuse(socket, '429 Too Many Requests');
      socket.once('close', pending.release);
      sockets.handleUpgrade(request, socket, head, (accepted) => {
        close = () => {
          accepted.close(CloseCode.ConnectionInitialisationTimeout, 'Authenticate at once: other connections wait.');
          setTimeout(() => accepted.terminate(), closeTimeout).unref();
        };
        serveSocket(server, accepted, { request, pending }, report);
      });
    },
    async close() {
      closed = true;
      await closeAll(sockets);
    },
  };
}

/** Creates the protocol server, which authenticates clients and opens their subscriptions. */
function createProtocol({ schema, subscriptions, admit, limits, report }: SocketOptions): Server<Extra> {
  const counter = createSubscriptionCounter({ ...limits, perConnection: 1 });
  return makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: initTimeout,
    async onConnect({ connectionParams, extra: { request, socket, pending } }) {
      const given = authorizationOf(connectionParams);
      if (given !== undefined) request.headers.authorization = given;
      try {
        const { tokenId } = await admit(request);
        socket.once('close', counter.take(socket, tokenId));
        pending.release();
        return true;
      } catch (error) {
        turnAway(socket, error, report);
        return false;
      }
    },
    async onSubscribe({ extra: { request, socket } }, _id, payload) {
      let answer: Awaited<ReturnType<Subscriptions['open']>>;
      try {
        answer = await subscriptions.open(payload, { caller: await admit(request), request, connection: socket });
      } catch (error) {
        turnAway(socket, error, report);
        return [new GraphQLError('The connection is being closed.')];
      }
      if ('errors' in answer) return answer.errors.map(asError);
      // graphql-ws passes these arguments on to `subscribe`.
      return { schema, document: placeholder, contextValue: answer.results };
    },
    // The results already have the form in which they are sent; `onNext` passes them on.
    subscribe: ({ contextValue }) => contextValue as AsyncGenerator<ExecutionResult>,
    onNext: (_context, _id, _payload, _run, result) => result,
    onError: (_context, _id, _payload, [error]) =>
      error?.originalError instanceof Ended ? [...error.originalError.errors] : undefined,
  });
}

/** Hands a connection to the protocol server, and pings the client until the connection is closed. */
function serveSocket(
  server: Server<Extra>,
  socket: WebSocket,
  client: Omit<Extra, 'socket'>,
  report: SocketOptions['report'],
): void {
  let alive = true;
  const beat = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    socket.ping();
  }, keepAlive);
  socket.on('pong', () => (alive = true));
  socket.on('ping', () => socket.bufferedAmount > maxUnsentBytes && socket.terminate());
  // The event `close` follows an error.
  socket.on('error', () => undefined);
  const left = server.opened(
    {
      protocol: socket.protocol,
      send: (text) =>
        new Promise((resolve) => {
          if (socket.readyState !== socket.OPEN) return resolve();
          socket.send(text, () => resolve());
          if (socket.bufferedAmount > maxUnsentBytes) socket.terminate();
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (take) =>
        socket.on('message', (data) => {
          take(String(data as Buffer)).catch((error: unknown) => {
            report(error);
            socket.close(codes.internal, 'An unexpected error occurred.');
          });
        }),
    },
    { ...client, socket },
  );
  socket.once('close', (code, reason) => {
    clearInterval(beat);
    left(code, String(reason)).catch(report);
  });
}

/** Closes all connections, and disconnects the clients that do not answer in time. */
async function closeAll(sockets: WebSocketServer): Promise<void> {
  const leaving = [...sockets.clients].map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.close(codes.goingAway, 'The service stops. Connect again.');
      }),
  );
  const cut = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate();
  }, closeTimeout);
  await Promise.all(leaving);
  clearTimeout(cut);
  sockets.close();
}

/** Refuses an upgrade request with an HTTP answer that asks the client to retry after a second. */
const refuse = (socket: Duplex, status: string): void =>
  void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nRetry-After: 1\r\n\r\n`);

/** Replaces the document of a subscription that was read and opened already. */
const placeholder = parse('subscription { placeholder }');

/** Whether a request asks for an upgrade to WebSocket. */
export const wantsSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined && /^websocket$/i.test(headers.upgrade);

const authorizationOf = (parameters: Record<string, unknown> | undefined): string | undefined => {
  const [, value] = Object.entries(parameters ?? {}).find(([name]) => name.toLowerCase() === 'authorization') ?? [];
  return typeof value === 'string' ? value : undefined;
};

function turnAway(socket: WebSocket, error: unknown, report: (cause: unknown) => void): void {
  const code = error instanceof ApiError ? error.code : undefined;
  if (code === 'UNAUTHENTICATED') return socket.close(codes.unauthorized, 'Unauthorized');
  if (code === 'FORBIDDEN') return socket.close(codes.forbidden, 'Forbidden');
  if (code === 'RATE_LIMITED') return socket.close(codes.tooMany, 'Too many requests');
  if (code === 'UNAVAILABLE') return socket.close(codes.tryLater, 'The database cannot be reached');
  report(error);
  socket.close(codes.internal, 'An unexpected error occurred.');
}

const asError = ({ message, path, extensions }: GraphQLFormattedError): GraphQLError =>
  new GraphQLError(message, { ...(path && { path }), ...(extensions && { extensions }) });
