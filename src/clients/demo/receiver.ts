import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** A call of a hook, as it arrived. */
export interface HookCall {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A customer's server that hooks call. */
export interface Receiver {
  url: string;
  /** Returns the first `count` calls. Throws when they do not arrive within `timeout` milliseconds. */
  calls(count: number, timeout: number): Promise<HookCall[]>;
  close(): void;
}

/**
 * Listens on loopback and answers every call with 200, or with the status that `statusOf` returns for its path. It
 * keeps only calls answered 200.
 */
export async function openReceiver(statusOf: (path: string) => number = () => 200): Promise<Receiver> {
  const received: HookCall[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const status = statusOf(request.url ?? '/');
      if (status === 200) received.push({ headers: request.headers, body });
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ thanks: status === 200 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async calls(count, timeout) {
      for (const until = Date.now() + timeout; received.length < count; await delay(20)) {
        if (Date.now() > until) throw new Error(`The hook was called ${received.length} times, not ${count}.`);
      }
      return received.slice(0, count);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
