import { createServer, type RequestListener, type Server } from 'node:http';

/** A server that listens. */
export interface HttpServer {
  /** Its origin, with the port that it got. */
  readonly url: string;
  /** Stops accepting; requests in flight may finish within `patience` milliseconds, then they are cut off. */
  close(patience: number): Promise<void>;
}

/** Listens at an address; rejects where it is taken. Port 0 takes any free one. */
export async function listen(
  listener: RequestListener,
  { port, host }: { port: number; host: string },
): Promise<HttpServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { url: originOf(server), close: (patience) => close(server, patience) };
}

function originOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

function close(server: Server, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), patience);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
