import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll } from '@jest/globals';
import { Agent, request } from 'undici';
import { ended, startCommand } from '../support/command.js';
import { type TestDatabase, useDatabase } from '../support/database.js';
import { createTenant, type Tenant } from '../support/tenant.js';

/** Path of a request that changes nothing. */
export const account = '/ddp/v1/account';

/** A service with two workers, and its log. */
export interface Started {
  child: ChildProcess;
  url: string;
  lines: { msg: string; worker?: number }[];
}

/** A service of two workers that the tests of a file share. */
export interface TwoWorkers {
  readonly database: TestDatabase;
  readonly service: Started;
  readonly tenant: Tenant;
  /** Request headers with the organization's token. */
  readonly headers: Record<string, string>;
  /** Starts another service, which stops after the file's tests. */
  start(databaseUrl: string): Promise<Started>;
  /** Sends a request over a new connection; connections go to the workers in turn. */
  ask(path: string, options?: { method?: 'GET' | 'POST'; body?: string }): Promise<{ status: number; text: string }>;
  /** A metric summed over all workers, or NaN when it is missing. */
  figure(name: string): Promise<number>;
  /** Number of answered requests to {@link account}. */
  accountCount(): Promise<number>;
}

/** Starts the service before the tests of the file; records are limited to four in two seconds. */
export function useTwoWorkers(): TwoWorkers {
  const database = useDatabase();
  const started: ChildProcess[] = [];
  let service: Started;
  let tenant: Tenant;
  const start = async (databaseUrl: string): Promise<Started> => {
    const child = startCommand(['serve', '--json'], {
      DATABASE_URL: databaseUrl,
      SECRET_KEY: 'a key for tests',
      PORT: '0',
      WORKERS: '2',
      RATE_LIMIT: '0',
      INGEST_RATE_LIMIT: '2',
      LOG_LEVEL: 'info',
    });
    started.push(child);
    const lines: Started['lines'] = [];
    // The service prints the reason for its end as a plain sentence, not as a JSON log line.
    createInterface(child.stderr!).on('line', (line) =>
      lines.push(line.startsWith('{') ? JSON.parse(line) : { msg: line }),
    );
    const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
    return { child, url: (JSON.parse(line) as { url: string }).url, lines };
  };
  beforeAll(async () => {
    service = await start(database.url);
    tenant = await createTenant({ url: service.url, databaseUrl: database.url });
  }, 120_000);
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await Promise.all(started.map(ended));
  });
  const headers = () => ({ authorization: `Bearer ${tenant.owner.token}` });
  const ask: TwoWorkers['ask'] = async (path, options = {}) => {
    const dispatcher = new Agent({ pipelining: 0 });
    const { statusCode, body } = await request(`${service.url}${path}`, {
      dispatcher,
      headers: { ...headers(), connection: 'close', ...(options.body && { 'content-type': 'application/json' }) },
      ...options,
    });
    const answer = { status: statusCode, text: await body.text() };
    await dispatcher.close();
    return answer;
  };
  const figure = async (name: string): Promise<number> => {
    const { text } = await ask('/metrics');
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.split(' ').at(-1));
  };
  return {
    database,
    get service() {
      return service;
    },
    get tenant() {
      return tenant;
    },
    get headers() {
      return headers();
    },
    start,
    ask,
    figure,
    accountCount: () => figure(`ddp_http_request_seconds_count{method="GET",route="${account}",status="200"}`),
  };
}
