import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceProcess } from './service-process.js';

/** The targets and the rate of the load. */
export interface LoadOptions {
  /** The available services; a failed call goes to another one. */
  services: readonly ServiceProcess[];
  organizationId: string;
  applicationId: string;
  token: string;
  serials: readonly string[];
  /** Records per second. */
  rate: number;
}

/** One of this many records must be delivered to the hook. */
export const deliveredEvery = 20;

const batchSize = 100;
const clients = 8;

/** A load of records and searches on services. */
export interface Load {
  /** Numbers (`data.n`) of records whose call was answered 200. */
  readonly acknowledged: ReadonlySet<number>;
  /** Number of calls with another status than 200, by status. */
  readonly refused: ReadonlyMap<number, number>;
  /** Milliseconds until the first of ten consecutive searches that return complete answers. */
  searchable(): Promise<number>;
  /** Resolves when all records acknowledged so far are searchable. */
  indexed(): Promise<void>;
  /** Resolves when this many more batches have been acknowledged. */
  onward(batches: number): Promise<void>;
  /** Resolves when everything sent is acknowledged. */
  end(): Promise<void>;
}

/** Starts to post records with keys. Each batch is repeated until the service returns 200. */
export const startLoad = (options: LoadOptions): Load => {
  const { services, organizationId, applicationId, token, serials, rate } = options;
  const acknowledged = new Set<number>();
  const refused = new Map<number, number>();
  let next = 0;
  let over = false;
  let turn = 0;
  const call = async (path: string, body: object): Promise<{ status: number; body: unknown } | undefined> => {
    // Skips an unavailable service, as a load balancer does.
    for (let tries = 0; tries < services.length; tries++) {
      const service = services[turn++ % services.length]!;
      try {
        const response = await fetch(`${service.url}/ddp/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(30_000),
        });
        return { status: response.status, body: await response.json() };
      } catch {
        // The service was killed before or during its answer, so nobody knows whether it stored the batch.
      }
    }
    return undefined;
  };
  const post = async () => {
    const numbers = Array.from({ length: batchSize }, () => next++);
    const items = numbers.map((n) => ({
      serial: serials[n % serials.length],
      key: `${n}`,
      data: { n, wanted: n % deliveredEvery === 0 },
    }));
    for (;;) {
      const answer = await call(`/organizations/${organizationId}/records`, items);
      if (answer?.status === 200) break;
      if (answer) refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1);
      await pause(100);
    }
    for (const n of numbers) acknowledged.add(n);
  };
  const began = performance.now();
  const client = async () => {
    while (!over) {
      const due = began + (next / rate) * 1000;
      await pause(Math.max(0, due - performance.now()));
      await post();
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  /** Returns the answer to a search, or undefined when it fails or is incomplete. */
  const search = async (asked: object): Promise<Response | undefined> => {
    const now = Date.now() / 1000;
    const query = { products: [], size: 10, track_total_hits: true, sort: [{ ts: 'desc' }], ...asked };
    const answer = await call(`/applications/${organizationId}/${applicationId}/search`, {
      ts: { gte: now - 3600, lte: now },
      queries: [query],
    });
    if (answer?.status !== 200) return undefined;
    const [response] = (answer.body as { responses: [Response] }).responses;
    return response.status === 200 && !response.timed_out && response._shards.failed === 0 ? response : undefined;
  };
  const aggs = { devices: { terms: { field: 'device.serial', size: 100 } } };
  return {
    acknowledged,
    refused,
    async searchable() {
      const asked = performance.now();
      let first = asked;
      for (let whole = 0; whole < 10; ) {
        whole = (await search({ aggs })) ? whole + 1 : 0;
        if (whole < 2) first = performance.now();
      }
      return first - asked;
    },
    async indexed() {
      const wanted = [...acknowledged].slice(-batchSize);
      for (let found = 0; found < wanted.length; await pause(200))
        found = (await search({ query: { terms: { 'data.n': wanted } } }))?.hits.total.value ?? 0;
    },
    async onward(batches) {
      for (const until = acknowledged.size + batches * batchSize; acknowledged.size < until; ) await pause(20);
    },
    async end() {
      over = true;
      await running;
    },
  };
};

interface Response {
  status: number;
  timed_out: boolean;
  _shards: { failed: number };
  hits: { total: { value: number } };
}
