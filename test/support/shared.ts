import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type BrowserServer, chromium } from 'playwright-core';
import { chromiumOptions } from '../console/chromium.js';
import type { StartedService } from './shared-service.js';

/** Resources that test files share: a service per worker, and one browser. Each starts at its first request. */
export interface Shared {
  /** Address that workers call: `GET /service?worker=1&place=postgres`, `GET /browser`. */
  readonly url: string;
  close(): Promise<void>;
}

interface Running {
  child: ChildProcess;
  started: Promise<StartedService>;
}

const program = fileURLToPath(new URL('./shared-service.js', import.meta.url));

/**
 * Opens the server that workers call.
 * @param early whether the service of the first worker starts at once, while the worker loads its test file.
 */
export async function openShared(early: boolean): Promise<Shared> {
  const services = new Map<string, Running>();
  // A failure reaches the test file, which asks for the service again.
  if (early) serviceFor(services, new URLSearchParams({ worker: '1', place: 'postgres' })).catch(() => undefined);
  let browser: Promise<BrowserServer> | undefined;
  const answers: Record<string, (query: URLSearchParams) => Promise<object>> = {
    '/service': (query) => serviceFor(services, query),
    '/browser': async () => ({
      endpoint: (await (browser ??= chromium.launchServer(chromiumOptions()!))).wsEndpoint(),
    }),
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
    answers[pathname]!(searchParams).then(
      (answer) => response.end(JSON.stringify(answer)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.all([...services.values()].map(({ child }) => stop(child)));
      await (await browser)?.close();
    },
  };
}

/** Returns the service of one worker and record index. Starts it when there is none, or it has exited. */
async function serviceFor(services: Map<string, Running>, query: URLSearchParams): Promise<StartedService> {
  const key = query.toString();
  const known = services.get(key);
  if (known && known.child.exitCode === null && known.child.signalCode === null) return known.started;
  const child = fork(program, [query.get('place')!], { execArgv: ['--no-warnings'] });
  const running = { child, started: firstMessage(child) };
  services.set(key, running);
  return running.started;
}

const firstMessage = (child: ChildProcess) =>
  new Promise<StartedService>((resolve, reject) => {
    child.once('message', resolve as (message: unknown) => void);
    child.once('exit', (code) => reject(new Error(`The shared service ended with ${code} before it was ready.`)));
  });

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  await ended;
}
