import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endListening, type ListenAddress, listeningAddress, listenTogether, type Take } from './listen.js';
import { createRefusal } from './refuse-connection.js';

/** A server that listens. */
export interface HttpServer {
  /** Origin of the server with its actual port; loopback when it listens on all addresses. */
  readonly url: string;
  /** Stops accepting, then lets every answer end its connection. Resolves when new connections are refused. */
  leave(): Promise<void>;
  /** Stops accepting. Requests in flight may finish within `timeout` milliseconds, then they are cut off. */
  close(timeout: number): Promise<void>;
}

/** Takes over connections that switch to another protocol than HTTP. */
export interface Upgrades {
  /** Whether to take over this request. All others are answered as usual. */
  wants(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Settings of connections; times are in milliseconds. */
export interface Connections {
  /**
   * Time that a connection without a request is kept. It is longer than proxies keep their connections, so that a proxy
   * never sends into a closed one.
   */
  keepAliveTimeout: number;
  /** Time that a request has to arrive, including its body. After that it is answered 408 without a body. */
  requestTimeout: number;
  /**
   * Maximum number of open connections, WebSockets included; 0 is no limit. A connection beyond the limit is answered
   * 503.
   */
  maxConnections: number;
  /** Accepts a new connection; false when its address has too many. */
  accept(socket: Socket): boolean;
}

/**
 * Listens at an address. Rejects with an explanation when the address is in use.
 * @param setting name of the setting of the port, for the explanation.
 */
export async function listen(
  listener: RequestListener,
  address: ListenAddress,
  upgrades?: Upgrades,
  connections?: Connections,
  setting = 'PORT',
): Promise<HttpServer> {
  const shouldUpgradeCallback = (request: IncomingMessage) => upgrades?.wants(request) === true;
  const server = createServer({ shouldUpgradeCallback, ...(connections && timesOf(connections)) }, listener);
  if (upgrades) server.on('upgrade', (request, socket, head) => upgrades.upgrade(request, socket, head));
  const take = takeWith(server, connections);
  const all = await listenTogether(server, take, address, setting);
  const drain = drainWith(server);
  const refusing = Promise.withResolvers<void>();
  let ended: Promise<unknown> | undefined;
  let left: Promise<void> | undefined;
  const stopListening = () => (ended ??= endListening(all, refusing.resolve));
  return {
    url: `http://${listeningAddress(server)}`,
    leave() {
      void stopListening();
      // A proxy opens no new connections while its existing ones are kept, so none waits in the queue of a socket that
      // closes.
      return (left ??= refusing.promise.then(drain));
    },
    close: (timeout) => close(server, stopListening, timeout),
  };
}

/** Creates the function that makes every answer end its connection, including those of requests in progress. */
function drainWith(server: Server): () => void {
  const underWay = new Set<ServerResponse>();
  server.prependListener('request', (_request, response) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return () => {
    for (const response of underWay) if (!response.headersSent) endConnection(response);
    server.prependListener('request', (_request, response) => endConnection(response));
  };
}

/** Creates the handler of new connections. A refused connection costs no more than its socket. */
function takeWith(server: Server, connections: Pick<Connections, 'accept' | 'maxConnections'> | undefined): Take {
  const [serve] = server.listeners('connection') as Take[];
  const max = connections?.maxConnections || Number.POSITIVE_INFINITY;
  const refuse = createRefusal();
  let open = 0;
  const take: Take = (socket) => {
    if (connections?.accept(socket) === false) return socket.destroy();
    if (open >= max) return refuse(socket);
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    serve!.call(server, socket);
  };
  server.removeAllListeners('connection').on('connection', take);
  return take;
}

/**
 * Returns the server's timeouts. An idle connection is not within a request, so the headers of the next request have
 * the whole request timeout from their first byte.
 */
const timesOf = ({ keepAliveTimeout, requestTimeout }: Connections): ServerOptions => ({
  keepAliveTimeout,
  requestTimeout,
  headersTimeout: requestTimeout,
  connectionsCheckingInterval: Math.ceil(Math.min(5000, requestTimeout / 4)),
});

const endConnection = (response: ServerResponse): void => void response.setHeader('Connection', 'close');

/**
 * Closes a server, and cuts off its connections after `timeout` milliseconds.
 * @param stopListening resolves when the server, and the others that listen for it, have no connections left.
 */
async function close(server: Server, stopListening: () => Promise<unknown>, timeout: number): Promise<void> {
  // A kept-alive connection becomes idle only once its last request is answered, so idle connections are closed
  // repeatedly.
  const closing = setInterval(closeIdle, 50, server);
  const cut = setTimeout(() => server.closeAllConnections(), timeout);
  const ended = stopListening();
  closeIdle(server);
  await ended;
  clearInterval(closing);
  clearTimeout(cut);
  // Ends the timer that checks for late requests.
  server.close();
}

/**
 * Closes idle connections at the end of an event loop iteration. By then, a request that arrived on an idle connection
 * has been read.
 */
const closeIdle = (server: Server): void => void setImmediate(() => server.closeIdleConnections());
