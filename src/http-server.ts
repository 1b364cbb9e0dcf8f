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
import { endListening, type ListenAddress, listenTogether, placeOf, type Take } from './listen.js';
import { createRefusal } from './refuse-connection.js';

/** A server that listens. */
export interface HttpServer {
  /** Its origin, with the port that it got; loopback where it listens on every address. */
  readonly url: string;
  /** Stops accepting, then lets every answer end its connection; resolves when new connections are refused. */
  leave(): Promise<void>;
  /** Stops accepting; requests in flight may finish within `timeout` milliseconds, then they are cut off. */
  close(timeout: number): Promise<void>;
}

/** Takes over connections that ask to speak another protocol than HTTP. */
export interface Upgrades {
  /** Whether it wants this one; others are answered as usual. */
  wants(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** How connections are treated; times in milliseconds. */
export interface Connections {
  /** How long one without a request is kept. Longer than a proxy keeps its own, so that it never sends into a closed one. */
  keepAliveTimeout: number;
  /** How long a request may take to arrive, with its body; then it is answered 408 without a body. */
  requestTimeout: number;
  /** How many may be open at once, those of WebSockets among them; 0 is no limit. One more is answered 503. */
  maxConnections: number;
  /** Lets a new connection in, or says that its address has too many. */
  accept(socket: Socket): boolean;
}

/** Listens at an address; rejects with a sentence where it is taken. */
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
    url: `http://${placeOf(server)}`,
    leave() {
      void stopListening();
      // While a proxy keeps its connections it opens none, so that none waits in a queue that closes.
      return (left ??= refusing.promise.then(drain));
    },
    close: (timeout) => close(server, stopListening, timeout),
  };
}

/** What makes every answer end its connection, those of requests under way as well. */
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

/** What a server does with new connections: those that are not let in cost no more than their socket. */
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

/** An idle connection is in no request, so the headers of the next one have the time of a request from its first byte on. */
const timesOf = ({ keepAliveTimeout, requestTimeout }: Connections): ServerOptions => ({
  keepAliveTimeout,
  requestTimeout,
  headersTimeout: requestTimeout,
  connectionsCheckingInterval: Math.ceil(Math.min(5000, requestTimeout / 4)),
});

const endConnection = (response: ServerResponse): void => void response.setHeader('Connection', 'close');

/** @param stopListening resolves when the server, and the others that listen for it, have no connection any more */
async function close(server: Server, stopListening: () => Promise<unknown>, timeout: number): Promise<void> {
  // A kept-alive connection that is answered only now is idle from then on.
  const closing = setInterval(closeIdle, 50, server);
  const cut = setTimeout(() => server.closeAllConnections(), timeout);
  const ended = stopListening();
  closeIdle(server);
  await ended;
  clearInterval(closing);
  clearTimeout(cut);
  // Ends what watches over requests that are late.
  server.close();
}

/** At the end of a turn of the event loop: a request that has come to an idle connection has been read by then. */
const closeIdle = (server: Server): void => void setImmediate(() => server.closeIdleConnections());
