import cluster from 'node:cluster';
import { type AddressInfo, createServer, Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** Address to listen at. Port 0 takes any free port. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** Handles a new connection. */
export type Take = (socket: Socket) => void;

/**
 * Number of listening sockets. In one iteration of the event loop, libuv accepts one connection per socket. With a
 * single socket, a client that connects faster than that would keep all others waiting in the socket's queue.
 */
const listeners = 64;

/** Maximum duration of a quiet iteration of the event loop, in milliseconds. */
const quietTurn = 1;
/** Maximum wait for a quiet iteration before the sockets are closed, in milliseconds. */
const maxWait = 1000;

/**
 * Listens at an address with several sockets. Returns their servers, the given one first.
 * @param setting name of the port's setting, for the error message when the address is in use.
 */
export async function listenTogether(
  server: Server,
  take: Take,
  address: ListenAddress,
  setting: string,
): Promise<Server[]> {
  try {
    return await listenWithAll(server, take, address);
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, address, setting);
  }
}

/**
 * Checks that an address is free to listen at, so that the service does not start in vain. Rejects if it is in use.
 * @param setting name of the port's setting, for the error message.
 */
export async function checkListenAddress(address: ListenAddress, setting = 'PORT'): Promise<void> {
  try {
    await tryListening(address);
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, address, setting);
  }
}

/** Listens briefly. A client that connects meanwhile is disconnected, as waiting for it to leave could take forever. */
const tryListening = (address: ListenAddress): Promise<void> =>
  begin(
    createServer((socket) => socket.destroy()),
    address,
    false,
  ).then(end);

/**
 * Listens with several sockets at one address, if the system supports it (`SO_REUSEPORT`). The given server is the
 * first of them. For a worker the primary listens; the primary does nothing else, and distributes connections among the
 * workers.
 */
async function listenWithAll(server: Server, take: Take, address: ListenAddress): Promise<Server[]> {
  if (cluster.isWorker) return [await begin(server, address, false)];
  // With a shared port, another service could share the port too, and the system would not report that it is in use. So
  // the port is checked first.
  if (address.port !== 0) await tryListening(address);
  try {
    await begin(server, address, true);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error;
    await begin(server, address, false);
    return [server];
  }
  const { port } = server.address() as AddressInfo;
  const others = Array.from({ length: listeners - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, take),
  );
  await Promise.all(others.map((other) => begin(other, { ...address, port }, true)));
  return [server, ...others];
}

const begin = <S extends Server>(server: S, address: ListenAddress, reusePort: boolean): Promise<S> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...address, reusePort }, () => resolve(server.removeListener('error', reject)));
  });

/**
 * Stops accepting. Resolves when the servers have no connections left. The system resets connections that wait in the
 * queue of a socket that closes, and a proxy answers 502 for a POST that it has sent into one. So the sockets close at
 * the end of a short iteration of the event loop in which no connection arrived.
 * @param refusing called as soon as new connections are refused.
 */
export async function endListening(servers: readonly Server[], refusing?: () => void): Promise<void> {
  let came = false;
  const note = () => {
    came = true;
  };
  for (const server of servers) server.on('connection', note);
  const late = performance.now() + maxWait;
  // Between the ends of two iterations, Node.js has checked for connections.
  await turn();
  for (let quiet = false; !quiet && performance.now() < late; ) {
    came = false;
    const began = performance.now();
    await turn();
    quiet = !came && performance.now() - began < quietTurn;
  }
  const ended = servers.map(end);
  refusing?.();
  for (const server of servers) server.off('connection', note);
  await Promise.all(ended);
}

/**
 * Stops a server. An HTTP server's own `close` would also cut idle connections, on which a request may be on its way.
 */
const end = (server: Server): Promise<void> =>
  new Promise((resolve) => Server.prototype.close.call(server, () => resolve()));

/** Returns host and port of a listening server; loopback when it listens on all addresses. */
export function listeningAddress(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  const everywhere = address.address === '0.0.0.0' || address.address === '::';
  const host = everywhere ? '127.0.0.1' : address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${host}:${address.port}`;
}

function explain(error: NodeJS.ErrnoException, { host, port }: ListenAddress, setting: string): Error {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Stop what listens there, or choose another port: ${setting}=${port + 1}.`,
    EACCES: `Port ${port} may not be used by this user. Choose one above 1023 with ${setting}.`,
    EADDRNOTAVAIL: `This machine has no address ${host} to listen on (HOST).`,
    ENOTFOUND: `The host name ${host} is not known (HOST).`,
  };
  const sentence = sentences[error.code ?? ''];
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}
