import cluster from 'node:cluster';
import { type AddressInfo, createServer, Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** Where to listen. Port 0 takes any free one. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** What is done with a new connection. */
export type Take = (socket: Socket) => void;

/**
 * Listening sockets. libuv accepts one connection of each in an iteration of the event loop: with a single one, a client that
 * connects faster than that keeps everybody else waiting in its queue.
 */
const listeners = 64;

/** How long a turn of the event loop takes in which little happened, at most. Milliseconds. */
const quietTurn = 1;
/** How long a quiet turn is waited for before listening ends all the same. Milliseconds. */
const maxWait = 1000;

/**
 * Listens at an address with as many sockets as it takes; gives the servers, of which the given one is the first.
 * @param setting names the setting of the port, for the sentence with which this rejects where the address is taken
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

/** Rejects where nobody could listen, so that nothing is begun in vain. @param setting names that of the port */
export async function checkListenAddress(address: ListenAddress, setting = 'PORT'): Promise<void> {
  try {
    await tryListening(address);
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, address, setting);
  }
}

/** Listens for a moment. Whoever knocks just then is turned away: waiting for callers to leave could take for ever. */
const tryListening = (address: ListenAddress): Promise<void> =>
  begin(
    createServer((socket) => socket.destroy()),
    address,
    false,
  ).then(end);

/**
 * Listens with several sockets at one address, where the system can (`SO_REUSEPORT`). The server is the first of them. For
 * a worker its primary listens: it does nothing else, and hands out connections in turn.
 */
async function listenWithAll(server: Server, take: Take, address: ListenAddress): Promise<Server[]> {
  if (cluster.isWorker) return [await begin(server, address, false)];
  // A socket that shares its port would share it with another service too, and not say that the port is taken.
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
 * Stops accepting; resolves when none of the servers has a connection any more. The system resets connections that wait in
 * the queue of a listener that closes, and a proxy answers 502 for a POST that it has sent into one: so they close at the end of
 * a short turn of the event loop in which no connection came.
 * @param refusing called as soon as new connections are refused
 */
export async function endListening(servers: readonly Server[], refusing?: () => void): Promise<void> {
  let came = false;
  const note = () => {
    came = true;
  };
  for (const server of servers) server.on('connection', note);
  const late = performance.now() + maxWait;
  // From the end of one turn to that of the next, Node.js has looked for connections.
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

/** An HTTP server's own `close` would also cut idle connections, on which a request may be on its way. */
const end = (server: Server): Promise<void> =>
  new Promise((resolve) => Server.prototype.close.call(server, () => resolve()));

/** Host and port of a server that listens; loopback where it listens on every address. */
export function placeOf(server: Server): string {
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
