import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A call that a receiver received. */
export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A real HTTP server on loopback as the target of hooks. */
export interface Receiver {
  /** Returns the receiver's address with this path. */
  url(path?: string): string;
  /** All calls so far, the first one first. */
  readonly calls: readonly Received[];
  /** Number of calls in progress now, and the highest number so far. */
  readonly busy: number;
  readonly busiest: number;
  /** Resolves when `count` calls have been received. */
  received(count: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

/** Handles a call: ends the response, or leaves it hanging on purpose. */
export type Behaviour = (response: ServerResponse, call: Received) => void;

/** Answers 200 with a short text. */
export const fine: Behaviour = (response) => void response.end('fine');

/** Answers with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(code, headers).end();

/** Answers with JSON. */
export const json =
  (body: string): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(body);

/** Starts a receiver, with TLS when given a key and certificate. */
export async function startReceiver(
  behaviour: Behaviour = fine,
  tls?: { key: string; cert: string },
): Promise<Receiver> {
  const calls: Received[] = [];
  const watchers = new Set<() => void>();
  let busy = 0;
  let busiest = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    busy++;
    busiest = Math.max(busiest, busy);
    response.once('close', () => busy--);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      calls.push(call);
      behaviour(response, call);
      for (const watcher of watchers) watcher();
    });
  };
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path = '/') => `${tls ? 'https' : 'http'}://127.0.0.1:${port}${path}`,
    calls,
    get busy() {
      return busy;
    },
    get busiest() {
      return busiest;
    },
    received: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (calls.length < count) return;
          watchers.delete(look);
          resolve(calls);
        };
        watchers.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
