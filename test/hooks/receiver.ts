import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A call that a receiver got. */
export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A real HTTP server on loopback that hooks lead to. */
export interface Receiver {
  /** Address with a path of one's own. */
  url(path?: string): string;
  /** Every call so far, the first one first. */
  readonly calls: readonly Received[];
  /** Calls being answered now, and the most there ever were. */
  readonly busy: number;
  readonly busiest: number;
  /** Resolves once this many calls were received. */
  received(count: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

/** What a receiver does with a call; it must end the response, or leave it hanging on purpose. */
export type Behaviour = (response: ServerResponse, call: Received) => void;

/** Answers 200 with a short text. */
export const fine: Behaviour = (response) => void response.end('fine');

/** Answers a status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(code, headers).end();

/** Answers JSON. */
export const json =
  (body: string): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(body);

/** Starts a receiver; with a key and certificate it speaks TLS. */
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
